package router

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_Client: the saving is told against what the client would have sent
// itself, and against everything.
func TestView_Client(t *testing.T) {
	t.Parallel()
	c := BuildCatalog(CatalogInput{Source: "host", Verbatim: true, Servers: []ServerInput{numbered("s", 0, 100)}, Count: bytesCount}, nil)
	v := NewView(c, settingsOf(), nil)
	task := v.Open(Opening{ID: "t", Message: words(0, 30)})
	a := v.Attachment(&task)
	if a.Tokens.Client != a.Tokens.All || a.Tokens.ClientSaved != a.Tokens.Saved {
		t.Errorf("a client that hides nothing: %+v", a.Tokens)
	}
	group := protocol.ClientGroup{Name: "activate_s", Description: "More.", Hides: toolNames("s", 2, 98)}
	task = v.WithClient(task, protocol.ClientTools{Visible: append(toolNames("s", 0, 2), "gone"), Groups: []protocol.ClientGroup{group}})
	want := c.Tools[0].Tokens + c.Tools[1].Tokens + len(PresentedJSON(group.Name, group.Description, nil))
	a = v.Attachment(&task)
	if a.Tokens.Client != want || a.Tokens.ClientSaved != want-a.Tokens.Attached {
		t.Errorf("%+v, want a client's %d", a.Tokens, want)
	}
	restored, err := Restore(task.State())
	if err != nil || v.Attachment(&restored).Tokens != a.Tokens {
		t.Errorf("after a restart %+v, %v; want %+v", v.Attachment(&restored).Tokens, err, a.Tokens)
	}

	task = task.Call(c.Tools[0].ID).Call(c.Tools[5].ID).Call(c.Tools[6].ID)
	task, _ = v.Load(task, Request{Names: []string{c.Tools[60].Name}})
	task = task.Call(c.Tools[60].ID)
	if got, want := v.Used(&task), (protocol.UsedTools{Called: 4, InHand: 3, GroupCalls: 1}); got != want {
		t.Errorf("used %+v, want %+v", got, want)
	}
}
