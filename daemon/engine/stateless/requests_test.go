package stateless_test

import (
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestConversations_withoutID: a request belongs to the conversation that it
// continues.
func TestConversations_withoutID(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"initialK": 5, "searchK": 3})
	mail := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1"), Message: "send an e-mail"})
	bill := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u2"), Message: "archive the invoice"})
	if mail.Task == bill.Task || !mail.NewTurn || slices.Equal(enginetest.Names(mail.Attachment), enginetest.Names(bill.Attachment)) {
		t.Fatalf("two chats are %s and %s", mail.Task, bill.Task)
	}
	tool := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1 a1 t1"), Message: "send an e-mail", Called: []string{"mcp_mail_send"}})
	if tool.Task != mail.Task || tool.NewTurn || tool.Attachment.Turn != 1 || !slices.Equal(enginetest.Names(tool.Attachment), enginetest.Names(mail.Attachment)) {
		t.Errorf("a tool result made %+v", tool)
	}
	next := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1 a1 t1 a2 u3"), Message: "update the recipe"})
	if next.Task != mail.Task || !next.NewTurn || next.Attachment.Turn != 2 || len(next.Attachment.Tools) <= 5 {
		t.Errorf("the next message made task %s, turn %d with %d tools", next.Task, next.Attachment.Turn, len(next.Attachment.Tools))
	}
	again := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u2 a1 u4"), Message: "archive the branch"})
	if again.Task != bill.Task || again.Attachment.Turn != 2 {
		t.Errorf("the other chat went on as %s, turn %d", again.Task, again.Attachment.Turn)
	}
	edited := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u9"), Message: "send an e-mail"})
	if edited.Task == mail.Task || edited.Task == bill.Task || edited.Compacted {
		t.Errorf("a history that nobody knows became %+v", edited)
	}
}

// TestConversations_withID: an id says which task it is; a history of which a
// summary is left was compacted, and is ranked afresh.
func TestConversations_withID(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"initialK": 5, "searchK": 3})
	one := func(list, message string) protocol.ConversationRouteResult {
		return h.Route(protocol.ConversationRouteParams{Conversation: "chat-1", Messages: enginetest.Digests(list), Message: message})
	}
	first := one("s u1", "send an e-mail")
	if other := h.Route(protocol.ConversationRouteParams{Conversation: "chat-2", Messages: enginetest.Digests("s u1"), Message: "send an e-mail"}); other.Task == first.Task {
		t.Error("two ids are one task")
	}
	grown := one("s u1 a1 u2", "archive the invoice")
	compacted := one("s u99* u3", "update the recipe")
	if compacted.Task != first.Task || !compacted.Compacted || compacted.Attachment.Turn != 3 {
		t.Errorf("compaction: %+v, turn %d", compacted, compacted.Attachment.Turn)
	}
	if n := len(compacted.Attachment.Tools); n != 5 || n >= len(grown.Attachment.Tools) || compacted.Attachment.Generation <= grown.Attachment.Generation {
		t.Errorf("%d tools after the compaction, %d before", n, len(grown.Attachment.Tools))
	}
}

// TestConversations_text: the user's own words are found in a message as its
// client wrote it, and only they rank and name the task.
func TestConversations_text(t *testing.T) {
	t.Parallel()
	h := enginetest.Routed(t, map[string]any{"initialK": 5})
	text := "<attachments>archive the invoice, delete the branch</attachments>\n<userRequest>\nsend an e-mail\n</userRequest>"
	messages := append(enginetest.Digests("s"), protocol.MessageDigest{Role: "user", Parts: []protocol.MessagePart{{Kind: protocol.PartText, Text: text}}})
	wrapped := h.Route(protocol.ConversationRouteParams{Messages: messages})
	plain := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u2"), Message: "send an e-mail"})
	if wrapped.Title != "send an e-mail" || !slices.Equal(enginetest.Names(wrapped.Attachment), enginetest.Names(plain.Attachment)) {
		t.Errorf("got %q for %q, want the same as for the words alone, %q", enginetest.Names(wrapped.Attachment), wrapped.Title, enginetest.Names(plain.Attachment))
	}
}

// TestConversations_edited: whatever a client changes in a history, what the
// conversation had stays, in its order, and at most something is added.
func TestConversations_edited(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "chat-1"} {
		h := enginetest.Routed(t, map[string]any{"initialK": 5, "searchK": 3})
		one := func(list, message string) protocol.ConversationRouteResult {
			return h.Route(protocol.ConversationRouteParams{Conversation: id, Messages: enginetest.Digests(list), Message: message})
		}
		one("s u1", "send an e-mail")
		before := one("s u1 a1 u2", "archive the invoice")
		names := enginetest.Names(before.Attachment)
		for _, step := range []struct{ name, list, message string }{
			{"the answer again", "s u1 a1 u2", "archive the invoice"},
			{"another answer, and on", "s u1 a1 u2 b2 u3", "update the recipe"},
			{"a message edited", "s u1 a1 u4", "delete the branch"},
			{"back to the first branch", "s u1 a1 u2 b2 u3 b3 t3", "update the recipe"},
		} {
			got := one(step.list, step.message)
			now := enginetest.Names(got.Attachment)
			if got.Compacted || len(now) < len(names) || !slices.Equal(now[:len(names)], names) {
				t.Errorf("%q: %s: got %q, want %q and more at most", id, step.name, now, names)
			}
		}
		compacted := one("s u1 a1 u9*", "update the recipe")
		if id != "" && (!compacted.Compacted || len(compacted.Attachment.Tools) != 5) {
			t.Errorf("compacted: got %+v, want the tools chosen afresh", compacted)
		}
	}
}

