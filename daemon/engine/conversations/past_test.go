package conversations

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// titles lists tasks by the beginnings of their chats.
func titles(all []protocol.TaskSummary) string {
	var titles []string
	for i := range all {
		titles = append(titles, all[i].Title)
	}
	return strings.Join(titles, " ")
}

// TestPast: the chats of earlier sessions are listed by their first words for as long
// as their files are there, the one used last at the end; which of them is open is a
// guess until the client writes one of them.
func TestPast(t *testing.T) {
	t.Parallel()
	chats, store := t.TempDir(), Files{Dir: t.TempDir()}
	file := func(id string, at time.Time) string {
		path := filepath.Join(chats, id+".jsonl")
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, at, at); err != nil {
			t.Fatal(err)
		}
		return path
	}
	before := time.Now().Add(-time.Hour)
	p := beginWith(t, store, chats)
	var gone string
	var tasks []string
	for _, id := range []string{"beans", "roses", "gone"} {
		at := p.route(t, Request{ID: id, Messages: messages("s " + "u" + id), Message: "water the " + id})
		p.Keep(at.Task, &protocol.TaskState{Version: 1, Task: at.Task, Turn: 1, Window: 1, Routing: protocol.AttachDynamic},
			&protocol.TaskSummary{Task: at.Task, Turn: 1, TaskFacts: protocol.TaskFacts{Title: id}})
		gone = file(id, before)
		tasks = append(tasks, at.Task)
	}
	if got := titles(p.Past()); got != "" {
		t.Errorf("%q are open, and listed as past", got)
	}
	p.end(t)
	used := before.Add(-time.Hour)
	kept, err := store.folder().List()
	if err != nil || len(kept) != 3 {
		t.Fatalf("%d conversations are kept, %v", len(kept), err)
	}
	for i, name := range []string{"beans", "roses", "gone"} { // as if used in this order
		if err := os.Chtimes(store.folder().Path(nameOfChat(t, store, name)), used, used.Add(time.Duration(i)*time.Minute)); err != nil {
			t.Fatal(err)
		}
	}
	p = beginWith(t, store, chats)
	if got := titles(p.Past()); got != "beans roses gone" {
		t.Errorf("past are %q", got)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if got := titles(p.Past()); got != "beans roses" {
		t.Errorf("after a chat was deleted past are %q", got)
	}
	if got, ok := p.Current(); !ok || got.Title != "roses" || !got.Guess || !got.Past || got.At == 0 {
		t.Errorf("the open chat is guessed to be %+v", got)
	}
	file("beans", time.Now().Add(time.Second)) // written in this session
	if got, ok := p.Current(); !ok || got.Title != "beans" || got.Guess {
		t.Errorf("the open chat is %+v", got)
	}
	if task, facts, ok := p.Recall(tasks[0]); !ok || task.ID != tasks[0] || facts.Title != "beans" {
		t.Errorf("recalled: %+v, %+v, %t", task, facts, ok)
	}
	at := p.route(t, Request{ID: "beans", Messages: messages("s ubeans a1 u2"), Message: "and now?"})
	if at.Task != tasks[0] || titles(p.Past()) != "roses" {
		t.Errorf("the chat goes on with %q; past are %q", at.Task, titles(p.Past()))
	}
	if done, err := p.ForgetPast(tasks[1]); !done || err != nil || titles(p.Past()) != "" {
		t.Errorf("forgotten: %t, %v; past are %q", done, err, titles(p.Past()))
	}
	if _, _, ok := p.Recall(tasks[1]); ok {
		t.Error("a task that was forgotten is recalled")
	}
}

// notYet is a store that has deleted nothing yet.
type notYet struct{ Files }

func (notYet) Delete(string) error { return nil }

// TestPast_closed: a task that was closed is no past one while what is kept of it
// waits to be deleted.
func TestPast_closed(t *testing.T) {
	t.Parallel()
	chats, store := t.TempDir(), Files{Dir: t.TempDir()}
	if err := os.WriteFile(filepath.Join(chats, "beans.jsonl"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	p := beginWith(t, store, chats)
	at := p.route(t, Request{ID: "beans", Messages: messages("s ubeans"), Message: "water the beans"})
	p.Keep(at.Task, &protocol.TaskState{Version: 1, Task: at.Task, Turn: 1, Window: 1, Routing: protocol.AttachDynamic},
		&protocol.TaskSummary{Task: at.Task, Turn: 1, TaskFacts: protocol.TaskFacts{Title: "beans"}})
	p.end(t)
	p = beginWith(t, notYet{store}, chats)
	if again := p.route(t, Request{ID: "beans", Messages: messages("s ubeans a1 u2"), Message: "and now?"}); again.Task != at.Task {
		t.Fatalf("the chat goes on with %q, want %q", again.Task, at.Task)
	}
	p.open = nil
	p.Forget(at.Task)
	if got, ok := p.Current(); ok || titles(p.Past()) != "" {
		t.Errorf("after it was closed the open chat is %+v, past are %q", got, titles(p.Past()))
	}
}

// nameOfChat returns the name of the file that keeps a chat's conversation.
func nameOfChat(t *testing.T, store Files, id string) string {
	t.Helper()
	kept, err := store.folder().List()
	if err != nil {
		t.Fatal(err)
	}
	for _, blob := range kept {
		if data, err := store.Load(blob.Name); err == nil && strings.Contains(string(data), `"`+id+`"`) {
			return blob.Name
		}
	}
	t.Fatalf("nothing is kept of %s", id)
	return ""
}
