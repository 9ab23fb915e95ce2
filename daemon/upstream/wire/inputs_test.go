package wire

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

func TestRing(t *testing.T) {
	t.Parallel()
	r := &clean.Ring{}
	if r.String() != "" || len(r.Lines()) != 0 {
		t.Error("an empty ring has text")
	}
	r.WriteLine(clean.OurPrefix, []byte(clean.StartLine+" (attempt 1)"))
	if _, err := io.WriteString(r, "loading\nno end"); err != nil {
		t.Fatal(err)
	}
	r.WriteLine("[stdout] ", []byte("  banner \n"))
	want := "[winnow] starting (attempt 1)\nloading\nno end\n[stdout] banner\n"
	if r.String() != want {
		t.Errorf("%q, want %q", r.String(), want)
	}
	if got := r.Lines(); !slices.Equal(got, []string{"loading", "no end", "[stdout] banner"}) {
		t.Errorf("lines %q", got)
	}
	r.WriteLine(clean.OurPrefix, []byte("it exited"))
	if got := r.Lines(); !slices.Equal(got, []string{"loading", "no end", "[stdout] banner"}) {
		t.Errorf("lines %q", got)
	}
	r.WriteLine(clean.OurPrefix, []byte(clean.StartLine+" (attempt 2)"))
	if got := r.Lines(); len(got) != 0 {
		t.Errorf("lines of a new attempt %q", got)
	}
}

func TestResolveInputs(t *testing.T) {
	t.Parallel()
	cfg := Config{
		Name: "s", Command: "run", Args: []string{"--key=${input:key}", "plain", "${input:key}${input:other}"},
		Env:     map[string]string{"B": "${input:b}", "A": "${input:a}", "C": "${env:C}"},
		Headers: map[string]string{"X": "Bearer ${input:key}"}, URL: "https://h/${input:a}",
	}
	var asked []string
	redact := &clean.Redactor{}
	got, err := resolveInputs(t.Context(), cfg, redact, func(_ context.Context, server, id string) (string, error) {
		asked = append(asked, id)
		if server != "s" {
			t.Errorf("server %q asks", server)
		}
		return "value-of-" + id, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"a", "key", "other", "b"}; !slices.Equal(asked, want) {
		t.Errorf("asked for %q, want %q", asked, want)
	}
	if got.Args[0] != "--key=value-of-key" || got.Args[2] != "value-of-keyvalue-of-other" || got.Env["A"] != "value-of-a" ||
		got.Env["C"] != "${env:C}" || got.Headers["X"] != "Bearer value-of-key" || got.URL != "https://h/value-of-a" {
		t.Errorf("resolved to %+v", got)
	}
	if cfg.Args[0] != "--key=${input:key}" || cfg.Env["A"] != "${input:a}" {
		t.Error("the configuration itself was changed")
	}
	if redact.Text("value-of-key") != "[redacted]" {
		t.Error("an input is not secret")
	}
}

// TestResolveInputs_Declined: the user is asked once, and the server is not
// tried again by itself.
func TestResolveInputs_Declined(t *testing.T) {
	t.Parallel()
	n := 0
	cfg := Config{Args: []string{"${input:a}", "${input:b}"}}
	_, err := resolveInputs(t.Context(), cfg, &clean.Redactor{}, func(context.Context, string, string) (string, error) {
		n++
		return "", errors.New("the user pressed Escape")
	})
	if !fault.Permanent(err) || n != 1 || !strings.Contains(err.Error(), `input "a"`) {
		t.Errorf("asked %d times: %v", n, err)
	}
	_, err = resolveInputs(t.Context(), cfg, &clean.Redactor{}, nil)
	if !fault.Permanent(err) {
		t.Errorf("without a way to ask: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = resolveInputs(ctx, cfg, &clean.Redactor{}, func(ctx context.Context, _, _ string) (string, error) { return "", ctx.Err() })
	if !errors.Is(err, context.Canceled) || fault.Permanent(err) {
		t.Errorf("given up: %v", err)
	}
}
