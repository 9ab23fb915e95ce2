package clean

import (
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
)

// TestRing_Bounded: the end is kept, from the beginning of a line.
func TestRing_Bounded(t *testing.T) {
	t.Parallel()
	for name, chunk := range map[string]int{"small": 10, "line": 100, "large": 50_000, "huge": 200_000} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var text strings.Builder
			for i := range 10_000 {
				fmt.Fprintf(&text, "line %d\n", i)
			}
			r := &Ring{}
			rest := text.String()
			for len(rest) > 0 {
				n := min(chunk, len(rest))
				if written, err := io.WriteString(r, rest[:n]); written != n || err != nil {
					t.Fatalf("wrote %d of %d (%v)", written, n, err)
				}
				rest = rest[n:]
			}
			got := r.String()
			if len(got) > logLimit || len(got) < logLimit/2 || !strings.HasSuffix(text.String(), got) || !strings.HasPrefix(got, "line ") {
				t.Errorf("%d bytes, beginning %.20q", len(got), got)
			}
		})
	}
	r := &Ring{}
	if _, err := io.WriteString(r, strings.Repeat("x", 2*logLimit)); err != nil || r.String() != "" {
		t.Error("a cut line is shown")
	}
}

func TestRedactor(t *testing.T) {
	t.Parallel()
	r := &Redactor{}
	r.Absorb(Settings{
		URL: "https://user:hunter22@host/p?api_key=s%20cret&page=3&session=abcd",
		Env: map[string]string{
			"API_TOKEN": "tok-1", "HOME_DIR": "/home/me/notes", "MODE": "fast", "LICENSE": "AAAA-BBBB-CCCC",
			"DB_PASSWORD": "abc", "TOKEN_LONG": "tok-1-and-more", "CACHE": "~/cache/directory",
		},
		Headers:      map[string]string{"Authorization": "Bearer bear-1", "Accept": "application/json"},
		ClientSecret: "client-secret",
		Args: []string{
			"-y", "@scope/package", "--api-key=argkey=1", "--access-token", "argtoken", "--client-secret", "argsecret",
			"--db-pass=argpass", "--passphrase", "argphrase", "-password", "argword", "--keyfile", "/etc/server.pem",
			"--no-token", "--port", "8080", "--keyboard=a", "--token",
		},
	})
	tests := map[string]string{
		"nothing here":                        "nothing here",
		"got tok-1.":                          "got [redacted].",
		"got tok-1-and-more.":                 "got [redacted].",
		"open /home/me/notes fast":            "open /home/me/notes fast",
		"AAAA-BBBB-CCCC":                      "[redacted]",
		"Bearer bear-1 or bear-1":             "[redacted] or [redacted]",
		"application/json ~/cache/directory":  "application/json ~/cache/directory",
		`Get "https://user:hunter22@host/p"`:  `Get "https://user:[redacted]@host/p"`,
		"?api_key=s+cret or s cret, page=3":   "?api_key=[redacted] or [redacted], page=3",
		"session=abcd and client-secret, abc": "session=[redacted] and [redacted], abc",
		"--api-key=argkey=1 argtoken":         "--api-key=[redacted] [redacted]",
		"argsecret argpass argphrase argword": "[redacted] [redacted] [redacted] [redacted]",
		"@scope/package /etc/server.pem 8080": "@scope/package /etc/server.pem 8080",
	}
	for in, want := range tests {
		if got := r.Text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestRedactor_Err(t *testing.T) {
	t.Parallel()
	r := &Redactor{}
	r.Add("secret")
	if r.Err(nil) != nil {
		t.Error("no error became one")
	}
	plain := errors.New("plain")
	if got := r.Err(plain); !errors.Is(got, plain) || got.Error() != "plain" {
		t.Errorf("an error without secrets became %v", got)
	}
	hidden := r.Err(fmt.Errorf("with secret: %w", io.ErrUnexpectedEOF))
	if hidden.Error() != "with [redacted]: the other side ended in the middle" || !errors.Is(hidden, io.ErrUnexpectedEOF) {
		t.Errorf("it became %v", hidden)
	}
	if errors.Unwrap(hidden) != nil {
		t.Error("the secret can be unwrapped")
	}
}

// TestRedactor_Concurrent is for the race detector.
func TestRedactor_Concurrent(t *testing.T) {
	t.Parallel()
	r := &Redactor{}
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() { r.Add(fmt.Sprintf("secret-%d", i)) })
		work.Go(func() { _ = r.Text("secret-1") })
	}
	work.Wait()
	if got := r.Text("secret-7"); got != "[redacted]" {
		t.Errorf("%q", got)
	}
}

// TestQuietHandler: mcp-go's lines are for debugging only, without secrets.
func TestQuietHandler(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := &Redactor{}
	r.Add("secret")
	level := &slog.LevelVar{}
	log := debuglog.New(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level})), r.Text).With("server", "s")
	log.Error("an error with secret")
	if out.Len() != 0 {
		t.Errorf("logged %q", out.String())
	}
	level.Set(slog.LevelDebug)
	log.WithGroup("g").Error("an error with secret", "err", errors.New("secret body"))
	got := out.String()
	if !strings.Contains(got, "level=DEBUG") || strings.Contains(got, "secret") || !strings.Contains(got, "server=s") {
		t.Errorf("logged %q", got)
	}
}
