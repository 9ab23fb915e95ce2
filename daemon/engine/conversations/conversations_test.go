package conversations

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/engine/conversation"
	"github.com/winnow-mcp/winnow/protocol"
)

// process is what a process has besides its conversations: its open tasks.
type process struct {
	*Conversations
	open []string
}

// begin starts a process whose conversations are kept in a store; nil keeps
// none.
func begin(t *testing.T, store Store) *process {
	t.Helper()
	return beginWith(t, store, "")
}

// beginWith is begin where the client keeps its chats in a folder.
func beginWith(t *testing.T, store Store, chats string) *process {
	t.Helper()
	p := &process{}
	p.Conversations = New(Options{
		Store: store, Chats: chats,
		NewTask: func() string {
			p.open = append(p.open, rand.Text())
			return p.open[len(p.open)-1]
		},
		IsOpen: func(task string) bool { return slices.Contains(p.open, task) },
	})
	t.Cleanup(func() { p.end(t) })
	return p
}

// end ends the process when all is kept.
func (p *process) end(t *testing.T) {
	t.Helper()
	if err := p.Close(context.Background()); err != nil {
		t.Error(err)
	}
}

// slow is a store that saves only when it is told.
type slow struct {
	Files
	save chan struct{}
}

func (s slow) Save(name string, data []byte) error {
	<-s.save
	return s.Files.Save(name, data)
}

// TestClose_inTime: an end that may not wait gives up what is not written.
func TestClose_inTime(t *testing.T) {
	t.Parallel()
	store := slow{Files{Dir: t.TempDir()}, make(chan struct{})}
	p := begin(t, store)
	p.ask(t, "one", "s u1")
	p.ask(t, "two", "s u1")
	over, cancel := context.WithCancel(context.Background())
	cancel()
	if err := p.Close(over); err == nil {
		t.Error("got no error, though nothing can be written")
	}
	close(store.save)
	p.end(t)
	if files, err := store.folder().List(); err != nil || len(files) > 1 {
		t.Errorf("got %d files, %v; want at most the one that was under way", len(files), err)
	}
}

// messages reads "u1 a1(c1) t1": the role's first letter, a digest, and the
// calls of an assistant.
func messages(list string) []protocol.MessageDigest {
	roles := map[byte]string{'s': "system", 'u': "user", 'a': "assistant", 't': "tool"}
	var all []protocol.MessageDigest
	for _, word := range strings.Fields(list) {
		digest, call, found := strings.Cut(strings.TrimSuffix(word, ")"), "(")
		m := protocol.MessageDigest{Role: roles[word[0]], Digest: digest}
		if found {
			m.Calls = []protocol.MessageCall{{ID: call, Name: "tool_" + call}}
		}
		all = append(all, m)
	}
	return all
}

func (p *process) route(t *testing.T, r Request) Placed {
	t.Helper()
	at := p.Place(r)
	if at.Saved != nil {
		p.open = append(p.open, at.Task)
	}
	return at
}

// ask routes a request, and keeps a state of its task that has attached a tool.
func (p *process) ask(t *testing.T, id, list string) Placed {
	t.Helper()
	at := p.route(t, Request{ID: id, Messages: messages(list), Message: "water the beans"})
	p.Keep(at.Task, &protocol.TaskState{
		Version: 1, Task: at.Task, Turn: 1, Window: 1, Routing: protocol.AttachDynamic, Tools: []protocol.AttachedTool{{Name: "hose"}},
	}, &protocol.TaskSummary{Task: at.Task, TaskFacts: protocol.TaskFacts{Title: at.Title}})
	return at
}

// load answers a request by an internal round and then by text.
func (p *process) load(t *testing.T, at Placed) {
	t.Helper()
	answer := conversation.Answer{
		Parts:   []protocol.AnswerPart{{Call: "h1", Part: []byte(`"opaque"`)}},
		Answers: []protocol.CallAnswer{{Call: "h1", Text: "attached"}},
	}
	for _, step := range []struct {
		answer conversation.Answer
		want   protocol.ConversationNext
	}{{answer, protocol.NextSend}, {conversation.Answer{}, protocol.NextEnd}} {
		if got, err := p.Answer(at.Task, at.Request, step.answer); err != nil || got != step.want {
			t.Fatalf("got %q, %v; want %q", got, err, step.want)
		}
	}
}

