package router

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
	known := func(lists ...string) []Conversation {
		var all []Conversation
		for _, list := range lists {
			id, messages, _ := strings.Cut(list, ":")
			all = append(all, Conversation{ID: id, Messages: digests(messages)})
		}
		return all
	}
	tests := []struct {
		name     string
		known    []Conversation
		id       string
		messages string
		want     Placement
	}{
		{"the first request of all", nil, "", "s1 u1", Placement{Task: -1, NewTurn: true}},
		{"an extension by a new message", known(":s1 u1"), "", "s1 u1 a1 u2", Placement{Task: 0, NewTurn: true}},
		{"an extension by a tool's result", known(":s1 u1"), "", "s1 u1 a1 t1", Placement{Task: 0}},
		{"the same request again", known(":s1 u1"), "", "s1 u1", Placement{Task: 0}},
		{"another first message", known(":s1 u1"), "", "s1 u2", Placement{Task: -1, NewTurn: true}},
		{"another system prompt", known(":s1 u1"), "", "s2 u1 a1 u2", Placement{Task: -1, NewTurn: true}},
		{"an edited message", known(":s1 u1 a1 u2"), "", "s1 u1 a1 u3", Placement{Task: -1, NewTurn: true}},
		{"a shortened history", known(":s1 u1 a1 u2"), "", "s1 u1 a1", Placement{Task: -1, NewTurn: true}},
		{"the longest prefix", known(":s1 u1", ":s1 u1 a1 u2", ":s1 u1 a1"), "", "s1 u1 a1 u2 a2 u3", Placement{Task: 1, NewTurn: true}},
		{"of two the one used last", known(":s1 u1", ":s1 u1", ":s2 u2"), "", "s1 u1 a1 u2", Placement{Task: 1, NewTurn: true}},
		{"an equal role is not an equal message", known(":s1 u1"), "", "s1 u1x a1", Placement{Task: -1, NewTurn: true}},
		{"a task without requests is nobody's", known(":"), "", "s1 u1", Placement{Task: -1, NewTurn: true}},
		{"no messages", known(":s1"), "", "", Placement{Task: -1, NewTurn: true}},

		{"an id", known("x:s1 u1", "y:s1 u1"), "y", "s1 u1 a1 u2", Placement{Task: 1, NewTurn: true}},
		{"an unknown id", known("x:s1 u1", ":s1 u1"), "z", "s1 u1", Placement{Task: -1, NewTurn: true}},
		{"a retry by id", known("x:s1 u1"), "x", "s1 u1", Placement{Task: 0}},
		{"a tool's result by id", known("x:s1 u1"), "x", "s1 u1 a1 t1", Placement{Task: 0}},
		{"compacted, then a new message", known("x:s1 u1 a1 u2"), "x", "s1 u9", Placement{Task: 0, NewTurn: true, Compacted: true}},
		{"compacted within a turn", known("x:s1 u1 a1 u2"), "x", "s1 u9 a9 t9", Placement{Task: 0, Compacted: true}},
		{"compacted to nothing", known("x:s1 u1"), "x", "", Placement{Task: 0, Compacted: true}},
		{"an id whose requests are not known yet", known("x:"), "x", "s1 u1", Placement{Task: 0, NewTurn: true}},
		{"without an id, an id's task is not found", known("x:s1 u1"), "", "s1 u1 a1 u2", Placement{Task: -1, NewTurn: true}},
	}
	for _, tt := range tests {
		if got := Place(tt.known, tt.id, digests(tt.messages)); got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.name, got, tt.want)
		}
	}
}

// TestPlace_TwoChats: two chats that begin with the same message are told
// apart as soon as they differ, and never mixed again.
func TestPlace_TwoChats(t *testing.T) {
	t.Parallel()
	var known []Conversation
	request := func(list string) int {
		messages := digests(list)
		p := Place(known, "", messages)
		if p.Task < 0 {
			known = append(known, Conversation{Messages: messages})
			return len(known) - 1
		}
		known[p.Task].Messages = messages
		return p.Task
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
	f.Add("|", "", "")
	f.Fuzz(func(t *testing.T, text, request, id string) {
		var known []Conversation
		for _, list := range strings.Split(text, "|") {
			c := Conversation{}
			if before, after, ok := strings.Cut(list, "="); ok {
				c.ID, list = before, after
			}
			c.Messages = digests(list)
			known = append(known, c)
		}
		messages := digests(request)
		p := Place(known, id, messages)
		if p.Task < -1 || p.Task >= len(known) {
			t.Fatalf("%+v", p)
		}
		if p.Task < 0 {
			if !p.NewTurn || p.Compacted {
				t.Errorf("a new task that is no new turn: %+v", p)
			}
			return
		}
		found := known[p.Task]
		if found.ID != id {
			t.Errorf("the task of %q is found for %q", found.ID, id)
		}
		extends := len(found.Messages) <= len(messages) && slices.Equal(found.Messages, messages[:len(found.Messages)])
		if p.Compacted == extends {
			t.Errorf("%+v, and the request extends the known one: %v", p, extends)
		}
		for _, c := range known {
			if id == "" && c.ID == "" && len(c.Messages) > len(found.Messages) && isPrefix(c.Messages, messages) {
				t.Errorf("%v is a longer prefix than %v", c.Messages, found.Messages)
			}
		}
	})
}
