package config

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// workspace is a folder with a watcher on its files.
type workspace struct {
	t   *testing.T
	dir string
	*Watcher
}

// watchFolder follows .vscode/winnow.json and .mcp.json in a new folder after
// prepare ran in it. It does not poll, so that what a test sees was told.
func watchFolder(t *testing.T, prepare func(w *workspace)) *workspace {
	t.Helper()
	w := &workspace{t: t, dir: t.TempDir()}
	if prepare != nil {
		prepare(w)
	}
	w.Watcher = NewWatcher(Sources(Options{Folders: []string{w.dir}}), WatchOptions{Quiet: 10 * time.Millisecond, Poll: time.Hour})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	return w
}

func (w *workspace) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

// do fails the test on an error of a file operation.
func (w *workspace) do(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *workspace) write(name, text string) {
	w.t.Helper()
	w.do(os.MkdirAll(filepath.Dir(w.path(name)), 0o755))
	w.do(os.WriteFile(w.path(name), []byte(text), 0o644))
}

// servers lists what the files define: path's base name, and the commands.
func servers(files []File) string {
	var list []string
	for _, f := range files {
		text := filepath.Base(f.Source.Path)
		for _, e := range f.Entries {
			text += " " + e.Definition.Command
		}
		if f.Broken {
			text += " broken"
		}
		list = append(list, text)
	}
	return strings.Join(list, ", ")
}

// await waits until the files define what is wanted.
func (w *workspace) await(want string) {
	w.t.Helper()
	deadline := time.After(time.Minute)
	for servers(w.Files()) != want {
		select {
		case <-w.Changed():
		case <-deadline:
			w.t.Fatalf("the files are %q, want %q", servers(w.Files()), want)
		}
	}
}

func one(command string) string {
	return fmt.Sprintf(`{"servers": {"a": {"command": %q}}}`, command)
}

const ours = ".vscode/winnow.json"

// TestWatcher_Saves: every way in which editors and people change a file is
// seen, more than once, because some ways end a watch.
func TestWatcher_Saves(t *testing.T) {
	t.Parallel()
	saves := map[string]func(w *workspace, text string){
		"in place": func(w *workspace, text string) { w.write(ours, text) },
		"in pieces": func(w *workspace, text string) {
			f, err := os.Create(w.path(ours))
			w.do(err)
			for i := range text {
				_, err := f.WriteString(text[i : i+1])
				w.do(err)
			}
			w.do(f.Close())
		},
		"by renaming": func(w *workspace, text string) {
			w.write(ours+".tmp", text)
			w.do(os.Rename(w.path(ours+".tmp"), w.path(ours)))
		},
		"with a backup": func(w *workspace, text string) {
			w.do(os.Rename(w.path(ours), w.path(ours+"~")))
			w.write(ours, text)
		},
		"removed and made": func(w *workspace, text string) {
			w.do(os.Remove(w.path(ours)))
			w.write(ours, text)
		},
		"folder made anew": func(w *workspace, text string) {
			w.do(os.RemoveAll(w.path(".vscode")))
			w.write(ours, text)
		},
		"folder renamed": func(w *workspace, text string) {
			w.do(os.Rename(w.path(".vscode"), w.path("old"+fmt.Sprint(len(text)))))
			w.write(ours, text)
		},
		"folder moved in": func(w *workspace, text string) {
			w.write("new/winnow.json", text)
			w.do(os.RemoveAll(w.path(".vscode")))
			w.do(os.Rename(w.path("new"), w.path(".vscode")))
		},
	}
	for name, save := range saves {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if runtime.GOOS == "windows" && strings.HasPrefix(name, "folder") {
				t.Skip("Windows does not rename or remove a folder that is watched")
			}
			w := watchFolder(t, func(w *workspace) { w.write(ours, one("start")) })
			w.await("winnow.json start")
			for i := range 3 {
				command := strings.Repeat("x", i+1)
				save(w, one(command))
				w.await("winnow.json " + command)
			}
		})
	}
}