// A client that goes back and on otherwise has the same task; the branch that it
// has left is one of its own when it is taken up, with what it had then.
func TestPlace_branches(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"", "chat"} {
		p := begin(t, nil)
		keep := func(at Placed, tools ...string) {
			state := &protocol.TaskState{Version: 1, Task: at.Task, Turn: 1, Window: 1, Routing: protocol.AttachDynamic}
			for _, name := range tools {
				state.Tools = append(state.Tools, protocol.AttachedTool{Name: name, Server: "s", Tool: name})
			}
			p.Keep(at.Task, state, nil)
		}
		ask := func(list string) Placed { return p.route(t, Request{ID: id, Messages: messages(list)}) }
		keep(ask("s u1"), "hose")
		first := ask("s u1 a1 u2")
		keep(first, "hose", "rake")
		edited := ask("s u1 a1 u3")
		if edited.Task != first.Task || !edited.Edited || edited.Compacted || !edited.NewTurn || edited.Saved != nil {
			t.Errorf("%q: edited: got %+v, want task %s to take a turn", id, edited, first.Task)
		}
		keep(edited, "hose", "rake", "spade")
		branch := ask("s u1 a1 u2 a2 u4")
		if branch.Task == first.Task || branch.Edited || !branch.NewTurn || branch.Saved == nil || len(branch.Saved.Attached) != 2 {
			t.Errorf("%q: the branch that was left: got %+v, want a task of its own with the two tools that it had", id, branch)
		}
		keep(branch, "hose", "rake", "axe")
		if got := ask("s u1 a1 u3 a3 u5"); got.Task != first.Task || got.Edited || got.Saved != nil {
			t.Errorf("%q: the later branch: got %+v, want task %s to go on", id, got, first.Task)
		}
		if got := ask("s u1 a1 u2 a2 u4 a4 t4"); got.Task != branch.Task || got.Edited {
			t.Errorf("%q: the branch again: got %+v, want task %s to go on", id, got, branch.Task)
		}
		if got := ask("s u1 a1 u2 a2 u4"); got.Task != branch.Task || !got.Edited || got.NewTurn {
			t.Errorf("%q: an answer asked for again: got %+v, want task %s without a turn", id, got, branch.Task)
		}
	}
}

// A chat and the subagents that its agent asks under the same id are several
// conversations, of which the first is kept.
func TestPlace_sharedID(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	p := begin(t, Files{Dir: dir})
	whole := func(p *process, list string) Placed {
		return p.route(t, Request{ID: "chat", Messages: messages(list)})
	}
	keep := func(at Placed) {
		p.Keep(at.Task, &protocol.TaskState{Version: 1, Task: at.Task, Turn: 1, Window: 1, Routing: protocol.AttachDynamic}, nil)
	}
	chat := whole(p, "s u1")
	keep(chat)
	sub, other := whole(p, "s u2"), whole(p, "s u3")
	keep(sub)
	keep(other)
	if sub.Task == chat.Task || other.Task == chat.Task || other.Task == sub.Task || sub.Compacted || !sub.NewTurn {
		t.Errorf("got the tasks %s, %s and %s, want three", chat.Task, sub.Task, other.Task)
	}
	for list, want := range map[string]Placed{"s u1 a1(c1) t1": chat, "s u2 a2 t2": sub, "s u3 a3 t3": other} {
		if got := whole(p, list); got.Task != want.Task || got.Compacted || got.NewTurn {
			t.Errorf("%s: got %+v, want task %s to go on", list, got, want.Task)
		}
	}
	p.end(t)
	p = begin(t, Files{Dir: dir})
	if got := whole(p, "s u1 a1(c1) t1 a9 u9"); got.Task != chat.Task || got.Compacted {
		t.Errorf("a later process: got %+v, want task %s", got, chat.Task)
	}
}

