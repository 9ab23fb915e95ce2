package shaping_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/results/shaping"
)

// TestGrep_isRefused: what would run for minutes is not begun.
func TestGrep_isRefused(t *testing.T) {
	t.Parallel()
	megabyte := strings.Repeat("y", 1<<20)
	for expression, want := range map[string]error{
		"(y?){900}y{900}z":        shaping.ErrWork,
		"(?:(?:abcd){24}e){24}":   shaping.ErrWork,
		strings.Repeat("a", 1001): nil,
		"(?:(?:x{100}){100}){9}":  nil,
	} {
		part, err := shaping.Grep(megabyte, expression, 0, 100, nil)
		if err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%.30s: %+v, %v, want %v", expression, part, err, want)
		}
	}
}

// TestGrep_stops: a search ends when it is told to, within a line and between
// lines.
func TestGrep_stops(t *testing.T) {
	t.Parallel()
	over := errors.New("that is enough")
	for name, document := range map[string]string{
		"one line":   strings.Repeat("x", 8<<20),
		"many lines": strings.Repeat(strings.Repeat("x", 100)+"\n", 80_000),
	} {
		asked := 0
		part, err := shaping.Grep(document, "(x?){9}x{9}z", 0, 100, func() error {
			if asked++; asked < 3 {
				return nil
			}
			return over
		})
		if !errors.Is(err, over) || asked != 3 {
			t.Errorf("%s: asked %d times, %+v, %v", name, asked, part, err)
		}
	}
}

// TestGrep_longLines: a line that is read by piece matches like a short one.
func TestGrep_longLines(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("é ", 1<<20)
	for expression, want := range map[string]bool{"^é.*end$": true, "beg": false, `(?i)END\b`: true, `^end`: false} {
		part, err := shaping.Grep(filler+"end", expression, 0, 100, func() error { return nil })
		if err != nil || (part.Text != "") != want {
			t.Errorf("%q: %.40q, %v, want a match: %t", expression, part.Text, err, want)
		}
	}
}

// TestGrep_around: a line that is too long is shown around its match.
func TestGrep_around(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("é ", 1000)
	for name, test := range map[string]struct{ line, want string }{
		"in the middle":   {filler + "needle" + filler, "1: …" + strings.Repeat("é ", 10) + "needle" + strings.Repeat("é ", 24) + "…\n"},
		"at the end":      {filler + "needle", "1: …" + strings.Repeat("é ", 10) + "needle\n"},
		"at the start":    {"needle" + filler, "1: needle" + strings.Repeat("é ", 34) + "é…\n"},
		"near the start":  {"é needle" + filler, "1: é needle" + strings.Repeat("é ", 33) + "é…\n"},
		"a short line":    {"needle", "1: needle\n"},
		"not valid UTF-8": {strings.Repeat("\xff", 100) + "needle", "1: …" + strings.Repeat("\xff", 20) + "needle\n"},
	} {
		part, err := shaping.Grep(test.line, "needle", 0, 80, nil)
		if err != nil || part.Text != test.want {
			t.Errorf("%s: got %q, %v; want %q", name, part.Text, err, test.want)
		}
	}
}
