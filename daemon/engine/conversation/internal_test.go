package conversation

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// dialogue reads a list of messages as digests does; an assistant's may name
// its calls: "a1(c1,c2)".
func dialogue(list string) History {
	words := strings.Fields(list)
	plain := make([]string, len(words))
	calls := make([][]protocol.MessageCall, len(words))
	for i, word := range words {
		name, ids, found := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		plain[i] = name
		if !found {
			continue
		}
		for id := range strings.SplitSeq(ids, ",") {
			calls[i] = append(calls[i], protocol.MessageCall{ID: id, Name: "tool of " + id})
		}
	}
	messages := digests(strings.Join(plain, " "))
	for i := range messages {
		messages[i].Calls = calls[i]
	}
	return NewHistory(messages)
}

func part(text string) json.RawMessage { return json.RawMessage(fmt.Sprintf("%q", text)) }

// loaded is a round in which a model called mcp_load as h1, and was answered.
func loaded() Answer {
	return Answer{
		Parts:   []protocol.AnswerPart{{Part: part("Let me look.")}, {Call: "h1", Part: part("h1")}},
		Answers: []protocol.CallAnswer{{Call: "h1", Text: "Attached: sum"}},
	}
}

// answered returns what the answers to a request leave behind.
func answered(t *testing.T, request string, answers ...Answer) []Internal {
	t.Helper()
	e := NewExchange(dialogue(request))
	var entries []Internal
	for i, a := range answers {
		next, does, in := e.Next(a)
		if want := i == len(answers)-1; (does == protocol.NextEnd) != want {
			t.Fatalf("round %d of %d: got %q", i+1, len(answers), does)
		}
		e, entries = next, Remember(entries, in)
	}
	return entries
}

// TestRestore pins where what a client never saw goes back to.
func TestRestore(t *testing.T) {
	t.Parallel()
	round := protocol.InternalRound{
		Parts: []json.RawMessage{part("Let me look."), part("h1")}, Answers: []protocol.CallAnswer{{Call: "h1", Text: "Attached: sum"}},
	}
	call := Answer{Parts: []protocol.AnswerPart{{Call: "c1", Part: part("c1")}}, Delivered: []string{"c1"}}
	beside := loaded()
	beside.Delivered = []string{"c1"}
	tests := []struct {
		name    string
		answers []Answer
		later   string
		want    []protocol.InternalRounds
	}{
		{
			"a round goes before the call that followed it, found by the call", []Answer{loaded(), call}, "s u1 a1(c1) t1",
			[]protocol.InternalRounds{{ID: 1, Message: 2, Rounds: []protocol.InternalRound{round}}},
		},
		{
			"also when the history before it was cut", []Answer{loaded(), call}, "s a1(c1) t1",
			[]protocol.InternalRounds{{ID: 1, Message: 1, Rounds: []protocol.InternalRound{round}}},
		},
		{
			"a round goes before an answer that is only text, found by its place", []Answer{loaded(), {}}, "s u1 a1 u2 a2",
			[]protocol.InternalRounds{{ID: 1, Message: 2, Rounds: []protocol.InternalRound{round}}},
		},
		{"an equal answer in another place is left alone", []Answer{loaded(), {}}, "s u2 a1 u3", nil},
		{"a text is not found by a call", []Answer{loaded(), {}}, "s u1 a1(c7) t1", nil},
		{"a call is not found by its place", []Answer{loaded(), call}, "s u1 a1 u2", nil},
		{
			"what was answered beside a call goes into its message", []Answer{beside}, "s u1 a1(c1) t1",
			[]protocol.InternalRounds{{ID: 1, Message: 2, Calls: []json.RawMessage{part("h1")}, Answers: round.Answers}},
		},
		{"an answer without anything internal leaves nothing", []Answer{call}, "s u1 a1(c1) t1", nil},
		{"the same request again", []Answer{loaded(), call}, "s u1", nil},
	}
	for _, tt := range tests {
		got := Restore(answered(t, "s u1", tt.answers...), dialogue(tt.later))
		if !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s:\n got %+v\nwant %+v", tt.name, got, tt.want)
		}
	}
}

// TestRemember: a request that is answered again has the later answer's, ids
// only rise, and the oldest give way.
func TestRemember(t *testing.T) {
	t.Parallel()
	entry := func(request string) Internal {
		return Internal{Request: request, Rounds: []protocol.InternalRound{{}}}
	}
	entries := Remember(Remember(Remember(nil, entry("a")), entry("b")), entry("a"))
	if len(entries) != 2 || entries[0].Request != "b" || entries[1].Request != "a" || entries[1].ID != 3 {
		t.Errorf("got %+v, want b with id 2, then a with id 3", entries)
	}
	if got := Remember(entries, Internal{Request: "c", Delivered: []string{"c1"}}); len(got) != 2 {
		t.Errorf("got %d entries after an answer that lacks nothing, want 2", len(got))
	}
	for i := range 2 * maxInternal {
		entries = Remember(entries, entry(fmt.Sprint(i)))
	}
	if last := entries[len(entries)-1]; len(entries) != maxInternal || last.ID != 3+2*maxInternal {
		t.Errorf("got %d entries, the last with id %d; want %d, with id %d", len(entries), last.ID, maxInternal, 3+2*maxInternal)
	}
}