// TestPlace_called: of a request that goes on, the calls are those of what is new.
func TestPlace_called(t *testing.T) {
	t.Parallel()
	p := begin(t, nil)
	p.ask(t, "chat", "s u1 a1(c1) t1")
	if got := p.ask(t, "chat", "s u1 a1(c1) t1 a2(c2) t2").Called; !slices.Equal(got, []string{"tool_c2"}) {
		t.Errorf("got %v, want the call since the request before", got)
	}
	if got := p.ask(t, "other", "s u1 a1(c1) t1").Called; !slices.Equal(got, []string{"tool_c1"}) {
		t.Errorf("got %v in another chat, want all calls", got)
	}
}

func TestAnswer_stale(t *testing.T) {
	t.Parallel()
	p := begin(t, nil)
	first := p.ask(t, "chat", "s u1")
	p.ask(t, "chat", "s u1 a1 u2")
	if next, err := p.Answer(first.Task, first.Request, conversation.Answer{}); !errors.Is(err, ErrStale) {
		t.Errorf("got %q, %v; want %v", next, err, ErrStale)
	}
	if next, err := p.Answer("none", 1, conversation.Answer{}); !errors.Is(err, ErrStale) {
		t.Errorf("got %q, %v; want %v", next, err, ErrStale)
	}
}

// TestReload: in a later process a conversation goes on with its task, its
// title and its internal rounds; without an id it is known by how it begins.
func TestReload(t *testing.T) {
	t.Parallel()
	for _, id := range []string{"chat", ""} {
		store := Files{Dir: filepath.Join(t.TempDir(), "made")}
		before := begin(t, store)
		before.ask(t, id, "s u1")
		first := before.ask(t, id, "s u1 a1 u2")
		before.load(t, first)
		before.end(t)

		after := begin(t, store)
		at := after.route(t, Request{ID: id, Messages: messages("s u1 a1 u2 a2 u3")})
		if at.Saved == nil || at.Saved.ID != first.Task || at.Task != first.Task || len(at.Saved.Attached) != 1 {
			t.Fatalf("id %q: got %+v, want the task %s with its tool", id, at, first.Task)
		}
		if at.Title != "water the beans" || !at.NewTurn || at.Compacted || at.Request <= first.Request {
			t.Errorf("id %q: got %+v, want a turn of the same conversation", id, at)
		}
		if len(at.Internal) != 1 || at.Internal[0].Message != 4 || string(at.Internal[0].Rounds[0].Parts[0]) != `"opaque"` {
			t.Errorf("id %q: got %+v, want what the fifth message lacks", id, at.Internal)
		}
		if again := after.route(t, Request{ID: id, Messages: messages("s u1 a1 u2 a2 u3")}); again.Saved != nil || again.NewTurn {
			t.Errorf("id %q: got %+v the second time, want an open task", id, again)
		}
		other := after.route(t, Request{ID: "other" + id, Messages: messages("s u7")})
		if other.Saved != nil || other.Task == first.Task {
			t.Errorf("id %q: got %+v for another conversation, want a new task", id, other)
		}
		if files, err := store.folder().List(); err != nil || len(files) != 1 {
			t.Errorf("id %q: got %d files, %v; want one: the conversation is kept at its end", id, len(files), err)
		}
	}
}

// TestReload_useless: a file that is of no use costs only itself.
func TestReload_useless(t *testing.T) {
	t.Parallel()
	store := Files{Dir: t.TempDir()}
	before := begin(t, store)
	before.ask(t, "one", "s u1")
	two := before.ask(t, "two", "s u1")
	before.end(t)
	path := store.folder().Path(name(conversation.Known{ID: "one"}))
	for _, content := range []string{"{ cut off", `{"version":99}`, ""} {
		if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		after := begin(t, store)
		if at := after.route(t, Request{ID: "one", Messages: messages("s u1 a1 u2")}); at.Saved != nil || !at.NewTurn {
			t.Errorf("%q: got %+v, want a new task", content, at)
		}
		if at := after.route(t, Request{ID: "two", Messages: messages("s u1 a1 u2")}); at.Task != two.Task {
			t.Errorf("%q: got the task %s for the other, want %s", content, at.Task, two.Task)
		}
	}
}

