package conversation

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// digests reads a list of messages, such as "s1 u1 a1 t1": the role's first
// letter and a digest.
func digests(list string) []protocol.MessageDigest {
	roles := map[byte]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}
	var messages []protocol.MessageDigest
	for _, m := range strings.Fields(list) {
		messages = append(messages, protocol.MessageDigest{Role: roles[m[0]], Digest: m})
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
	tests := []struct {
		name     string
		known    []Known
		id       string
		messages string
		want     Placement
		whole    bool
	}{
		{"the first request of all", nil, "", "s1 u1", Placement{Conversation: -1, NewTurn: true}, false},
		{"an extension by a new message", known(":s1 u1"), "", "s1 u1 a1 u2", Placement{Conversation: 0, NewTurn: true}, false},
		{"an extension by a tool's result", known(":s1 u1"), "", "s1 u1 a1 t1", Placement{Conversation: 0}, false},
		{"the same request again", known(":s1 u1"), "", "s1 u1", Placement{Conversation: 0}, false},
		{"another first message", known(":s1 u1"), "", "s1 u2", Placement{Conversation: -1, NewTurn: true}, false},
		{"another system prompt", known(":s1 u1"), "", "s2 u1 a1 u2", Placement{Conversation: -1, NewTurn: true}, false},
		{"an edited message", known(":s1 u1 a1 u2"), "", "s1 u1 a1 u3", Placement{Conversation: -1, NewTurn: true}, false},
		{"a shortened history", known(":s1 u1 a1 u2"), "", "s1 u1 a1", Placement{Conversation: -1, NewTurn: true}, false},
		{"the longest prefix", known(":s1 u1", ":s1 u1 a1 u2", ":s1 u1 a1"), "", "s1 u1 a1 u2 a2 u3", Placement{Conversation: 1, NewTurn: true}, false},
		{"of two the one used last", known(":s1 u1", ":s1 u1", ":s2 u2"), "", "s1 u1 a1 u2", Placement{Conversation: 1, NewTurn: true}, false},
		{"an equal role is not an equal message", known(":s1 u1"), "", "s1 u1x a1", Placement{Conversation: -1, NewTurn: true}, false},
		{"a task without requests is nobody's", known(":"), "", "s1 u1", Placement{Conversation: -1, NewTurn: true}, false},
		{"no messages", known(":s1"), "", "", Placement{Conversation: -1, NewTurn: true}, false},

		{"an id", known("x:s1 u1", "y:s1 u1"), "y", "s1 u1 a1 u2", Placement{Conversation: 1, NewTurn: true}, false},
		{"an unknown id", known("x:s1 u1", ":s1 u1"), "z", "s1 u1", Placement{Conversation: -1, NewTurn: true}, false},
		{"a retry by id", known("x:s1 u1"), "x", "s1 u1", Placement{Conversation: 0}, false},
		{"a tool's result by id", known("x:s1 u1"), "x", "s1 u1 a1 t1", Placement{Conversation: 0}, false},
		{"compacted, then a new message", known("x:s1 u1 a1 u2"), "x", "s1 u9", Placement{Conversation: 0, NewTurn: true, Compacted: true}, false},
		{"compacted within a turn", known("x:s1 u1 a1 u2"), "x", "s1 u9 a9 t9", Placement{Conversation: 0, Compacted: true}, false},
		{"compacted to nothing", known("x:s1 u1"), "x", "", Placement{Conversation: 0, Compacted: true}, false},
		{"an id whose requests are not known yet", known("x:"), "x", "s1 u1", Placement{Conversation: 0, NewTurn: true}, false},
		{"a beginning under an id that is known", known("x:s1 u1 a1 u2"), "x", "s1 u9", Placement{Conversation: -1, NewTurn: true}, true},
		{"an answer in a history that nobody knows", known("x:s1 u1 a1 u2"), "x", "s1 u9 a9 u2", Placement{Conversation: 0, NewTurn: true, Compacted: true}, true},
		{"of two of an id the one that it extends", known("x:s1 u1 a1 u2", "x:s1 u9"), "x", "s1 u1 a1 u2 a2 t2", Placement{Conversation: 0}, true},
		{"of two of an id the one that began last", known("x:s1 u1 a1 u2", "x:s1 u9"), "x", "s1 u9 a9 t9", Placement{Conversation: 1}, true},
		{"of two of an id the one used last was compacted", known("x:s1 u1 a1 u2", "x:s1 u9"), "x", "s1 u5 a5 u6", Placement{Conversation: 1, NewTurn: true, Compacted: true}, false},
		{"without an id, an id's task is not found", known("x:s1 u1"), "", "s1 u1 a1 u2", Placement{Conversation: -1, NewTurn: true}, false},
	}
	for _, tt := range tests {
		if got := Place(tt.known, Origin{tt.id, tt.whole}, NewHistory(digests(tt.messages))); got != tt.want {
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
		p := Place(known, Origin{}, h)
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
	f.Add("s1 u1|s1 u1 a1|x=s1", "s1 u1 a1 u2", "", false)
	f.Add("x=s1 u1|x=s1", "s1 u9", "x", true)
	f.Add("|", "", "", false)
	f.Fuzz(func(t *testing.T, text, request, id string, whole bool) {
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
		p := Place(known, Origin{id, whole}, h)
		if p.Conversation < -1 || p.Conversation >= len(known) {
			t.Fatalf("got %+v, want one of %d conversations or -1", p, len(known))
		}
		if p.Conversation < 0 {
			if !p.NewTurn || p.Compacted {
				t.Errorf("got a new conversation that is no new turn: %+v", p)
			}
			return
		}
		found := known[p.Conversation]
		if found.ID != id {
			t.Errorf("got the conversation of %q, want that of %q", found.ID, id)
		}
		if p.Compacted == begins(p.Conversation) {
			t.Errorf("got %+v, and the request extends the known one: %v", p, !p.Compacted)
		}
		for i, k := range known {
			if k.ID == id && k.Length > found.Length && begins(i) {
				t.Errorf("got the prefix %v, want the longer one %v", histories[p.Conversation].messages, histories[i].messages)
			}
		}
	})
}
