package config

import "github.com/fsnotify/fsnotify"

// notifier reports changes in a set of folders. It is an interface so that polling can
// replace it.
type notifier interface {
	// Add watches a folder, which must exist.
	Add(dir string) error
	// Remove stops watching a folder.
	Remove(dir string) error
	// WatchList lists the watched folders. A deleted or renamed folder is removed
	// automatically.
	WatchList() []string
	// Events and Errors are closed by Close.
	Events() <-chan fsnotify.Event
	Errors() <-chan error
	Close() error
}

// systemNotifier uses the operating system's notifications.
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