// TestWatcher_Appears: files and folders that are not there yet.
func TestWatcher_Appears(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, nil)
	w.await("")
	w.write(ours, one("x")) // with its folder, which only the folder above tells of
	w.await("winnow.json x")
	w.write(".mcp.json", `{"mcpServers": {"b": {"command": "y"}}}`)
	w.await("winnow.json x, .mcp.json y")
	w.do(os.RemoveAll(w.path(".vscode")))
	w.await(".mcp.json y")
	w.do(os.Remove(w.path(".mcp.json")))
	w.await("")
	w.write(ours, one("z"))
	w.await("winnow.json z")
}

// TestWatcher_DeepFolders: none of the folders above the file exists.
func TestWatcher_DeepFolders(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	w := &workspace{t: t, dir: dir, Watcher: NewWatcher(
		Sources(Options{UserDir: filepath.Join(dir, "a", "b", "c")}),
		WatchOptions{Quiet: 10 * time.Millisecond, Poll: time.Hour},
	)}
	defer func() { w.do(w.Close()) }()
	for _, folder := range []string{"a", "a/b", "a/b/c"} {
		w.do(os.Mkdir(w.path(folder), 0o755))
	}
	w.write("a/b/c/winnow.json", one("x"))
	w.await("winnow.json x")
	w.do(os.RemoveAll(w.path("a")))
	w.await("")
	w.write("a/b/c/winnow.json", one("y"))
	w.await("winnow.json y")
}

// removingNotifier removes a folder just before it would be watched.
type removingNotifier struct {
	notifier
	remove string
}

func (n *removingNotifier) Add(dir string) error {
	if dir == n.remove {
		n.remove = ""
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return n.notifier.Add(dir)
}

// TestWatcher_FolderGoes: a folder that goes while it is being watched leaves the
// one above it watched.
func TestWatcher_FolderGoes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("Windows does not remove a folder that is watched")
	}
	w := &workspace{t: t, dir: t.TempDir()}
	w.do(os.Mkdir(w.path("a"), 0o755))
	w.Watcher = NewWatcher(Sources(Options{UserDir: w.path("a")}), WatchOptions{
		Quiet: 10 * time.Millisecond, Poll: time.Hour,
		newNotifier: func() (notifier, error) {
			system, err := newSystemNotifier()
			return &removingNotifier{notifier: system, remove: w.path("a")}, err
		},
	})
	defer func() { w.do(w.Close()) }()
	w.write("a/winnow.json", one("x"))
	w.await("winnow.json x")
}

func TestWatcher_Links(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("symbolic links need a privilege on Windows")
	}
	t.Run("target edited", func(t *testing.T) {
		t.Parallel()
		w := watchFolder(t, func(w *workspace) {
			w.write("dotfiles/deep/real.json", one("start"))
			w.do(os.Mkdir(w.path(".vscode"), 0o755))
			w.do(os.Symlink("deep/real.json", w.path("dotfiles/hop.json")))
			w.do(os.Symlink("../dotfiles/hop.json", w.path(ours)))
		})
		w.await("winnow.json start")
		w.write("dotfiles/deep/real.json", one("edited"))
		w.await("winnow.json edited")
		w.write("dotfiles/deep/other.json", one("other"))
		w.do(os.Remove(w.path("dotfiles/hop.json")))
		w.do(os.Symlink("deep/other.json", w.path("dotfiles/hop.json")))
		w.await("winnow.json other")
		w.write("dotfiles/deep/other.json", one("again"))
		w.await("winnow.json again")
	})
	t.Run("folder is a link", func(t *testing.T) {
		t.Parallel()
		w := watchFolder(t, func(w *workspace) {
			w.write("one/winnow.json", one("one"))
			w.write("two/winnow.json", one("two"))
			w.do(os.Symlink("one", w.path(".vscode")))
		})
		w.await("winnow.json one")
		w.write("one/winnow.json", one("edited"))
		w.await("winnow.json edited")
		w.do(os.Remove(w.path(".vscode")))
		w.do(os.Symlink("two", w.path(".vscode")))
		w.await("winnow.json two")
	})
	t.Run("target appears", func(t *testing.T) {
		t.Parallel()
		w := watchFolder(t, func(w *workspace) {
			w.do(os.Mkdir(w.path(".vscode"), 0o755))
			w.do(os.Symlink(w.path("later/real.json"), w.path(ours)))
		})
		w.await("")
		w.write("later/real.json", one("x"))
		w.await("winnow.json x")
	})
}

