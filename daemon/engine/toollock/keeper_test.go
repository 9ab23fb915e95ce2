package toollock_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/engine/toollock"
	"github.com/winnow-mcp/winnow/daemon/engine/workspace"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// keeper is a lock on the tools of some servers, with what it told.
type keeper struct {
	*toollock.Keeper

	t       *testing.T
	options toollock.Options
	mode    protocol.LockMode
	// atNow, if any, is called once when the clock is asked.
	atNow  func()
	events []toollock.Event
	warned []error
	passes int
}

func open(t *testing.T, storage string) *keeper {
	t.Helper()
	k := &keeper{t: t, mode: protocol.LockWarn}
	k.options = toollock.Options{
		Storage: storage, Mode: func() protocol.LockMode { return k.mode },
		Configuration: func() *workspace.Configuration { return &workspace.Configuration{} },
		Changed:       func() { k.passes++ },
		Record:        func(e toollock.Event) { k.events = append(k.events, e) },
		Warn:          func(err error) { k.warned = append(k.warned, err) },
		Now: func() time.Time {
			if hook := k.atNow; hook != nil {
				k.atNow = nil
				hook()
			}
			return time.UnixMilli(1) // no two answers differ by their time
		},
		Log: slog.New(slog.DiscardHandler),
	}
	k.Keeper, _ = toollock.Open(k.options)
	return k
}

func described(name, description string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q,"inputSchema":{"type":"object"}}`, name, description))
}

// widened is a tool with a parameter more: a change that holds it back.
func widened(name string) json.RawMessage {
	return json.RawMessage(fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object","properties":{"note":{}}}}`, name))
}

// says applies the lock to what a server says.
func (k *keeper) says(source, server string, tools ...json.RawMessage) toollock.Applied {
	return k.Apply(toollock.Server{Source: source, Name: server, Tools: tools})
}

// change is what waits of a tool.
func (k *keeper) change(server, tool string) protocol.LockChange {
	k.t.Helper()
	var found []protocol.LockChange
	for _, c := range k.List().Changes {
		if c.Server == server && c.Name == tool {
			found = append(found, c)
		}
	}
	if len(found) != 1 {
		k.t.Fatalf("got %+v of %s of %s, want one", found, tool, server)
	}
	return found[0]
}

// approve answers a change as it was shown.
func (k *keeper) approve(c protocol.LockChange) protocol.LockDecideResult {
	k.t.Helper()
	r, err := k.Approve(&protocol.LockDecideParams{Source: c.Source, Server: c.Server, Kind: c.Kind, Name: c.Name, Content: c.Content})
	if err != nil || r.Count != 1 || r.Tools != 1 && c.Kind == protocol.LockTool || r.Instructions {
		k.t.Fatalf("approve %+v: got %+v, %v", c.LockRef, r, err)
	}
	return r
}

func (k *keeper) approveAll(source, server string) protocol.LockDecideResult {
	k.t.Helper()
	r, err := k.Approve(&protocol.LockDecideParams{Source: source, Server: server, Content: k.Standing(source, server).Content})
	if err != nil {
		k.t.Fatal(err)
	}
	return r
}

func (k *keeper) expect(a toollock.Applied, tool string, state protocol.LockState, held bool) {
	k.t.Helper()
	if got := a.Locks[tool]; got.State != state || (got.Held.Kind != "") != held {
		k.t.Errorf("%s is %q and held by %q, want %q, held: %t", tool, got.State, got.Held.Kind, state, held)
	}
}

func kindOf(err error) protocol.ErrorKind {
	var failed *failure.Error
	if errors.As(err, &failed) {
		return failed.Kind
	}
	return ""
}

// TestKeeper_answerMeanwhile: an answer that comes while a server's tools are
// judged counts, at once and from then on.
func TestKeeper_answerMeanwhile(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	k.says("", "mail", described("send", "Sends."))
	k.says("", "mail", widened("send"))
	change := k.change("mail", "send")
	k.mode = protocol.LockEnforce // else nothing is judged again
	k.atNow = func() { k.approve(change) }
	for range 2 {
		k.expect(k.says("", "mail", widened("send")), "send", protocol.LockApproved, false)
	}
	if changes := k.List().Changes; len(changes) != 0 {
		t.Errorf("got %+v, want nothing that waits", changes)
	}
}