// TestConversations_resume: a conversation is found again by a daemon that was
// given the state of its task.
func TestConversations_resume(t *testing.T) {
	t.Parallel()
	first := enginetest.Routed(t, nil).Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1"), Message: "send an e-mail", WantState: true})
	h := enginetest.Routed(t, nil)
	resumed := enginetest.Call(h, h.TaskOpen, protocol.TaskOpenParams{State: first.Attachment.State})
	next := h.Route(protocol.ConversationRouteParams{Messages: enginetest.Digests("s u1 a1 u2"), Message: "archive the invoice"})
	if resumed.Task != first.Task || next.Task != first.Task || next.Attachment.Turn != 2 {
		t.Errorf("task %s was resumed as %s and went on as %s, turn %d", first.Task, resumed.Task, next.Task, next.Attachment.Turn)
	}
	if n := len(first.Attachment.Tools); !slices.Equal(enginetest.Names(next.Attachment)[:n], enginetest.Names(first.Attachment)) {
		t.Errorf("it had %v, and has %v", enginetest.Names(first.Attachment), enginetest.Names(next.Attachment))
	}
	bad := *first.Attachment.State
	bad.Version = 99
	if e := enginetest.Refused(h, h.TaskResume, protocol.TaskResumeParams{State: bad}); e.Data.Kind != protocol.KindInvalidParams {
		t.Errorf("a state of another version: %v", e)
	}
}

// TestConversation_agent: the host's agent stands for the mode of its name.
func TestConversation_agent(t *testing.T) {
	t.Parallel()
	none := []string{}
	h := enginetest.Begin(t, nil, nil, configtest.Modes{
		"review": {Name: "Code Review", AllowedMcpServers: &none},
		"open":   {Name: "Open"},
	})
	enginetest.Call(h, h.SetHostTools,
		protocol.SetHostToolsParams{Source: "host", Tools: enginetest.HostTools(100)})
	for agent, want := range map[string]string{
		"REVIEW": "review", "code review": "review", "Open": "open", "somebody": "", "": "",
	} {
		r := h.Route(protocol.ConversationRouteParams{Conversation: "chat with " + agent, Source: "host", Agent: agent, Messages: enginetest.Digests("s u1"), WantState: true})
		if got := r.Attachment.State.Mode; got != want || (len(r.Attachment.Tools) == 0) != (want == "review") {
			t.Errorf("agent %q has mode %q and %d tools, want mode %q", agent, got, len(r.Attachment.Tools), want)
		}
	}
	r := h.Route(protocol.ConversationRouteParams{Conversation: "chat", Source: "host", Mode: "open", Agent: "review", Messages: enginetest.Digests("s u1"), WantState: true})
	if got := r.Attachment.State.Mode; got != "open" {
		t.Errorf("the mode that is asked for is %q, and the agent's wins", got)
	}
}

// TestConversations_warm: of a client whose tools are cached before what is said, a
// message adds tools only after winnow.proxy.appendAfterMinutes; and while the user
// only watches, routing is tried by the same rule.
func TestConversations_warm(t *testing.T) {
	t.Parallel()
	for _, shadow := range []bool{false, true} {
		began, passed := time.Now(), atomic.Int64{}
		h := enginetest.Start(t, enginetest.Options{Now: func() time.Time { return began.Add(time.Duration(passed.Load())) }},
			map[string]any{"initialK": 5, "searchK": 3, "shadow": shadow})
		h.HandOver(200)
		list := "s"
		for i, tt := range []struct {
			after   time.Duration
			message string
			want    int
		}{
			{0, "send an e-mail", 5},
			{59 * time.Minute, "archive the invoice", 5},
			{59 * time.Minute, "update the recipe", 5},
			{60 * time.Minute, "create a ticket", 8},
		} {
			passed.Add(int64(tt.after))
			list += fmt.Sprintf(" u%d", i)
			a := h.Route(protocol.ConversationRouteParams{
				Conversation: "chat", Messages: enginetest.Digests(list), Message: tt.message, ToolsFirst: true,
			}).Attachment
			got := len(a.Tools)
			if shadow {
				got = len(a.WouldAttach)
			}
			if got != tt.want {
				t.Errorf("shadow %v, %q after %v: %d tools, want %d", shadow, tt.message, tt.after, got, tt.want)
			}
			list += fmt.Sprintf(" a%d", i)
		}
	}
}
