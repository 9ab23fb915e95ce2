package config

import (
	"io/fs"
	"os"
	"path/filepath"
)

// maxLinks bounds a chain of symbolic links, as operating systems do.
const maxLinks = 10

// places are what must be watched to see every change of some files.
type places struct {
	// dirs are folders that exist. Folders and not files are watched: a watch
	// on a file goes silent when an editor replaces the file.
	dirs map[string]bool
	// names are the paths whose events matter: the files, what they are links
	// to, and every folder above them, because it can appear or go.
	names map[string]bool
}

// placesOf looks at the disk for where files are now.
func placesOf(paths []string) places {
	p := places{dirs: map[string]bool{}, names: map[string]bool{}}
	for _, path := range paths {
		p.add(filepath.Clean(path), maxLinks)
	}
	return p
}

// add adds the places of one file and of what it is a link to.
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

// watch adds a folder. The root of a file system is left to polling.
func (p places) watch(dir string) {
	if filepath.Dir(dir) != dir {
		p.dirs[dir] = true
	}
}

// nearestDir returns dir, or the nearest folder above it that exists.
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
