package conversation

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// digests reads a list of messages, such as "s1 u1 a1 t1": the role's first
// letter and a digest. "u2*" is a summary.
func digests(list string) []protocol.MessageDigest {
	roles := map[byte]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}
	var messages []protocol.MessageDigest
	for _, m := range strings.Fields(list) {
		messages = append(messages, protocol.MessageDigest{Role: roles[m[0]], Digest: m, Summary: strings.HasSuffix(m, "*")})
	}
	return messages
}

// TestPlace pins which task a stateless request belongs to, and what it is.
func TestPlace(t *testing.T) {
	t.Parallel()
	known := func(lists ...string) []Known {
		var all []Known
		for _, list := range lists {
			id, messages, _ := strings.Cut(list, ":")
			all = append(all, NewHistory(digests(messages)).Known(id))
		}
		return all
	}
	begins, edited, compacted := Placement{Conversation: -1, NewTurn: true}, Placement{Edited: true}, Placement{Compacted: true}
	turn := func(p Placement) Placement { p.NewTurn = true; return p }
	at := func(i int, p Placement) Placement { p.Conversation = i; return p }
	same := Placement{}
	tests := []struct {
		name     string
		known    []Known
		id       string
		messages string
		want     Placement
	}{
		{"the first request of all", nil, "", "s1 u1", begins},
		{"an extension by a new message", known(":s1 u1"), "", "s1 u1 a1 u2", turn(same)},
		{"an extension by a tool's result", known(":s1 u1"), "", "s1 u1 a1 t1", same},
		{"the same request again", known(":s1 u1"), "", "s1 u1", same},
		{"another first message", known(":s1 u1"), "", "s1 u2", begins},
		{"another system prompt", known(":s1 u1"), "", "s2 u1 a1 u2", begins},
		{"an edited message", known(":s1 u1 a1 u2"), "", "s1 u1 a1 u3", turn(edited)},
		{"an answer asked for again", known(":s1 u1 a1 u2 a2 u3"), "", "s1 u1 a1 u2", edited},
		{"an answer in the middle that was edited", known(":s1 u1 a1 u2 a2 u3"), "", "s1 u1 a1 u2 a9 u3 a3 t3", turn(edited)},
		{"the same first words, and no answer in common", known(":s1 u1 a1 u2"), "", "s1 u1 b1 u2", begins},
		{"a shortened history", known(":s1 u1 a1 u2"), "", "s1 u1 a1", edited},
		{"of two that begin alike the one that it shares more with", known(":s1 u1 a1 u2 a2 u3", ":s1 u1 a1 u4"), "", "s1 u1 a1 u2 a2 u5", turn(edited)},
		{"the longest prefix", known(":s1 u1", ":s1 u1 a1 u2", ":s1 u1 a1"), "", "s1 u1 a1 u2 a2 u3", at(1, turn(same))},
		{"of two the one used last", known(":s1 u1", ":s1 u1", ":s2 u2"), "", "s1 u1 a1 u2", at(1, turn(same))},
		{"an equal role is not an equal message", known(":s1 u1"), "", "s1 u1x a1", begins},
		{"a task without requests is nobody's", known(":"), "", "s1 u1", begins},
		{"no messages", known(":s1"), "", "", begins},

		{"an id", known("x:s1 u1", "y:s1 u1"), "y", "s1 u1 a1 u2", at(1, turn(same))},
		{"an unknown id", known("x:s1 u1", ":s1 u1"), "z", "s1 u1", begins},
		{"a retry by id", known("x:s1 u1"), "x", "s1 u1", same},
		{"a tool's result by id", known("x:s1 u1"), "x", "s1 u1 a1 t1", same},
		{"the first answer asked for again, by id", known("x:s1 u1 a1 u2"), "x", "s1 u1", edited},
		{"the first answer is another one, by id", known("x:s1 u1 a1 u2"), "x", "s1 u1 b1 u2", turn(edited)},
		{"compacted, then a new message", known("x:s1 u1 a1 u2"), "x", "s1 u9* u8", turn(compacted)},
		{"compacted within a turn", known("x:s1 u1 a1 u2"), "x", "s1 u9* a9 t9", compacted},
		{"compacted behind the messages of the user's", known("x:s1 u1 a1 u2 a2 u3"), "x", "s1 u1 u2 u9* u4", turn(compacted)},
		{"edited after it was compacted", known("x:s1 u9* a1 u2 a2 u3"), "x", "s1 u9* a1 u4", turn(edited)},
		{"compacted again", known("x:s1 u9* a1 u2"), "x", "s1 u8* a1 u2", turn(compacted)},
		{"nothing is left, and nobody says why", known("x:s1 u1 a1 u2"), "x", "s1 u7 a7 u8", turn(compacted)},
		{"the oldest messages are left out", known("x:s1 u1 a1 u2 a2 u3"), "x", "s1 u2 a2 u3 a3 t3", edited},
		{"an id whose requests are not known yet", known("x:"), "x", "s1 u1", turn(same)},
		{"another that begins with the client's own words, by id", known("x:s1 u0 u1 a1 u2"), "x", "s1 u0 u9", begins},
		{"a beginning under an id that is known", known("x:s1 u1 a1 u2"), "x", "s1 u9", begins},
		{"of two of an id the one that it extends", known("x:s1 u1 a1 u2", "x:s1 u9"), "x", "s1 u1 a1 u2 a2 t2", same},
		{"of two of an id the one that began last", known("x:s1 u1 a1 u2", "x:s1 u9"), "x", "s1 u9 a9 t9", at(1, same)},
		{"of two of an id the one used last was compacted", known("x:s1 u1 a1 u2", "x:s1 u9"), "x", "s1 u5* a5 u6", at(1, turn(compacted))},
		{"without an id, an id's task is not found", known("x:s1 u1"), "", "s1 u1 a1 u2", begins},
		{"an earlier process's, edited", []Known{{ID: "x", Length: 4, End: "gone"}}, "x", "s1 u1 a1 u3", turn(edited)},
		{"an earlier process's, compacted", []Known{{ID: "x", Length: 4, End: "gone"}}, "x", "s1 u9* u3", turn(compacted)},
	}
	for _, tt := range tests {
		if got := Place(tt.known, tt.id, NewHistory(digests(tt.messages))); got != tt.want {
			t.Errorf("%s: got %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestPlace_TwoChats: two chats that begin with the same message are told
// apart as soon as they differ, and never mixed again.
func TestPlace_TwoChats(t *testing.T) {
	t.Parallel()
	var known []Known
	request := func(list string) int {
		h := NewHistory(digests(list))
		p := Place(known, "", h)
		if p.Conversation < 0 {
			known = append(known, h.Known(""))
			return len(known) - 1
		}
		known[p.Conversation] = h.Known("")
		return p.Conversation
	}
	one := request("s1 u1")
	if got := request("s1 u1 a1 t1"); got != one {
		t.Fatalf("a tool's result goes to task %d", got)
	}
	two := request("s1 u1")
	if two == one {
		t.Fatal("the second chat is taken for the first")
	}
	for _, step := range []struct {
		list string
		want int
	}{
		{"s1 u1 a1 t1 a2 u2", one}, {"s1 u1 b1 u2", two}, {"s1 u1 b1 u2 b2 t1", two}, {"s1 u1 a1 t1 a2 u2 a3 u3", one},
		{"s1 u1 b1 u2 b2 t1", two}, {"s1 u1 a1 t1 a2 u2 a3 u3 a4 u4", one},
	} {
		if got := request(step.list); got != step.want {
			t.Errorf("%s goes to task %d, want %d", step.list, got, step.want)
		}
	}
	if len(known) != 2 {
		t.Errorf("%d tasks", len(known))
	}
}

// FuzzPlace: whatever is known, the task that is found is one whose latest
// request begins this one, and none that is longer does.
func FuzzPlace(f *testing.F) {
	f.Add("s1 u1|s1 u1 a1|x=s1", "s1 u1 a1 u2", "")
	f.Add("x=s1 u1|x=s1", "s1 u9", "x")
	f.Add("x=s1 u1 a1", "u9* a1", "x")
	f.Add("|", "", "")
	f.Fuzz(func(t *testing.T, text, request, id string) {
		var known []Known
		var histories []History
		for _, list := range strings.Split(text, "|") {
			ours := ""
			if before, after, ok := strings.Cut(list, "="); ok {
				ours, list = before, after
			}
			h := NewHistory(digests(list))
			histories = append(histories, h)
			known = append(known, h.Known(ours))
		}
		h := NewHistory(digests(request))
		begins := func(i int) bool {
			before := histories[i].messages
			return len(before) <= h.Len() && slices.EqualFunc(before, h.messages[:len(before)], func(a, b protocol.MessageDigest) bool {
				return a.Role == b.Role && a.Digest == b.Digest
			})
		}
		p := Place(known, id, h)
		if p.Conversation < -1 || p.Conversation >= len(known) {
			t.Fatalf("got %+v, want one of %d conversations or -1", p, len(known))
		}
		if p.Conversation < 0 {
			if !p.NewTurn || p.Compacted || p.Edited {
				t.Errorf("got a new conversation that is no new turn: %+v", p)
			}
			return
		}
		found := known[p.Conversation]
		if found.ID != id {
			t.Errorf("got the conversation of %q, want that of %q", found.ID, id)
		}
		extends := !p.Compacted && !p.Edited
		if extends != begins(p.Conversation) || p.Compacted && p.Edited {
			t.Errorf("got %+v, and the request extends the known one: %v", p, begins(p.Conversation))
		}
		for i, k := range known {
			if extends && k.ID == id && k.Length > found.Length && begins(i) {
				t.Errorf("got the prefix %v, want the longer one %v", histories[p.Conversation].messages, histories[i].messages)
			}
		}
	})
}
