package config

import (
	"bytes"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/fsnotify/fsnotify"
)

// fakeNotifier tells of what a test makes it tell.
type fakeNotifier struct {
	events chan fsnotify.Event
	errs   chan error
	addErr error
}

func newFakeNotifier() *fakeNotifier {
	return &fakeNotifier{events: make(chan fsnotify.Event), errs: make(chan error)}
}

func (n *fakeNotifier) Add(string) error              { return n.addErr }
func (n *fakeNotifier) Remove(string) error           { return nil }
func (n *fakeNotifier) WatchList() []string           { return nil }
func (n *fakeNotifier) Events() <-chan fsnotify.Event { return n.events }
func (n *fakeNotifier) Errors() <-chan error          { return n.errs }

func (n *fakeNotifier) Close() error {
	close(n.events)
	close(n.errs)
	return nil
}

// watchFake follows one file in a bubble of synctest.
func watchFake(t *testing.T, n notifier, err error, log *slog.Logger) (*Watcher, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "winnow.json")
	writeText(t, path, one("start"))
	w := NewWatcher([]Source{{Path: path, Dialect: Winnow}}, WatchOptions{
		Log: log, newNotifier: func() (notifier, error) { return n, err },
	})
	t.Cleanup(func() {
		if err := w.Close(); err != nil {
			t.Error(err)
		}
	})
	<-w.Changed()
	return w, path
}

func writeText(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// isChanged reports whether there is news now.
func isChanged(w *Watcher) bool {
	synctest.Wait()
	select {
	case <-w.Changed():
		return true
	default:
		return false
	}
}

// TestWatcher_PollsAlone: without notifications a change is seen at the next
// poll, and the log says why it takes so long.
func TestWatcher_PollsAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		w, path := watchFake(t, nil, errors.New("too many open files"), slog.New(slog.NewTextHandler(&log, nil)))
		if !strings.Contains(log.String(), "too many open files") {
			t.Errorf("log: %s", &log)
		}
		writeText(t, path, one("longer than before"))
		if isChanged(w) {
			t.Error("seen before the poll")
		}
		time.Sleep(DefaultPoll)
		if !isChanged(w) || servers(w.Files()) != "winnow.json longer than before" {
			t.Errorf("not seen at the poll: %s", servers(w.Files()))
		}
		time.Sleep(10 * DefaultPoll)
		if isChanged(w) {
			t.Error("polling made news of nothing")
		}
	})
}

// TestWatcher_CannotWatchFolder: one warning for a folder, and polling.
func TestWatcher_CannotWatchFolder(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		n := newFakeNotifier()
		n.addErr = errors.New("no space left on device")
		w, path := watchFake(t, n, nil, slog.New(slog.NewTextHandler(&log, nil)))
		writeText(t, path, one("longer than before"))
		time.Sleep(3 * DefaultPoll)
		if !isChanged(w) {
			t.Error("not seen by polling")
		}
		if n := strings.Count(log.String(), "cannot watch it"); n != 1 {
			t.Errorf("%d warnings: %s", n, &log)
		}
	})
}

// TestWatcher_Overflow: lost events mean that everything is read again, also a
// file of the same size and time.
func TestWatcher_Overflow(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNotifier()
		w, path := watchFake(t, n, nil, nil)
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		writeText(t, path, one("other"))
		if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
			t.Fatal(err)
		}
		n.errs <- fsnotify.ErrEventOverflow
		time.Sleep(DefaultQuiet)
		if !isChanged(w) || servers(w.Files()) != "winnow.json other" {
			t.Errorf("files %s", servers(w.Files()))
		}
	})
}

// TestWatcher_Quiet: a burst of changes is read once, when it is over or has
// lasted long; events of other files do not count; a save of the same content
// is no news.
func TestWatcher_Quiet(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		n := newFakeNotifier()
		w, path := watchFake(t, n, nil, nil)
		event := fsnotify.Event{Name: path, Op: fsnotify.Write}

		writeText(t, path, one("a"))
		n.events <- event
		time.Sleep(DefaultQuiet - time.Nanosecond)
		n.events <- event
		time.Sleep(DefaultQuiet - time.Nanosecond)
		if isChanged(w) {
			t.Error("read in the middle of a burst")
		}
		time.Sleep(time.Nanosecond)
		if !isChanged(w) {
			t.Error("not read after the burst")
		}

		writeText(t, path, one("b"))
		start := time.Now()
		for !isChanged(w) {
			n.events <- event
			time.Sleep(DefaultQuiet / 2)
			if time.Since(start) > time.Second {
				t.Fatal("a file that changes all the time was not read within a second")
			}
		}

		n.events <- event
		time.Sleep(time.Second)
		writeText(t, path, one("c"))
		n.events <- fsnotify.Event{Name: path + ".swp", Op: fsnotify.Create}
		time.Sleep(2 * DefaultQuiet)
		if isChanged(w) {
			t.Error("news without a change of the file")
		}
	})
}