// TestPlace_closedTask: a task that was closed for want of room is restored,
// and one that nothing is known of begins anew.
func TestPlace_closedTask(t *testing.T) {
	t.Parallel()
	p := begin(t, nil)
	kept := p.ask(t, "one", "s u1")
	lost := p.route(t, Request{ID: "two", Messages: messages("s u1")})
	p.open = nil
	if at := p.route(t, Request{ID: "one", Messages: messages("s u1 a1 u2")}); at.Task != kept.Task || at.Saved == nil {
		t.Errorf("got %+v, want the task %s to be restored", at, kept.Task)
	}
	if at := p.route(t, Request{ID: "two", Messages: messages("s u1 a1 u2")}); at.Task == lost.Task || at.Saved != nil {
		t.Errorf("got %+v, want a new task", at)
	}
}

func TestForget_andClear(t *testing.T) {
	t.Parallel()
	store := Files{Dir: t.TempDir()}
	before := begin(t, store)
	closed := before.ask(t, "closed", "s u1")
	before.ask(t, "open", "s u1")
	before.Forget(closed.Task)
	before.end(t)
	if files, err := store.folder().List(); err != nil || len(files) != 1 {
		t.Errorf("got %d files, %v; want that of the open task", len(files), err)
	}

	after := begin(t, store)
	at := after.ask(t, "open", "s u1 a1 u2")
	if err := after.Clear(); err != nil {
		t.Fatal(err)
	}
	if again := after.ask(t, "open", "s u1 a1 u2 a2 u3"); again.Task != at.Task {
		t.Errorf("got the task %s after clearing, want %s", again.Task, at.Task)
	}
	after.end(t)
	if files, err := store.folder().List(); err != nil || len(files) != 0 {
		t.Errorf("got %d files, %v; want none, since what was cleared is not kept again", len(files), err)
	}
}

// TestBounds: only so many conversations are followed, and kept.
func TestBounds(t *testing.T) {
	t.Parallel()
	store := Files{Dir: t.TempDir()}
	p := begin(t, store)
	first := p.ask(t, "chat 0", "s u1")
	for i := 1; i <= MaxOpen; i++ {
		p.ask(t, fmt.Sprintf("chat %d", i), "s u1")
	}
	if got := len(p.byTask); got != MaxOpen || p.byTask[first.Task] != nil {
		t.Errorf("got %d conversations, want %d without the first", got, MaxOpen)
	}
	p.end(t)
	if files, err := store.folder().List(); err != nil || len(files) != MaxFiles {
		t.Errorf("got %d files, %v; want %d", len(files), err, MaxFiles)
	}
}

// TestSave_tooLong: what is too long is not kept, and an older state would be a
// lie.
func TestSave_tooLong(t *testing.T) {
	t.Parallel()
	store := Files{Dir: t.TempDir()}
	p := begin(t, store)
	at := p.ask(t, "chat", "s u1")
	p.Keep(at.Task, &protocol.TaskState{Version: 1, Task: at.Task, Message: strings.Repeat("x", 5_000_000)}, nil)
	p.end(t)
	if files, err := store.folder().List(); err != nil || len(files) != 0 {
		t.Errorf("got %d files, %v; want none", len(files), err)
	}
}

// TestAdopt: a task that its client has restored itself goes on.
func TestAdopt(t *testing.T) {
	t.Parallel()
	p := begin(t, nil)
	p.open = []string{"mine", "plain"}
	p.Adopt("mine", "", messages("s u1"))
	p.Adopt("plain", "", nil)
	if at := p.route(t, Request{Messages: messages("s u1 a1 u2")}); at.Task != "mine" || !at.NewTurn {
		t.Errorf("got %+v, want a turn of the task that was restored", at)
	}
	if p.byTask["plain"] != nil {
		t.Error("a task without a conversation is followed")
	}
}

