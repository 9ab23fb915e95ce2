package config

import "github.com/fsnotify/fsnotify"

// notifier tells that something in one of some folders changed. It is an
// interface so that polling alone can replace it.
type notifier interface {
	// Add watches a folder, which must exist.
	Add(dir string) error
	// Remove stops watching a folder.
	Remove(dir string) error
	// WatchList lists what is watched. A folder that was deleted or renamed
	// drops out by itself.
	WatchList() []string
	// Events and Errors are closed by Close.
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

// systemNotifier is the operating system's own.
type systemNotifier struct{ *fsnotify.Watcher }

func newSystemNotifier() (notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	return systemNotifier{w}, nil
}

// Events implements [notifier].
func (n systemNotifier) Events() <-chan fsnotify.Event { return n.Watcher.Events }

// Errors implements [notifier].
func (n systemNotifier) Errors() <-chan error { return n.Watcher.Errors }
