package upstream

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/debuglog"
	"github.com/winnow-mcp/winnow/protocol"
)

func TestRing(t *testing.T) {
	t.Parallel()
	r := &ring{}
	if r.String() != "" || r.lastLine() != "" {
		t.Error("an empty ring has text")
	}
	r.writeLine(ourPrefix, []byte(startLine+" (attempt 1)"))
	if _, err := io.WriteString(r, "loading\nno end"); err != nil {
		t.Fatal(err)
	}
	r.writeLine("[stdout] ", []byte("  banner \n"))
	want := "[winnow] starting (attempt 1)\nloading\nno end\n[stdout] banner\n"
	if r.String() != want {
		t.Errorf("%q, want %q", r.String(), want)
	}
	if got := r.lastLine(); got != "[stdout] banner" {
		t.Errorf("last line %q", got)
	}
	r.writeLine(ourPrefix, []byte("it exited"))
	if got := r.lastLine(); got != "[stdout] banner" {
		t.Errorf("last line %q", got)
	}
	r.writeLine(ourPrefix, []byte(startLine+" (attempt 2)"))
	if got := r.lastLine(); got != "" {
		t.Errorf("last line of a new attempt %q", got)
	}
	r.writeLine("", []byte(strings.Repeat("x", 10_000)))
	const told = "it exited; it last printed: "
	if got := deathError(errors.New("it exited"), r, &redactor{}).Error(); len(got) != len(told)+300 {
		t.Errorf("a server's last words are %d bytes", len(got)-len(told))
	}
}

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
			r := &ring{}
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
	r := &ring{}
	if _, err := io.WriteString(r, strings.Repeat("x", 2*logLimit)); err != nil || r.String() != "" {
		t.Error("a cut line is shown")
	}
}

func TestRedactor(t *testing.T) {
	t.Parallel()
	r := &redactor{}
	r.absorb(Config{
		URL: "https://user:hunter22@host/p?api_key=s%20cret&page=3&session=abcd",
		Env: map[string]string{
			"API_TOKEN": "tok-1", "HOME_DIR": "/home/me/notes", "MODE": "fast", "LICENSE": "AAAA-BBBB-CCCC",
			"DB_PASSWORD": "abc", "TOKEN_LONG": "tok-1-and-more", "CACHE": "~/cache/directory",
		},
		Headers: map[string]string{"Authorization": "Bearer bear-1", "Accept": "application/json"},
		OAuth:   protocol.OAuthEntry{ClientSecret: "client-secret"},
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
		if got := r.text(in); got != want {
			t.Errorf("%q became %q, want %q", in, got, want)
		}
	}
}

func TestRedactor_Err(t *testing.T) {
	t.Parallel()
	r := &redactor{}
	r.add("secret")
	if r.err(nil) != nil {
		t.Error("no error became one")
	}
	plain := errors.New("plain")
	if got := r.err(plain); !errors.Is(got, plain) || got.Error() != "plain" {
		t.Errorf("an error without secrets became %v", got)
	}
	hidden := r.err(fmt.Errorf("with secret: %w", io.ErrUnexpectedEOF))
	if hidden.Error() != "with [redacted]: unexpected EOF" || !errors.Is(hidden, io.ErrUnexpectedEOF) {
		t.Errorf("it became %v", hidden)
	}
	if errors.Unwrap(hidden) != nil {
		t.Error("the secret can be unwrapped")
	}
}

// TestRedactor_Concurrent is for the race detector.
func TestRedactor_Concurrent(t *testing.T) {
	t.Parallel()
	r := &redactor{}
	var work sync.WaitGroup
	for i := range 8 {
		work.Go(func() { r.add(fmt.Sprintf("secret-%d", i)) })
		work.Go(func() { _ = r.text("secret-1") })
	}
	work.Wait()
	if got := r.text("secret-7"); got != redacted {
		t.Errorf("%q", got)
	}
}

// TestQuietHandler: mcp-go's lines are for debugging only, without secrets.
func TestQuietHandler(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	r := &redactor{}
	r.add("secret")
	level := &slog.LevelVar{}
	log := debuglog.New(slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{Level: level})), r.text).With("server", "s")
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

