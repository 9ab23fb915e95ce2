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
	var next atomic.Int64
	var workers sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), (n+chunk-1)/chunk) {
		workers.Go(func() {
			do := worker()
			for {
				from := int(next.Add(chunk)) - chunk
				if from >= n {
					return
				}
				do(from, min(n, from+chunk))
			}
		})
	}
	workers.Wait()
}
