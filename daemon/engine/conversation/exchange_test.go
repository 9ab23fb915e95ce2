package conversation

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestExchange_withoutEnd: a model that does nothing but load is asked once
// more without Winnow's tools, and then stopped. What it did is remembered
// without the last call, which nobody has answered.
func TestExchange_withoutEnd(t *testing.T) {
	t.Parallel()
	e := NewExchange(dialogue("s u1"))
	for n := 1; n <= MaxRounds; n++ {
		next, does, in := e.Next(loaded())
		want := protocol.NextSend
		if n == MaxRounds {
			want = protocol.NextSendLast
		}
		if does != want || !in.empty() {
			t.Errorf("round %d: got %q and %+v, want %q and nothing", n, does, in, want)
		}
		e = next
	}
	_, does, in := e.Next(loaded())
	if does != protocol.NextStop || len(in.Rounds) != MaxRounds || len(in.Calls) != 0 || len(in.Answers) != 0 {
		t.Errorf("got %q with %d rounds, %d calls and %d answers, want %q with %d rounds", does, len(in.Rounds), len(in.Calls), len(in.Answers),
			protocol.NextStop, MaxRounds)
	}
}

// TestExchange_isAValue: two answers to one exchange do not mix.
func TestExchange_isAValue(t *testing.T) {
	t.Parallel()
	e, _, _ := NewExchange(dialogue("s u1")).Next(loaded())
	other := loaded()
	other.Answers = []protocol.CallAnswer{{Call: "h1", Text: "other"}}
	one, _, _ := e.Next(loaded())
	two, _, _ := e.Next(other)
	if got := one.rounds[1].Answers[0].Text; got != "Attached: sum" {
		t.Errorf("got %q in the first, want what it answered", got)
	}
	if got := two.rounds[1].Answers[0].Text; got != "other" {
		t.Errorf("got %q in the second, want what it answered", got)
	}
}