func TestMergeEnv(t *testing.T) {
	t.Parallel()
	own := map[string]string{"HOME": "/h", "PATH": "/bin", "SHELL": "() { evil; }", "AWS_SECRET": "x", "Path": "C:\\bin", "TEMP": "t"}
	lookup := func(name string) (string, bool) { v, ok := own[name]; return v, ok }
	host := map[string]string{"HTTPS_PROXY": "http://proxy", "HOME": "/host"}
	entry := map[string]string{"HOME": "/entry", "KEY": "k=v", "path": "C:\\mine"}
	tests := map[string][]string{
		"linux":   {"HOME=/entry", "HTTPS_PROXY=http://proxy", "KEY=k=v", "PATH=/bin", "path=C:\\mine"},
		"windows": {"HOME=/entry", "HTTPS_PROXY=http://proxy", "KEY=k=v", "TEMP=t", "path=C:\\mine"},
	}
	for goos, want := range tests {
		if got := mergeEnv(goos, lookup, host, entry); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", goos, got, want)
		}
	}
}

// TestShellCommandLine: what cmd.exe and then the program make of it is what
// was meant. The expected lines were worked out by hand from the rules named
// at the function.
func TestShellCommandLine(t *testing.T) {
	t.Parallel()
	tests := []struct {
		script string
		args   []string
		want   string
	}{
		{`C:\npx.cmd`, nil, `cmd.exe /d /s /c "^"C:\npx.cmd^""`},
		{`C:\Program Files\npx.cmd`, []string{"-y"}, `cmd.exe /d /s /c "^"C:\Program^ Files\npx.cmd^" ^^^"-y^^^""`},
		{`n`, []string{`a"b`}, `cmd.exe /d /s /c "^"n^" ^^^"a\^^^"b^^^""`},
		{`n`, []string{`%PATH%&calc`}, `cmd.exe /d /s /c "^"n^" ^^^"^^^%PATH^^^%^^^&calc^^^""`},
		{`n`, []string{`C:\dir\`}, `cmd.exe /d /s /c "^"n^" ^^^"C:\dir\\^^^""`},
		{`n`, []string{``}, `cmd.exe /d /s /c "^"n^" ^^^"^^^""`},
	}
	for _, test := range tests {
		if got := shellCommandLine(test.script, test.args); got != test.want {
			t.Errorf("%q %q:\n%s, want\n%s", test.script, test.args, got, test.want)
		}
	}
}

func TestNeedsShell(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]bool{`C:\node.exe`: false, `C:\X.EXE`: false, `a.com`: false, `npx.cmd`: true, `x.bat`: true, `npx`: true} {
		if needsShell(path) != want {
			t.Errorf("%s: %t", path, !want)
		}
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
	redact := &redactor{}
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
	if redact.text("value-of-key") != redacted {
		t.Error("an input is not secret")
	}
}

// TestResolveInputs_Declined: the user is asked once, and the server is not
// tried again by itself.
func TestResolveInputs_Declined(t *testing.T) {
	t.Parallel()
	n := 0
	cfg := Config{Args: []string{"${input:a}", "${input:b}"}}
	_, err := resolveInputs(t.Context(), cfg, &redactor{}, func(context.Context, string, string) (string, error) {
		n++
		return "", errors.New("the user pressed Escape")
	})
	var permanent *permanentError
	if !errors.As(err, &permanent) || n != 1 || !strings.Contains(err.Error(), `input "a"`) {
		t.Errorf("asked %d times: %v", n, err)
	}
	_, err = resolveInputs(t.Context(), cfg, &redactor{}, nil)
	if !errors.As(err, &permanent) {
		t.Errorf("without a way to ask: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = resolveInputs(ctx, cfg, &redactor{}, func(ctx context.Context, _, _ string) (string, error) { return "", ctx.Err() })
	if !errors.Is(err, context.Canceled) || errors.As(err, &permanent) {
		t.Errorf("given up: %v", err)
	}
}