// TestKeeper_answerToWhatWasShown: an answer about something else than the
// server says by now, or about nothing that was shown, is refused.
func TestKeeper_answerToWhatWasShown(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	k.says("", "mail", described("send", "Sends."), described("read", "Reads."))
	k.says("", "mail", described("send", "Sends it."), described("read", "Reads."))
	shown, all := k.change("mail", "send"), k.Standing("", "mail").Content
	k.says("", "mail", widened("send"), described("read", "Reads."))
	for name, p := range map[string]protocol.LockDecideParams{
		"one":        {Server: "mail", Kind: shown.Kind, Name: "send", Content: shown.Content},
		"the server": {Server: "mail", Content: all},
	} {
		for action, answer := range map[string]func(*protocol.LockDecideParams) (protocol.LockDecideResult, error){"approve": k.Approve, "keep": k.Keep} {
			if r, err := answer(&p); kindOf(err) != protocol.KindContentModified {
				t.Errorf("%s %s: got %+v, %v; want an error of the kind %q", action, name, r, err, protocol.KindContentModified)
			}
			p.Content = ""
			if r, err := answer(&p); kindOf(err) != protocol.KindInvalidParams {
				t.Errorf("%s %s without what was shown: got %+v, %v; want an error of the kind %q", action, name, r, err, protocol.KindInvalidParams)
			}
			p.Content = all
		}
	}
	k.expect(k.says("", "mail", widened("send"), described("read", "Reads.")), "send", protocol.LockChanged, true)
	k.approve(k.change("mail", "send"))
	k.expect(k.says("", "mail", widened("send"), described("read", "Reads.")), "send", protocol.LockApproved, false)
}

// TestKeeper_identities: a server of the daemon's and one of each host are
// others, whatever their names; the lists of one host are of one server.
func TestKeeper_identities(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	sources := []string{"", "vscode:1", "a:b:1"}
	for _, source := range sources {
		k.says(source, "mail", described("send", "Sends."))
	}
	k.says("a:b:2", "mail", described("send", "Sends another."))
	for _, source := range sources[:2] {
		if n := k.Standing(source, "mail").Unanswered; n != 0 {
			t.Errorf("source %q has %d changes by what another host's server says", source, n)
		}
	}
	k.says("", "mail", widened("send"))
	k.says("vscode:1", "mail", widened("send"))
	for _, c := range k.List().Changes {
		if c.Source == "vscode:1" {
			k.approve(c)
		}
	}
	k.expect(k.says("vscode:1", "mail", widened("send")), "send", protocol.LockApproved, false)
	k.expect(k.says("vscode:2", "mail", widened("send")), "send", protocol.LockApproved, false)
	k.expect(k.says("", "mail", widened("send")), "send", protocol.LockChanged, true)
}

// TestKeeper_lists: of several lists of one host, an older one whose content was
// approved asks nothing.
func TestKeeper_lists(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	older, newer := described("send", "Sends."), widened("send")
	k.says("vscode:1", "mail", older)
	k.approveAll("vscode:1", "mail")
	k.says("vscode:2", "mail", newer)
	k.says("vscode:1", "mail", older)
	k.approve(k.change("mail", "send"))
	for range 2 {
		k.expect(k.says("vscode:1", "mail", older), "send", protocol.LockApproved, false)
		k.expect(k.says("vscode:2", "mail", newer), "send", protocol.LockApproved, false)
	}
	seen := len(k.events)
	k.says("vscode:1", "mail", older)
	k.says("vscode:2", "mail", newer)
	if len(k.events) != seen {
		t.Errorf("got %+v, want two lists that stay as they are to tell nothing", k.events[seen:])
	}
}

// TestKeeper_answerPerList: an answer about a server is one about the list that was
// shown, whatever a newer list of the same host says of it.
func TestKeeper_answerPerList(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	older, newer := described("send", "Sends."), widened("send")
	k.says("vscode:1", "mail", older)
	shown := k.Standing("vscode:1", "mail").Content
	k.says("vscode:2", "mail", newer)
	if got := k.Standing("vscode:1", "mail"); got.Content != shown || got.Unanswered != 0 {
		t.Errorf("the older list stands as %+v, want what it says and no change", got)
	}
	if r := k.approveAll("vscode:1", "mail"); r.Count != 1 {
		t.Errorf("approved %d of the older list, want 1", r.Count)
	}
	k.expect(k.says("vscode:1", "mail", older), "send", protocol.LockApproved, false)
	k.expect(k.says("vscode:2", "mail", newer), "send", protocol.LockChanged, true)

	// What is held back in a list can be answered, and lists that say the same ask once.
	k.says("vscode:3", "mail", newer)
	change := k.change("mail", "send")
	k.Only(change.Source, nil)
	k.approve(change) // the other list says the same
	k.expect(k.says("vscode:3", "mail", newer), "send", protocol.LockApproved, false)
}

