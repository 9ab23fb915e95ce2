package ranker

import (
	"sync"
	"sync/atomic"
)

// lazily is what a version derives from its documents once it is needed, from
// what an earlier version had where the documents are the same.
type lazily[T any] struct {
	// making guards the making. Readers use the pointers alone.
	making sync.Mutex
	// made is the result. It is atomic so that the next version can take it over
	// at any moment without waiting for a build.
	made atomic.Pointer[T]
	// earlier is the newest of the versions before. It is dropped, for the sake
	// of memory, when its content has been taken over.
	earlier atomic.Pointer[T]
}

// inherit takes over what a version before has made itself or, when it was never
// queried, what it has from those before it.
func (l *lazily[T]) inherit(from *lazily[T]) {
	// The order matters: a build stores its own before it drops the earlier.
	before := from.earlier.Load()
	if made := from.made.Load(); made != nil {
		before = made
	}
	l.earlier.Store(before)
}

// get returns the result, making it when this is the first call. earlier is nil
// when no version before has one.
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
