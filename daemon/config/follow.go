package config

// maxFollows bounds how often folders that come and go while they are being
// watched are looked for again. Each time is a folder further up or down, so
// that it is more than the folders of a tree that is being removed.
const maxFollows = 32

// follow watches the folders that matter now, and no others. A folder can appear
// while the one above it is added, and go before it is added itself: only when a
// look finds all folders watched already is nothing missed from then on.
func (w *Watcher) follow() {
	if w.notifier == nil {
		return
	}
	for range maxFollows {
		p := placesOf(w.disk.paths())
		w.names.Store(&p.names)
		if !w.watch(p.dirs) {
			return
		}
	}
}

// watch adds and removes folders, and reports whether the folders that matter may
// be others now: it added one, or one was gone.
func (w *Watcher) watch(dirs map[string]bool) (again bool) {
	watched := map[string]bool{}
	for _, dir := range w.notifier.WatchList() {
		watched[dir] = true
		if !dirs[dir] {
			// It may be gone already, which is as good.
			_ = w.notifier.Remove(dir)
		}
	}
	for dir := range dirs {
		if watched[dir] {
			continue
		}
		err := w.notifier.Add(dir)
		if err == nil {
			again = true
			delete(w.failed, dir)
		} else if isAbsent(err) {
			again = true
		} else if !w.failed[dir] {
			w.failed[dir] = true
			w.options.Log.Warn("a configuration folder is polled: cannot watch it", "folder", dir, "error", err, "every", w.options.Poll)
		}
	}
	return again
}
