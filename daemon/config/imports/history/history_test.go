package history

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/protocol"
)

const mcpJSON = `{ "servers": { "files": { "command": "npx" }, "stays": { "command": "x" } } }`

// world is a folder with a file of VS Code's, from which a server is moved.
type world struct {
	t       *testing.T
	dir     string
	history History
}

func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t, t.TempDir(), History{}}
	w.history = In(filepath.Join(w.dir, "config"))
	return w
}

func (w *world) path(name string) string { return filepath.Join(w.dir, filepath.FromSlash(name)) }

func (w *world) write(name, text string, mode fs.FileMode) {
	w.t.Helper()
	if err := os.MkdirAll(filepath.Dir(w.path(name)), 0o755); err != nil {
		w.t.Fatal(err)
	}
	if err := os.WriteFile(w.path(name), []byte(text), mode); err != nil {
		w.t.Fatal(err)
	}
	if err := os.Chmod(w.path(name), mode); err != nil { // whatever the umask
		w.t.Fatal(err)
	}
}

func (w *world) text(name string) string {
	w.t.Helper()
	data, err := os.ReadFile(w.path(name))
	if err != nil {
		w.t.Fatal(err)
	}
	return string(data)
}

// move moves server files from one file to another, and records it.
func (w *world) move(from, to string, at int64) Record {
	w.t.Helper()
	own, err := read(w.path(to))
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := imports.New(imports.Request{
		Source: imports.Source{Path: w.path(from), Dialect: config.VSCode, Target: w.path(to)},
		Text:   w.text(from), Own: own, Servers: []string{"files"},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	r, err := w.history.Apply(p, []protocol.ImportSetting{{Name: "gateway", After: true}}, time.Unix(at, 0))
	if err != nil {
		w.t.Fatal(err)
	}
	return r
}

func (w *world) ids() []string {
	w.t.Helper()
	records, broken, err := w.history.List()
	if err != nil || len(broken) > 0 {
		w.t.Errorf("list: %v, broken %v", err, broken)
	}
	ids := []string{}
	for _, r := range records {
		ids = append(ids, r.ID)
	}
	return ids
}

// TestHistory: a backup for the user only, both files written, and undone.
func TestHistory(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("mcp.json", mcpJSON, 0o600)
	r := w.move("mcp.json", "deep/winnow.json", 0)
	dir := "config/imports/1970-01-01T00-00-00.000000000Z"
	for _, file := range []string{dir + "/backup of mcp.json", dir + "/record.json"} {
		info, err := os.Stat(w.path(file))
		if err != nil {
			t.Fatal(err)
		}
		if mode := info.Mode().Perm(); runtime.GOOS != "windows" && mode != 0o600 {
			t.Errorf("%s has mode %v, want 0600", file, mode)
		}
	}
	if got := w.text(dir + "/backup of mcp.json"); got != mcpJSON {
		t.Errorf("the backup holds %s", got)
	}
	if found, err := w.history.Find(r.ID); err != nil || len(found.Settings) != 1 || found.Settings[0].After != true {
		t.Errorf("found %+v, %v", found.Settings, err)
	}
	if err := w.history.UndoAll(); err != nil {
		t.Fatal(err)
	}
	if got := w.text("mcp.json"); got != mcpJSON {
		t.Errorf("undone, VS Code's file is %s", got)
	}
	if _, err := os.Stat(w.path("deep/winnow.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the file that the move had made is there: %v", err)
	}
	if ids := w.ids(); len(ids) > 0 {
		t.Errorf("undone, and still kept: %q", ids)
	}
}

// TestHistory_undoneOnce: a move that was undone is not undone again, because
// the servers may have been moved anew since.
func TestHistory_undoneOnce(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("from", mcpJSON, 0o600)
	first := w.move("from", "to", 0)
	if err := w.history.UndoAll(); err != nil {
		t.Fatal(err)
	}
	second := w.move("from", "to", 1)
	if _, err := w.history.Find(first.ID); !errors.Is(err, ErrUnknown) {
		t.Errorf("found the first move: %v", err)
	}
	if ids := w.ids(); !slices.Equal(ids, []string{second.ID}) {
		t.Errorf("kept %q, want %q", ids, second.ID)
	}
	for _, id := range []string{"", ".", "..", "../../from", first.ID + "/.."} {
		if _, err := w.history.Find(id); !errors.Is(err, ErrUnknown) {
			t.Errorf("found %q: %v", id, err)
		}
		if err := w.history.Forget(id); !errors.Is(err, ErrUnknown) {
			t.Errorf("forgot %q: %v", id, err)
		}
	}
}

// TestUndoAll_modes: a file keeps its mode, and one that is put back where none
// is left is the user's alone.
func TestUndoAll_modes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	w := newWorld(t)
	w.write("open", mcpJSON, 0o664)
	w.write("there", "{}", 0o644)
	w.write("gone", mcpJSON, 0o644)
	w.move("open", "there", 0)
	w.move("gone", "new", 1)
	if err := os.Remove(w.path("gone")); err != nil {
		t.Fatal(err)
	}
	if err := w.history.UndoAll(); err != nil {
		t.Fatal(err)
	}
	w.modes(map[string]fs.FileMode{"open": 0o664, "there": 0o644, "gone": 0o600})
}

// modes checks the permissions of files.
func (w *world) modes(want map[string]fs.FileMode) {
	w.t.Helper()
	for name, mode := range want {
		info, err := os.Stat(w.path(name))
		if err != nil {
			w.t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != mode {
			w.t.Errorf("%s has mode %v, want %v", name, got, mode)
		}
	}
}

// TestApply_modes: nobody reads what is moved who could not read it before; a
// file that is made is the user's alone, and one that had less keeps that.
func TestApply_modes(t *testing.T) {
	t.Parallel()
	if runtime.GOOS == "windows" {
		t.Skip("files have no modes")
	}
	w := newWorld(t)
	w.write("private", mcpJSON, 0o600)
	w.write("open", "{}", 0o664)
	w.write("shared", mcpJSON, 0o644)
	w.write("less", "{}", 0o600)
	w.move("private", "open", 0)
	w.move("shared", "less", 1)
	w.write("shared too", mcpJSON, 0o644)
	w.move("shared too", "made", 2)
	w.modes(map[string]fs.FileMode{"private": 0o600, "open": 0o600, "shared": 0o644, "less": 0o600, "made": 0o600})
}

// TestApply_fails: a move of which nothing could be written leaves the source
// as it is, and no record.
func TestApply_fails(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("from", mcpJSON, 0o600)
	w.write("file", "", 0o600)
	p, err := imports.New(imports.Request{
		Source: imports.Source{Path: w.path("from"), Dialect: config.VSCode, Target: w.path("file/below a file")},
		Text:   mcpJSON, Servers: []string{"files"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.history.Apply(p, nil, time.Unix(0, 0)); err == nil {
		t.Error("it was applied")
	}
	if got := w.text("from"); got != mcpJSON {
		t.Errorf("the source is %s", got)
	}
	if ids := w.ids(); len(ids) > 0 {
		t.Errorf("kept %q", ids)
	}
}

// TestUndoAll_link: a file behind a link is written, and the link stays.
func TestUndoAll_link(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("dotfile", mcpJSON, 0o600)
	if err := os.Symlink("dotfile", w.path("linked")); err != nil {
		t.Skipf("no symbolic links: %v", err)
	}
	w.move("linked", "new", 0)
	if got := w.text("dotfile"); got == mcpJSON {
		t.Error("the file behind the link was not written")
	}
	if err := w.history.UndoAll(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(w.path("linked")); err != nil || info.Mode()&fs.ModeSymlink == 0 {
		t.Errorf("the link is %v, %v", info, err)
	}
	if got := w.text("dotfile"); got != mcpJSON {
		t.Errorf("undone, the file behind the link is %s", got)
	}
}

// TestHistory_broken: a record that cannot be read hides no other, and is told.
func TestHistory_broken(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	w.write("from", mcpJSON, 0o600)
	made := w.move("from", "to", 0)
	whole, err := json.Marshal(made)
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range map[string]string{
		"1": string(whole[:99]), "2": strings.Replace(string(whole), `"version":2`, `"version":1`, 1), "3": "null", "30": `{"version":2}`,
	} {
		w.write("config/imports/"+id+"/record.json", text, 0o600)
	}
	if err := os.Mkdir(w.path("config/imports/4"), 0o700); err != nil { // cut off before anything was moved
		t.Fatal(err)
	}
	records, broken, err := w.history.List()
	if err != nil || len(records) != 1 || records[0].ID != made.ID {
		t.Errorf("records %v, %v", records, err)
	}
	var got []string
	for _, b := range broken {
		got = append(got, filepath.Base(b.Dir)+": "+b.Reason.Error())
	}
	want := []string{
		"30: something is missing in it",
		"3: it is of version 0, and this Winnow reads version 2 only",
		"2: it is of version 1, and this Winnow reads version 2 only",
		"1: read the record: the JSON is cut short",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if err := w.history.UndoAll(); err == nil || strings.Count(err.Error(), "\n") != 3 {
		t.Errorf("undoing told %v, want the four broken ones", err)
	}
	if got := w.text("from"); got != mcpJSON {
		t.Errorf("the good one was not undone: %s", got)
	}
}
