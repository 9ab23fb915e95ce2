package router

import (
	"encoding/json"
	"slices"
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
	want := c.Tools[0].Tokens + c.Tools[1].Tokens + len(PresentedJSON(group.Name, group.Description, json.RawMessage(emptySchema)))
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

// TestView_ClientWithOwn: whoever runs the servers, the client's own request is
// the same one, as far as it can be computed.
func TestView_ClientWithOwn(t *testing.T) {
	t.Parallel()
	tokens := func(n, native int) (client int, computed bool) {
		host, own := numbered("s", 0, 10), numbered("mine", 0, n)
		own.Own = true
		c := BuildCatalog(CatalogInput{Source: "host", Verbatim: true, Servers: []ServerInput{host, own}, Count: bytesCount}, nil)
		v := NewView(c, settingsOf(), nil)
		task := v.Open(Opening{ID: "t", Message: words(0, 30)})
		task.Model.NativeTools = native
		for range 2 { // with each request anew
			task = v.WithClient(task, protocol.ClientTools{Visible: toolNames("s", 0, 10)})
		}
		return v.Attachment(&task).Tokens.Client, task.Client.Computed
	}
	few, computed := tokens(20, 40)
	all, _ := tokens(20, 0)
	if few != all || !computed {
		t.Errorf("30 tools beside 40 cost a client %d, computed %v; want all of their %d", few, computed, all)
	}
	many, _ := tokens(90, 40)
	if whole, _ := tokens(90, -12); many >= whole || many < whole*48/100-1 || many > whole*48/100+1 {
		t.Errorf("100 tools beside 40 cost a client %d, want 48 hundredths of %d", many, whole)
	}
}

// TestView_ClientUnrouted: with routing off the client hides what it hides by
// itself, and what it has opened is there with the next request.
func TestView_ClientUnrouted(t *testing.T) {
	t.Parallel()
	in := CatalogInput{Source: "host", Verbatim: true, Servers: []ServerInput{numbered("s", 0, 100)}, Count: bytesCount}
	in.Servers[0].Policy.DisabledTools = toolNames("s", 3, 1)
	v := NewView(BuildCatalog(in, nil), settingsOf(searchTurns(0)), nil)
	task := v.WithClient(Task{ID: "t"}, protocol.ClientTools{Visible: toolNames("s", 0, 10)})
	task = v.Turn(task, "common")
	want := append(toolNames("s", 0, 3), toolNames("s", 4, 6)...)
	slices.Sort(want)
	wantNames(t, "at first", attachedNames(&task), want)
	task = v.Mirror(v.WithClient(task, protocol.ClientTools{Visible: toolNames("s", 5, 10)}))
	if got := attachedNames(&task); len(got) != 10 || slices.Contains(got, toolNames("s", 0, 1)[0]) {
		t.Errorf("after a group was opened: %q", got)
	}
	// A request within a turn warns of what is true of it, and once.
	few := NewView(v.Catalog, settingsOf(searchTurns(0), maxTools(9)), nil)
	for range 3 {
		task = few.Mirror(task)
	}
	if len(task.Warnings) != 1 {
		t.Errorf("after three requests of a turn it warns %q, want one warning", task.Warnings)
	}
	routed := NewView(v.Catalog, settingsOf(), nil)
	if next := routed.Mirror(task); len(next.Attached) != len(task.Attached) {
		t.Errorf("routing changes %d tools within a turn to %d", len(task.Attached), len(next.Attached))
	}
}