// TestWatcher_LastGood: a broken file keeps what it said, and says what is wrong.
func TestWatcher_LastGood(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, one("good")) })
	for _, text := range []string{"{\n  \"servers\": {,", "", "\xff\xfe", strings.Repeat(" ", maxFileSize+1)} {
		w.write(ours, text)
		w.await("winnow.json good broken")
		p := w.Files()[0].Problems
		if len(p) != 1 || p[0].Path != w.path(ours) || !strings.Contains(p[0].Hint, "stays in effect") {
			t.Errorf("problems %v", p)
		}
		w.write(ours, one("good"))
		w.await("winnow.json good")
		if p := w.Files()[0].Problems; len(p) > 0 {
			t.Errorf("problems of a good file: %v", p)
		}
	}
	if runtime.GOOS == "windows" {
		return // a link needs a privilege there
	}
	// At once: without a file for a moment, there would be nothing to keep.
	w.do(os.Symlink(w.dir, w.path("folder")))
	w.do(os.Rename(w.path("folder"), w.path(ours)))
	w.await("winnow.json good broken")
	if p := w.Files()[0].Problems[0]; p.Message != "this is not a file" {
		t.Errorf("a folder in the file's place: %v", p)
	}
}

// TestWatcher_NeverGood: a file that was broken from the start has nothing, and
// its place.
func TestWatcher_NeverGood(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, "{\n  \"a\" 1}") })
	w.await("winnow.json broken")
	if p := w.Files()[0].Problems[0]; p.Line != 2 || p.Column != 7 || strings.Contains(p.Hint, "before") {
		t.Errorf("got %v", p)
	}
}

func TestWatcher_Unreadable(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" || os.Getuid() == 0 {
		t.Skip("permissions do not apply here")
	}
	w := watchFolder(t, func(w *workspace) { w.write(ours, one("good")) })
	w.do(os.Chmod(w.path(ours), 0))
	w.await("winnow.json good broken")
	w.do(os.Chmod(w.path(ours), 0o644))
	w.await("winnow.json good")
}

// edit makes a change that must succeed.
func (w *workspace) edit(e Edit) Change {
	w.t.Helper()
	made, err := w.Edit(w.t.Context(), e)
	w.do(err)
	return made
}

// TestWatcher_EditsAtOnce: each of several edits at the same time says what the
// file held just before it, so that undoing one cannot undo another.
func TestWatcher_EditsAtOnce(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, one("x")) })
	s := Merge(w.Files(), MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Servers[0]
	const edits = 8
	made := make(chan Change, edits)
	for i := range edits {
		go func() {
			c, err := w.Edit(t.Context(), SetToolEnabled(s, fmt.Sprint("t", i), false))
			if err != nil {
				t.Error(err)
			}
			made <- c
		}()
	}
	after := map[string]string{}
	for range edits {
		c := <-made
		after[string(c.Before)] = string(c.After)
	}
	text := one("x")
	for range edits {
		text = after[text]
	}
	if data, err := os.ReadFile(w.path(ours)); err != nil || string(data) != text || strings.Count(text, `"t`) != edits {
		t.Errorf("the edits lead to %q, the file holds %q (%v)", text, data, err)
	}
}

// TestWatcher_Edit: an edit is in Files at once, on disk, and no news later.
func TestWatcher_Edit(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, one("x")+" // kept") })
	w.await("winnow.json x")
	s := Merge(w.Files(), MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Servers[0]
	if made := w.edit(SetToolEnabled(s, "t", false)); string(made.Before) != one("x")+" // kept" || !made.Any() {
		t.Errorf("the edit found %q", made.Before)
	}
	if again := w.edit(SetToolEnabled(s, "t", false)); again.Any() {
		t.Errorf("the same edit again made %q", again.After)
	}
	if got := w.Files()[0].Entries[0].Policy.DisabledTools; len(got) != 1 || got[0] != "t" {
		t.Errorf("disabledTools %q right after the edit", got)
	}
	data, err := os.ReadFile(w.path(ours))
	if want := `{"servers": {"a": {"command": "x", "disabledTools": ["t"]}}} // kept`; err != nil || string(data) != want {
		t.Errorf("the file holds %s, %v", data, err)
	}
	<-w.Changed()
	// The next news is the next change, and not the edit. It comes at once: a file
	// that is being written may be read empty.
	before := w.current.Load()
	w.write("whole", `{"mcpServers": {"b": {"command": "y"}}}`)
	w.do(os.Rename(w.path("whole"), w.path(".mcp.json")))
	<-w.Changed()
	if w.current.Load() == before || servers(w.Files()) != "winnow.json x, .mcp.json y" {
		t.Errorf("the edit was taken for news: %s", servers(w.Files()))
	}
}