// TestKeeper_damagedLists: an answer about one list does not begin a damaged lock
// anew while another one has something that nobody has answered.
func TestKeeper_damagedLists(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	send, read := described("send", "Sends."), described("read", "Reads.")
	run(t, storage, func(k *keeper) { k.says("vscode:1", "mail", send) })
	damage(t, storage)
	run(t, storage, func(k *keeper) {
		k.says("vscode:1", "mail", send)
		k.says("vscode:2", "mail", send, read)
		k.approveAll("vscode:1", "mail")
		k.expect(k.says("vscode:1", "mail", send), "send", protocol.LockApproved, false)
		k.expect(k.says("vscode:2", "mail", send, read), "read", protocol.LockDamaged, true)
		k.approveAll("vscode:2", "mail")
		k.expect(k.says("vscode:2", "mail", send, read, widened("later")), "later", protocol.LockSeen, false)
	})
}

// TestKeeper_damagedFile: what cannot be read stays on disk until there is an
// answer: a later winnowd may have written it.
func TestKeeper_damagedFile(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	send := described("send", "Sends.")
	run(t, storage, func(k *keeper) { k.says("", "mail", send) })
	file := damage(t, storage)
	run(t, storage, func(k *keeper) {
		k.Apply(toollock.Server{Name: "mail", Version: "2", Tools: []json.RawMessage{send}})
	})
	if text, err := os.ReadFile(file); err != nil || string(text) != damaged {
		t.Errorf("nothing was answered: the file has %q, %v", text, err)
	}
}

// TestKeeper_misplaced: a folder or a link that leads to itself, in the place of a
// record, is damage: the server is not one that is seen for the first time.
func TestKeeper_misplaced(t *testing.T) {
	t.Parallel()
	for kind, put := range map[string]func(file string) error{
		"folder": func(file string) error { return os.Mkdir(file, 0o700) },
		"loop":   func(file string) error { return os.Symlink(file, file) },
	} {
		storage, send := t.TempDir(), described("send", "Sends.")
		run(t, storage, func(k *keeper) { k.says("", "mail", send) })
		file := damage(t, storage)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := put(file); err != nil {
			t.Skip(err) // Windows without the right to make links
		}
		run(t, storage, func(k *keeper) {
			t.Log(kind)
			k.expect(k.says("", "mail", send), "send", protocol.LockDamaged, true)
		})
	}
}

// damaged is the text of a record that cannot be read.
const damaged = "{"

// damage makes the one record of a lock unreadable, and returns its file.
func damage(t *testing.T, storage string) string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(storage, "lock", "*.json"))
	if err != nil || len(files) != 1 {
		t.Fatalf("got %q, %v, want one file", files, err)
	}
	if err := os.WriteFile(files[0], []byte(damaged), 0o600); err != nil {
		t.Fatal(err)
	}
	return files[0]
}

// TestKeeper_gone: what a server said that is not there any more waits for
// nobody, and cannot be answered.
func TestKeeper_gone(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	for _, server := range []string{"mail", "post"} {
		k.says("", server, described("send", "Sends."))
		k.says("", server, widened("send"))
	}
	gone := k.change("mail", "send")
	k.Only("", []string{"post"})
	if changes := k.List().Changes; len(changes) != 1 || changes[0].Server != "post" {
		t.Errorf("got %+v, want what is there", changes)
	}
	if _, err := k.Approve(&protocol.LockDecideParams{Server: "mail", Kind: gone.Kind, Name: "send", Content: gone.Content}); kindOf(err) != protocol.KindInvalidParams {
		t.Errorf("an answer about what is gone: got %v, want an error of the kind %q", err, protocol.KindInvalidParams)
	}
	k.expect(k.says("", "mail", widened("send")), "send", protocol.LockChanged, true)
}

