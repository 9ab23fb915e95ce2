package config

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
)

// disk holds the content of the sources as last read. It is not safe for concurrent use.
type disk struct {
	sources []Source
	texts   map[string]textState
	// files holds the last good content of each source whose file exists, with its
	// current problems.
	files map[Source]File
}

func newDisk() *disk {
	return &disk{texts: map[string]textState{}, files: map[Source]File{}}
}

// textState identifies a file's content.
type textState struct {
	stamp stamp
	hash  [sha256.Size]byte
}

// stamp is a file's metadata. The zero stamp is for a file that does not exist.
type stamp struct {
	exists   bool
	modified time.Time
	size     int64
	mode     fs.FileMode
}

// use replaces the sources. It keeps the data of remaining ones.
func (d *disk) use(sources []Source) {
	keep := make(map[Source]bool, len(sources))
	for _, s := range sources {
		keep[s] = true
		if _, known := d.files[s]; !known {
			delete(d.texts, s.Path) // read it, even if its other parts are known
		}
	}
	for s := range d.files {
		if !keep[s] {
			delete(d.files, s)
		}
	}
	d.sources = sources
}

// paths lists the distinct files of the sources.
func (d *disk) paths() []string {
	seen := make(map[string]bool, len(d.sources))
	var paths []string
	for _, s := range d.sources {
		if !seen[s.Path] {
			seen[s.Path] = true
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// scan reads the files again and reports whether any has changed. Unless all is set, it
// trusts an unchanged size and time.
func (d *disk) scan(all bool) bool {
	changed := false
	for _, path := range d.paths() {
		known, read := d.texts[path]
		now := stampOf(path)
		if read && !all && known.stamp == now {
			continue
		}
		content := readContent(path, d.limit(path))
		state := textState{stamp: now, hash: content.hash()}
		if !read || state.hash != known.hash {
			d.parse(path, content)
			changed = true
		}
		d.texts[path] = state
	}
	return changed
}

// parse parses the new content of a file for every source in it.
func (d *disk) parse(path string, c content) {
	for _, s := range d.sources {
		if s.Path != path {
			continue
		}
		if c.absent {
			delete(d.files, s)
			continue
		}
		d.files[s] = lastGood(d.files[s], c.file(s))
	}
}

// lastGood returns the new file or, if that is broken, the old one with the new problems.
func lastGood(old, now File) File {
	if !now.Broken || old.Entries == nil && old.Modes == nil && old.Inputs == nil {
		return now
	}
	kept := old
	kept.Broken = true
	kept.Problems = make([]Problem, 0, len(now.Problems))
	for _, p := range now.Problems {
		if p.Hint != "" {
			p.Hint += "; "
		}
		p.Hint += "until then, what the file said before stays in effect"
		kept.Problems = append(kept.Problems, p)
	}
	return kept
}

// snapshot lists the files that exist, in order of precedence.
func (d *disk) snapshot() []File {
	files := make([]File, 0, len(d.files))
	for _, s := range d.sources {
		if f, ok := d.files[s]; ok && s.Dialect != Followed {
			files = append(files, f)
		}
	}
	return files
}

// limit returns the maximum size of a file in bytes.
func (d *disk) limit(path string) int {
	for _, s := range d.sources {
		if s.Path == path {
			return sizeLimit(s.Dialect)
		}
	}
	return maxFileSize
}

// content is the result of reading a file.
type content struct {
	data    []byte
	absent  bool
	failure *syntaxError // why there is no data; nil if there is
}

// file parses the content as one source.
func (c content) file(s Source) File {
	if c.failure != nil {
		return brokenFile(s, c.failure)
	}
	return Parse(s, c.data)
}

// hash identifies the content, even of an unreadable file.
func (c content) hash() [sha256.Size]byte {
	switch {
	case c.absent:
		return [sha256.Size]byte{}
	case c.failure != nil:
		return sha256.Sum256([]byte("cannot read: " + c.failure.Message))
	}
	return sha256.Sum256(c.data)
}

// readContent reads a file of at most limit bytes.
func readContent(path string, limit int) content {
	data, err := readFile(path, limit)
	var failure *syntaxError
	switch {
	case err == nil:
		return content{data: data}
	case isAbsent(err):
		return content{absent: true}
	case errors.As(err, &failure):
		return content{failure: failure}
	default:
		return content{failure: &syntaxError{Message: "the file cannot be read: " + causeOf(err), Hint: "check its permissions and, if it is a link, where it leads"}}
	}
}

// ReadFile returns the text of a file of servers, which is bounded in size. It returns
// fs.ErrNotExist if there is none.
func ReadFile(path string) ([]byte, error) { return readFile(path, maxFileSize) }

func readFile(path string, limit int) ([]byte, error) {
	info, err := os.Stat(path) // before opening, which would block on a pipe
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, &syntaxError{Message: "this is not a file", Hint: "Winnow expects a file of that name, or nothing"}
	}
	if info.Size() > int64(limit) {
		return nil, tooLarge(info.Size(), limit)
	}
	data, err := atomicfile.Read(path, limit)
	if err != nil {
		return nil, fmt.Errorf("read: %w", err)
	}
	if len(data) > limit { // it has grown meanwhile
		return nil, tooLarge(int64(len(data)), limit)
	}
	return data, nil
}

// isAbsent reports whether a file does not exist. On Unix, a file where a folder should
// be also counts.
func isAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || isNotDir(err)
}

// stampOf returns the stamp of a file, following links.
func stampOf(path string) stamp {
	info, err := os.Stat(path)
	if err != nil {
		return stamp{}
	}
	return stamp{true, info.ModTime(), info.Size(), info.Mode()}
}
