package ranker

import (
	"runtime"
	"sync"
	"sync/atomic"
)

// chunk is how many documents one goroutine embeds at a time.
const chunk = 32

// eachChunk processes every chunk of n documents on all processors, and returns when all
// are done. worker is called once per goroutine.
func eachChunk(n int, worker func() func(from, to int)) {
	atOnce(n, chunk, runtime.GOMAXPROCS(0), worker)
}

// atOnce processes n elements, size at a time, on at most the given number of processors.
// worker is called once per goroutine, of which the caller's is one.
func atOnce(n, size, processors int, worker func() func(from, to int)) {
	var next atomic.Int64
	run := func() {
		do := worker()
		for {
			from := int(next.Add(int64(size))) - size
			if from >= n {
				return
			}
			do(from, min(n, from+size))
		}
	}
	var others sync.WaitGroup
	for range min(processors, (n+size-1)/size) - 1 {
		others.Go(run)
	}
	run()
	others.Wait()
}