// TestKeeper_damaged: of a damaged lock, an answer about one thing lets that
// through, also in the next run; one about the server begins the lock anew.
func TestKeeper_damaged(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	send, read := described("send", "Sends."), described("read", "Reads.")
	run(t, storage, func(k *keeper) { k.says("", "mail", send, read) })
	damage(t, storage)
	run(t, storage, func(k *keeper) {
		k.says("", "mail", send, read)
		undo := k.approve(k.change("mail", "send"))
		k.expect(k.says("", "mail", send, read), "send", protocol.LockApproved, false)
		k.expect(k.says("", "mail", send, read), "read", protocol.LockDamaged, true)
		if _, err := k.Undo(&protocol.LockUndoParams{Undo: undo.Undo}); err != nil {
			t.Fatal(err)
		}
		k.expect(k.says("", "mail", send, read), "send", protocol.LockDamaged, true)
		k.approve(k.change("mail", "send"))
	})
	run(t, storage, func(k *keeper) {
		now := k.says("", "mail", send, read)
		k.expect(now, "send", protocol.LockApproved, false)
		k.expect(now, "read", protocol.LockDamaged, true)
		undo := k.approveAll("", "mail")
		k.expect(k.says("", "mail", send, read), "read", protocol.LockApproved, false)
		if _, err := k.Undo(&protocol.LockUndoParams{Undo: undo.Undo}); err != nil {
			t.Fatal(err)
		}
		k.expect(k.says("", "mail", send, read, widened("new")), "read", protocol.LockDamaged, true)
		k.expect(k.says("", "mail", send, read, widened("new")), "new", protocol.LockDamaged, true)
		k.approveAll("", "mail")
	})
	run(t, storage, func(k *keeper) {
		now := k.says("", "mail", send, read, widened("later"))
		k.expect(now, "read", protocol.LockApproved, false)
		k.expect(now, "later", protocol.LockJoined, false)
	})
}

// run uses the lock for one run of the daemon: what it leaves is written.
func run(t *testing.T, storage string, use func(k *keeper)) {
	t.Helper()
	k := open(t, storage)
	use(k)
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	k.Run(ended)
}

// TestKeeper_unkept: an answer that cannot be written is told once, and written
// when it can be.
func TestKeeper_unkept(t *testing.T) {
	t.Parallel()
	storage := t.TempDir()
	obstacle := filepath.Join(storage, "lock")
	synctest.Test(t, func(t *testing.T) {
		k := open(t, storage)
		if err := os.WriteFile(obstacle, nil, 0o600); err != nil { // no folder can be there
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			k.Run(ctx)
		}()
		k.says("", "mail", described("send", "Sends."))
		k.approveAll("", "mail")
		time.Sleep(5 * time.Minute)
		synctest.Wait()
		if len(k.warned) != 1 || !strings.Contains(k.warned[0].Error(), `server "mail"`) {
			t.Errorf("got %v, want one warning that names the server", k.warned)
		}
		if err := os.Remove(obstacle); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		next := open(t, storage)
		next.expect(next.says("", "mail", described("send", "Sends.")), "send", protocol.LockApproved, false)
		cancel()
		<-ended
	})
}

// TestKeeper_Undo: an answer is taken back whatever the clock says, and nothing
// else with it.
func TestKeeper_Undo(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	send, read := described("send", "Sends."), described("read", "Reads.")
	k.says("", "mail", send, read)
	undo := k.approveAll("", "mail")
	k.says("", "mail", widened("send"), read)
	later := k.approve(k.change("mail", "send"))
	k.says("", "mail", widened("send"), widened("read"))
	if _, err := k.Keep(&protocol.LockDecideParams{Server: "mail", Kind: protocol.LockTool, Name: "read", Content: k.change("mail", "read").Content}); err != nil {
		t.Fatal(err)
	}
	taken, err := k.Undo(&protocol.LockUndoParams{Undo: later.Undo})
	if want := (protocol.LockDecideResult{Count: 1, Tools: 1}); err != nil || taken != want {
		t.Errorf("took back %+v, %v, want %+v", taken, err, want)
	}
	k.expect(k.says("", "mail", widened("send"), widened("read")), "send", protocol.LockChanged, true)
	if !k.change("mail", "read").Kept {
		t.Error("another answer was taken back as well")
	}
	k.expect(k.says("", "mail", send, read), "send", protocol.LockApproved, false)
	if _, err := k.Undo(&protocol.LockUndoParams{Undo: undo.Undo}); err != nil {
		t.Fatal(err)
	}
	k.expect(k.says("", "mail", send, read), "send", protocol.LockSeen, false)
	if _, err := k.Undo(&protocol.LockUndoParams{Undo: undo.Undo}); kindOf(err) != protocol.KindInvalidParams {
		t.Errorf("taken back twice: got %v, want an error of the kind %q", err, protocol.KindInvalidParams)
	}
}

