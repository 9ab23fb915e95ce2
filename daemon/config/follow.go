package config

// maxFollows bounds how often changing folders are searched again while watches are
// added. Each time is one folder further up or down, so it exceeds the depth of a tree
// that is being removed.
const maxFollows = 32

// follow watches the folders that matter now, and no others. A folder can appear while
// its parent is being added, and vanish before it is added. Only when a search finds all
// folders already watched is nothing missed from then on.
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

// watch adds and removes folders. It reports whether the relevant folders may have
// changed, because it added one or one was gone.
func (w *Watcher) watch(dirs map[string]bool) (again bool) {
	watched := map[string]bool{}
	for _, dir := range w.notifier.WatchList() {
		watched[dir] = true
		if !dirs[dir] {
			// It may be gone already.
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
