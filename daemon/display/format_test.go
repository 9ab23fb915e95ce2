package display

import "testing"

func TestTokens(t *testing.T) {
	for tokens, want := range map[int]string{
		0: "0", 812: "812", 999: "999", 1000: "1k", 8200: "8.2k", 9949: "9.9k", 9960: "10k", 56_000: "56k",
		156_400: "156k", 999_499: "999k", 999_500: "1M", 1_240_000: "1.2M", 56_000_000: "56M", -320: "-320", -8200: "-8.2k",
	} {
		if got := Tokens(tokens); got != want {
			t.Errorf("Tokens(%d) = %q, want %q", tokens, got, want)
		}
	}
}

func TestCount(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{Count(1, "tool"), "1 tool"},
		{Count(0, "tool"), "0 tools"},
		{Count(2000, "tool"), "2,000 tools"},
		{CountOf(2, "entry", "entries"), "2 entries"},
		{Percent(0, 10), "0%"},
		{Percent(1, 1000), "<1%"},
		{Percent(1, 3), "33%"},
		{Percent(3, 3), "100%"},
		{Percent(3, 0), "0%"},
	} {
		if c.got != c.want {
			t.Errorf("got %q, want %q", c.got, c.want)
		}
	}
}