// TestKeeper_returned: a server that went back to what was approved is asked
// nothing, and what the user says of it then counts.
func TestKeeper_returned(t *testing.T) {
	t.Parallel()
	k := open(t, "")
	first, second := described("send", "Sends."), widened("send")
	for _, raw := range []json.RawMessage{first, second} {
		k.says("", "mail", raw)
		k.approveAll("", "mail")
	}
	now := k.says("", "mail", first)
	k.expect(now, "send", protocol.LockApproved, false)
	if len(k.List().Changes) != 0 || !now.Locks["send"].Asks {
		t.Errorf("got %+v and %+v, want no change, and alwaysAllow void", k.List().Changes, now.Locks["send"])
	}
	k.Allowed(router.ToolID{Server: "mail", Tool: "send"})
	if now = k.says("", "mail", first); now.Locks["send"].Asks {
		t.Error("allowed as it is now: it still asks")
	}
	if now = k.says("", "mail", second); now.Locks["send"].State != protocol.LockApproved || !now.Locks["send"].Asks {
		t.Errorf("the other content: got %+v, want it approved, and a question", now.Locks["send"])
	}
}

// TestKeeper_Prompts: a list that ended early opens nothing, and one that was
// never told is asked for; what changes is told.
func TestKeeper_Prompts(t *testing.T) {
	t.Parallel()
	prompt := func(name, description, argument string) json.RawMessage {
		return json.RawMessage(fmt.Sprintf(`{"name":%q,"description":%q,"arguments":[{"name":%q}]}`, name, description, argument))
	}
	storage := t.TempDir()
	run(t, storage, func(k *keeper) {
		k.says("", "mail")
		k.Prompts("mail", []json.RawMessage{prompt("a", "A.", "x"), prompt("b", "B.", "x")}, true)
		k.approveAll("", "mail")
	})
	run(t, storage, func(k *keeper) {
		for _, mode := range []protocol.LockMode{protocol.LockWarn, protocol.LockEnforce} {
			k.mode = mode
			if _, listed := k.PromptHeld("mail", "a"); listed {
				t.Errorf("%s: a prompt that nobody has listed in this run is taken for listed", mode)
			}
		}
		k.mode = protocol.LockWarn
		told := k.Prompts("mail", []json.RawMessage{prompt("a", "A.", "x"), prompt("b", "B.", "y")}, true)
		if len(told) != 1 {
			t.Errorf("got %s, want the one that did not change", told)
		}
		for name, list := range map[string][]json.RawMessage{"cut": {prompt("a", "A.", "x")}, "failed": nil} {
			k.Prompts("mail", list, false)
			if cause, listed := k.PromptHeld("mail", "b"); cause.Kind != protocol.CauseChanged || !listed {
				t.Errorf("a list that %s: b is held by %q, want %q", name, cause.Kind, protocol.CauseChanged)
			}
		}
		if !slices.ContainsFunc(k.events, func(e toollock.Event) bool {
			return e.Action == toollock.Changed && slices.Equal(e.Names, []string{"prompt:b"})
		}) {
			t.Errorf("got %+v, want the change told", k.events)
		}
		told = k.Prompts("mail", []json.RawMessage{prompt("a", "Another A.", "x")}, true)
		if len(told) != 1 || !strings.Contains(string(told[0]), `"A."`) {
			t.Errorf("other words: got %s, want the locked ones", told)
		}
		if _, listed := k.PromptHeld("mail", "b"); listed {
			t.Error("a prompt that is gone is taken for listed")
		}
		k.mode = protocol.LockEnforce
		k.Prompts("mail", []json.RawMessage{prompt("a", "A.", "x"), prompt("c", "C.", "x")}, true)
		for name, want := range map[string]protocol.CauseKind{"a": "", "c": protocol.CauseUnlisted, "none": protocol.CauseUnlisted} {
			if cause, _ := k.PromptHeld("mail", name); cause.Kind != want {
				t.Errorf("enforced: %s is held by %q, want %q", name, cause.Kind, want)
			}
		}
	})
}
