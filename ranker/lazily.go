package ranker

import (
	"sync"
	"sync/atomic"
)

// lazily is a value that a version derives from its documents on first use, reusing an
// earlier version's value where the documents are the same.
type lazily[T any] struct {
	// making serializes builds. Readers use only the pointers.
	making sync.Mutex
	// made is the result. It is atomic so that the next version can take it over without
	// waiting for a build.
	made atomic.Pointer[T]
	// earlier is the newest result of the versions before. It is dropped to free memory
	// once it has been reused.
	earlier atomic.Pointer[T]
}

// inherit takes over the result of a previous version or, if it was never queried, of
// those before it.
func (l *lazily[T]) inherit(from *lazily[T]) {
	// The order matters: a build stores its own before it drops the earlier.
	before := from.earlier.Load()
	if made := from.made.Load(); made != nil {
		before = made
	}
	l.earlier.Store(before)
}

// get returns the result, and builds it on the first call. earlier is nil if no previous
// version has one.
func (l *lazily[T]) get(build func(earlier *T) *T) *T {
	l.making.Lock()
	defer l.making.Unlock()
	if made := l.made.Load(); made != nil {
		return made
	}
	made := build(l.earlier.Load())
	l.made.Store(made)
	l.earlier.Store(nil)
	return made
}
