package learned

import (
	"log/slog"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/winnow-mcp/winnow/router/tokens"
)

// uncounted is a tokenizer that must not be needed.
func uncounted(t *testing.T) func() *tokens.Counter {
	return func() *tokens.Counter {
		t.Error("the tokenizer was loaded")
		return tokens.New()
	}
}

func TestTokenCounts_rememberBetweenRuns(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := OpenTokenCounts(dir, slog.New(slog.DiscardHandler))
	texts := map[string]int{"hello world": 2, "": 0, "hello": 1}
	for text, want := range texts {
		if got := c.Count(text); got != want {
			t.Errorf("%q has %d tokens, want %d", text, got, want)
		}
	}
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	next := OpenTokenCounts(dir, slog.New(slog.DiscardHandler))
	next.counter = uncounted(t)
	for text, want := range texts {
		if got := next.Count(text); got != want {
			t.Errorf("%q then has %d tokens, want %d", text, got, want)
		}
	}
	if next.encode() != nil {
		t.Error("nothing is new, and it would be written")
	}
}

func TestTokenCounts_damageIsNoLoss(t *testing.T) {
	t.Parallel()
	for name, content := range map[string]string{
		"empty": "", "foreign": "something else", "other version": "winnow o200k token counts 9\n\x00\x00\x00\x00",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "tokens.learned"), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		c := OpenTokenCounts(dir, slog.New(slog.DiscardHandler))
		if got := c.Count("hello world"); got != 2 {
			t.Errorf("%s: %d tokens, want 2", name, got)
		}
		if err := c.Save(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestTokenCounts_saveIsTriedAgain: what could not be written is written later.
func TestTokenCounts_saveIsTriedAgain(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "storage")
	if err := os.WriteFile(dir, nil, 0o600); err != nil { // a file in the folder's place
		t.Fatal(err)
	}
	c := OpenTokenCounts("", slog.New(slog.DiscardHandler))
	c.file = newFile(dir, "tokens", "o200k token counts", 1)
	c.Count("hello world")
	if err := c.Save(); err == nil {
		t.Fatal("written into a file that is no folder")
	}
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	if err := c.Save(); err != nil {
		t.Error(err)
	}
	next := OpenTokenCounts(dir, slog.New(slog.DiscardHandler))
	next.counter = uncounted(t)
	if got := next.Count("hello world"); got != 2 {
		t.Errorf("%d tokens are kept", got)
	}
}

// TestTokenCounts_forget: what was not met for long goes when there is too
// much of it, and what was met stays.
func TestTokenCounts_forget(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	c := OpenTokenCounts(dir, slog.New(slog.DiscardHandler))
	for i := range maxTokenCounts {
		var key textKey
		copy(key[:], strconv.Itoa(i))
		c.known[key] = knownCount{tokens: 1}
	}
	c.Count("hello world")
	if err := c.Save(); err != nil {
		t.Fatal(err)
	}
	next := OpenTokenCounts(dir, slog.New(slog.DiscardHandler))
	if len(next.known) != 1 {
		t.Errorf("%d counts are kept, want 1", len(next.known))
	}
	memory := OpenTokenCounts("", slog.New(slog.DiscardHandler))
	memory.Count("hello")
	if err := memory.Save(); err != nil || memory.encode() != nil {
		t.Errorf("without a folder: %v", err)
	}
}
