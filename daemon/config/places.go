package config

import (
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks bounds a chain of symbolic links, as operating systems do.
const maxLinks = 10

// places holds what must be watched to see every change of some files.
type places struct {
	// dirs holds existing folders. Folders are watched, not files, because a watch on a
	// file ends when an editor replaces the file.
	dirs map[string]bool
	// names holds the paths whose events matter: the files, the targets of links, and
	// every folder above them, which can appear or vanish.
	names map[string]bool
}

// placesOf determines the current places of files on disk.
func placesOf(paths []string) places {
	p := places{dirs: map[string]bool{}, names: map[string]bool{}}
	for _, path := range paths {
		p.add(filepath.Clean(path), maxLinks)
	}
	return p
}

// add adds the places of one file and of its link target.
func (p places) add(path string, links int) {
	dir := nearestDir(filepath.Dir(path))
	p.watch(dir)
	for name := path; filepath.Dir(name) != name; name = filepath.Dir(name) {
		p.names[name] = true
	}
	if isLink(dir) {
		p.watch(filepath.Dir(dir)) // where the link itself can be replaced
	}
	target, err := os.Readlink(path)
	if err != nil || links == 0 {
		return
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(filepath.Dir(path), target)
	}
	p.add(filepath.Clean(target), links-1)
}

// watch adds a folder. The root of a file system is only polled.
func (p places) watch(dir string) {
	if filepath.Dir(dir) != dir {
		p.dirs[dir] = true
	}
}

// nearestDir returns dir, or its nearest existing parent.
func nearestDir(dir string) string {
	for {
		info, err := os.Stat(dir)
		parent := filepath.Dir(dir)
		if err == nil && info.IsDir() || parent == dir {
			return dir
		}
		dir = parent
	}
}

func isLink(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && info.Mode()&fs.ModeSymlink != 0
}