func TestWatcher_EditFails(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) { w.write(ours, "{") })
	s := Server{Name: "a", Origin: Origin{Source: Sources(Options{Folders: []string{w.dir}})[0]}}
	if _, err := w.Edit(t.Context(), SetServerEnabled(s, false)); err == nil || !strings.Contains(err.Error(), w.path(ours)) {
		t.Errorf("edited a broken file: %v", err)
	}
	if data, err := os.ReadFile(w.path(ours)); err != nil || string(data) != "{" {
		t.Errorf("the broken file holds %s, %v", data, err)
	}
}

// TestWatcher_EditMakesFile: policy for a host's server needs a file of ours,
// and the folder it is in.
func TestWatcher_EditMakesFile(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, nil)
	s := Server{Name: "hosted", Origin: Origin{Source: Sources(Options{Folders: []string{w.dir}})[0]}}
	if made := w.edit(SetToolEnabled(s, "t", false)); made.Before != nil {
		t.Errorf("before there was a file it held %q", made.Before)
	}
	policy, ok := Merge(w.Files(), MergeOptions{Trusted: true, Consent: agreed, Rules: agreed}).Policy("hosted")
	if !ok || len(policy.Policy.DisabledTools) != 1 {
		t.Errorf("got %+v", w.Files())
	}
	w.write(ours, one("x"))
	w.await("winnow.json x")
}

func TestWatcher_SetSources(t *testing.T) {
	t.Parallel()
	w := watchFolder(t, func(w *workspace) {
		w.write(ours, one("x"))
		w.write("user/winnow.json", one("user"))
		w.write(".claude.json", `{"mcpServers": {"a": {"command": "all"}}, "projects": {"/w": {"mcpServers": {"a": {"command": "w"}}}}}`)
	})
	w.await("winnow.json x")
	w.do(w.SetSources(t.Context(), Sources(Options{UserDir: w.path("user"), Home: w.dir})))
	w.await("winnow.json user, .claude.json all")
	// Another part of a file that is read already.
	w.do(w.SetSources(t.Context(), Sources(Options{Folders: []string{"/w"}, Home: w.dir})))
	w.await(".claude.json w, .claude.json all")
	w.write(ours, one("unfollowed"))
	w.write(".claude.json", `{"mcpServers": {"a": {"command": "new"}}}`)
	w.await(".claude.json, .claude.json new")
}

func TestWatcher_Close(t *testing.T) {
	t.Parallel()
	w := NewWatcher(nil, WatchOptions{})
	if err := errors.Join(w.Close(), w.Close()); err != nil {
		t.Fatal(err)
	}
	if err := w.SetSources(t.Context(), nil); !errors.Is(err, ErrClosed) {
		t.Errorf("got %v", err)
	}
	if len(w.Files()) != 0 {
		t.Errorf("files %v", w.Files())
	}
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	if err := w.SetSources(cancelled, nil); err == nil {
		t.Error("no error after Close and cancel")
	}
}

// TestWatcher_SweepsCopies: what a killed edit has left beside a file of Winnow's
// own goes when the files are followed.
func TestWatcher_SweepsCopies(t *testing.T) {
	t.Parallel()
	const left = ".vscode/.winnow.json4611686018427387904"
	w := watchFolder(t, nil)
	w.write(left, "{}")
	old := time.Now().Add(-time.Hour)
	w.do(os.Chtimes(w.path(left), old, old))
	w.do(w.SetSources(t.Context(), Sources(Options{Folders: []string{w.dir}})))
	if _, err := os.Stat(w.path(left)); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the copy is still there: %v", err)
	}
}
