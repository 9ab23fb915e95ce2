package config

// follow watches the folders that matter now, and no others.
func (w *Watcher) follow() {
	if w.notifier == nil {
		return
	}
	for range maxQuiets { // a folder can appear while one above it is added
		p := placesOf(w.disk.paths())
		w.names.Store(&p.names)
		if !w.watch(p.dirs) {
			return
		}
	}
}

// watch adds and removes folders, and reports whether it added one.
func (w *Watcher) watch(dirs map[string]bool) (added bool) {
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
			added = true
			delete(w.failed, dir)
		} else if !isAbsent(err) && !w.failed[dir] {
			w.failed[dir] = true
			w.options.Log.Warn("a configuration folder is polled: cannot watch it", "folder", dir, "error", err, "every", w.options.Poll)
		}
	}
	return added
}