// TestAdopt_open: a task that its client has as it is open goes on with the
// conversation that led to it, and one that its client took further back does not.
func TestAdopt_open(t *testing.T) {
	t.Parallel()
	p := begin(t, nil)
	first := p.ask(t, "", "s u1")
	next := p.ask(t, "", "s u1 a1 u2")
	p.AdoptOpen(first.Task, "", messages("s u1"))
	if at := p.ask(t, "", "s u1 a1 u2 a2 t2"); at.Task != first.Task || at.NewTurn || at.Request != next.Request+1 {
		t.Errorf("open as it was: got request %d of %s, new turn %v; want %d of %s within its turn",
			at.Request, at.Task, at.NewTurn, next.Request+1, first.Task)
	}
	p.Adopt(first.Task, "", messages("s u1"))
	if at := p.ask(t, "", "s u1 a1 u9"); at.Task != first.Task || !at.NewTurn {
		t.Errorf("taken back: got %s, new turn %v; want the next turn of %s", at.Task, at.NewTurn, first.Task)
	}
}

// reading is a store that calls a function whenever it is read.
type reading struct {
	Files
	read func()
}

func (r *reading) Load(name string) ([]byte, error) {
	if r.read != nil {
		r.read()
	}
	return r.Files.Load(name)
}

// TestPlace_whileRead: while the store is read the other conversations go on, and
// two requests that begin one conversation at a time are of one.
func TestPlace_whileRead(t *testing.T) {
	t.Parallel()
	store := &reading{Files: Files{Dir: t.TempDir()}}
	p := begin(t, store)
	one := Request{ID: "one", Messages: messages("s u1")}
	var meanwhile Placed
	reads := 0
	store.read = func() {
		if reads++; !p.mu.TryLock() {
			t.Error("the conversations are locked while the store is read")
			return
		}
		p.mu.Unlock()
		if reads == 1 {
			meanwhile = p.route(t, one)
		}
	}
	if at := p.route(t, one); at.Task != meanwhile.Task || at.Request != 2 || reads != 2 {
		t.Errorf("got request %d of %s, and of %s meanwhile; want two of one task", at.Request, at.Task, meanwhile.Task)
	}
	p.Adopt("mine", "two", nil)
	if reads != 3 {
		t.Errorf("%d reads, want one for each", reads)
	}
}

// TestClear_whileRead: what was cleared while it was read does not come back.
func TestClear_whileRead(t *testing.T) {
	t.Parallel()
	store := &reading{Files: Files{Dir: t.TempDir()}}
	first := begin(t, store)
	before := first.ask(t, "one", "s u1")
	first.load(t, before)
	first.end(t)
	p := begin(t, store)
	store.read = func() {
		data, err := store.Files.Load(name(conversation.Known{ID: "one"}))
		if err != nil || data == nil {
			t.Errorf("nothing is kept: %v", err)
		}
		if err := p.Clear(); err != nil {
			t.Error(err)
		}
		if err := store.Save(name(conversation.Known{ID: "one"}), data); err != nil { // as it was read
			t.Error(err)
		}
	}
	if at := p.ask(t, "one", "s u1 a1 u2"); at.Task == before.Task {
		t.Errorf("%s goes on, and was cleared", at.Task)
	}
}

// TestFiles_private: only the user may read what is kept.
func TestFiles_private(t *testing.T) {
	t.Parallel()
	store := Files{Dir: filepath.Join(t.TempDir(), "made")}
	if err := store.Save("one", []byte("x")); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{store.Dir, store.folder().Path("one")} {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm() & 0o077; got != 0 && os.PathSeparator == '/' {
			t.Errorf("%s: others have the rights %o, want none", path, got)
		}
	}
}
