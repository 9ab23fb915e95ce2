package config

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"
)

// Defaults for [WatchOptions].
const (
	// DefaultQuiet is long enough for an editor to finish a save.
	DefaultQuiet = 120 * time.Millisecond
	// DefaultPoll is the polling interval for files without change notifications, as on
	// network mounts.
	DefaultPoll = 3 * time.Second
)

// maxQuiets limits the quiet periods by which a constantly changing file can delay
// reading.
const maxQuiets = 4

// ErrClosed is returned by a closed [Watcher].
var ErrClosed = errors.New("the configuration is no longer watched")

// WatchOptions configures a [Watcher].
type WatchOptions struct {
	// Quiet is how long nothing must change before files are read; 0 means DefaultQuiet.
	Quiet time.Duration
	// Poll is the polling interval; 0 means DefaultPoll.
	Poll time.Duration
	// Log receives errors of watching; nil discards them.
	Log *slog.Logger

	// newNotifier replaces the operating system's notifications in tests.
	newNotifier func() (notifier, error)
}

// Watcher owns the files of some sources. It reads them, re-reads them when they change,
// and edits them, all in one goroutine, so that an edit and a change cannot interfere.
// Call Close when done.
//
// It compares content by hash, so neither a save without a change nor its own edit counts
// as a change.
type Watcher struct {
	options  WatchOptions
	notifier notifier // nil when only polling is left

	// disk belongs to the run goroutine, and before that starts to NewWatcher.
	disk *disk
	// failed holds the folders that cannot be watched, so that each is logged once. It
	// belongs to the run goroutine.
	failed map[string]bool

	current atomic.Pointer[[]File]
	names   atomic.Pointer[map[string]bool] // see places.names

	dirty    chan struct{} // something may have changed; capacity one
	changed  chan struct{} // see Changed; capacity one
	requests chan func()   // work for the run goroutine
	quit     chan struct{} // closed by Close
	closing  sync.Once
	running  sync.WaitGroup
}

// NewWatcher reads all sources and starts to watch them. It always succeeds: without
// change notifications, files are polled.
func NewWatcher(sources []Source, o WatchOptions) *Watcher {
	w := &Watcher{
		options: o.withDefaults(),
		disk:    newDisk(),
		failed:  map[string]bool{},
		dirty:   make(chan struct{}, 1), changed: make(chan struct{}, 1),
		requests: make(chan func()), quit: make(chan struct{}),
	}
	n, err := w.options.newNotifier()
	if err != nil {
		w.options.Log.Warn("configuration files are polled: cannot watch for changes", "error", err, "every", w.options.Poll)
	} else {
		w.notifier = n
		w.running.Go(w.drain)
	}
	w.disk.use(sources)
	w.look(true)
	w.publish()
	w.running.Go(w.run)
	return w
}

func (o WatchOptions) withDefaults() WatchOptions {
	if o.Quiet <= 0 {
		o.Quiet = DefaultQuiet
	}
	if o.Poll <= 0 {
		o.Poll = DefaultPoll
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.newNotifier == nil {
		o.newNotifier = newSystemNotifier
	}
	return o
}

// Files returns the current content of the existing files, in order of precedence.
// Callers must not modify it.
func (w *Watcher) Files() []File { return *w.current.Load() }

// Changed returns a channel that receives after Files changed, at least once after the
// last change. It is never closed.
func (w *Watcher) Changed() <-chan struct{} { return w.changed }

// SetSources switches to other sources, and reads them before it returns.
func (w *Watcher) SetSources(ctx context.Context, sources []Source) error {
	return w.do(ctx, func() {
		sweepCopies(sources)
		w.disk.use(sources)
		w.look(true)
		w.publish()
	})
}

// Edit changes a file and returns the result, which is in Files when it returns. On an
// error the file is unchanged.
func (w *Watcher) Edit(ctx context.Context, e Edit) (made Change, err error) {
	var editErr error
	err = w.do(ctx, func() {
		if made, editErr = e.write(); editErr == nil && w.look(true) {
			w.publish()
		}
	})
	return made, errors.Join(err, editErr)
}

// Close stops watching and waits until that is done.
func (w *Watcher) Close() error {
	var err error
	w.closing.Do(func() {
		close(w.quit)
		if w.notifier != nil {
			err = w.notifier.Close()
		}
	})
	w.running.Wait()
	return err
}

// do runs f in the run goroutine and waits for it.
func (w *Watcher) do(ctx context.Context, f func()) error {
	done := make(chan struct{})
	select {
	case w.requests <- func() { defer close(done); f() }:
		<-done // f works on a few small files, so it is not interrupted
		return nil
	case <-w.quit:
		return ErrClosed
	case <-ctx.Done():
		return ctx.Err()
	}
}

// drain only empties the notifier, because otherwise adding and removing folders can
// block.
func (w *Watcher) drain() {
	events, errs := w.notifier.Events(), w.notifier.Errors()
	for events != nil || errs != nil {
		select {
		case event, ok := <-events:
			if !ok {
				events = nil
			} else if names := w.names.Load(); names == nil || (*names)[event.Name] {
				signal(w.dirty)
			}
		case err, ok := <-errs:
			if !ok {
				errs = nil
				continue
			}
			// Events were probably lost, so check everything.
			w.options.Log.Debug("watching configuration files", "error", err)
			signal(w.dirty)
		}
	}
}

// run reads files after changes and executes requests.
func (w *Watcher) run() {
	poll := time.NewTicker(w.options.Poll)
	defer poll.Stop()
	var burst burst
	for {
		select {
		case <-w.quit:
			return
		case f := <-w.requests:
			f()
		case <-w.dirty:
			burst.extend(w.options.Quiet)
		case <-burst.over:
			burst.end()
			w.update(true)
		case <-poll.C:
			if burst.over == nil { // otherwise a save is in progress
				w.update(false)
			}
		}
	}
}

// update checks the files and signals a change.
func (w *Watcher) update(all bool) {
	if w.look(all) {
		w.publish()
	}
}

// look updates the watched folders and then reads the files. The order matters: changes
// after a folder is watched are notified, and earlier ones are read.
func (w *Watcher) look(all bool) (changed bool) {
	w.follow()
	return w.disk.scan(all)
}

// publish makes the disk's content current.
func (w *Watcher) publish() {
	files := w.disk.snapshot()
	w.current.Store(&files)
	signal(w.changed)
}

// signal sends to a channel of capacity one without blocking.
func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}
