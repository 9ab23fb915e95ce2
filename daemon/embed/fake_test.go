package embed

import (
	"context"
	"hash/fnv"
	"sync"
	"testing"
	"time"
)

// fake is a [Provider] in the test's own process. It works within synctest.
type fake struct {
	space  Space
	limits Limits

	// mu guards what follows; the test changes it while the store runs.
	mu sync.Mutex
	// dim is the dimension of the vectors it gives.
	dim int
	// latency is how long it takes to answer.
	latency time.Duration
	// fail, if set, says what becomes of a call.
	fail func(purpose Purpose, texts []string) error
	// asked counts how often each text was embedded.
	asked map[string]int
	calls int
	// running and most count the calls for documents at a time.
	running, most int
}

func newFake(model string) *fake {
	return &fake{
		space: Space{Provider: "fake", Endpoint: "here", Model: model}, limits: Limits{Texts: 4, Bytes: 1 << 20, Calls: 2},
		dim: 8, asked: map[string]int{},
	}
}

func (f *fake) Space() Space   { return f.space }
func (f *fake) Limits() Limits { return f.limits }

// set changes the fake's behaviour.
func (f *fake) set(change func(*fake)) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change(f)
}

// called returns how often the fake was called.
func (f *fake) called() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.calls
}

// busiest returns the most calls for documents that ran at a time.
func (f *fake) busiest() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.most
}

// times returns how often a text was embedded.
func (f *fake) times(text string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.asked[text]
}

// count returns how many texts were embedded so far, repetitions included.
func (f *fake) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	n := 0
	for _, times := range f.asked {
		n += times
	}
	return n
}

func (f *fake) Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error) {
	latency := f.begin(purpose)
	defer f.end(purpose)
	select {
	case <-time.After(latency):
	case <-ctx.Done():
		return nil, &Error{Provider: "fake", Kind: Unavailable, Cause: "cancelled", err: ctx.Err()}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.fail != nil {
		if err := f.fail(purpose, texts); err != nil {
			return nil, err
		}
	}
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		f.asked[text]++
		vectors[i] = vectorOf(text, f.dim)
	}
	return vectors, nil
}

func (f *fake) begin(purpose Purpose) time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.calls++
	if purpose == ForDocument {
		f.running++
		f.most = max(f.most, f.running)
	}
	return f.latency
}

func (f *fake) end(purpose Purpose) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if purpose == ForDocument {
		f.running--
	}
}

// vectorOf makes a vector of a text: equal texts have equal ones.
func vectorOf(text string, dim int) []float32 {
	hash := fnv.New64a()
	hash.Write([]byte(text))
	bits := hash.Sum64()
	v := make([]float32, dim)
	for i := range v {
		v[i] = float32(bits>>(i%60)&15) + 1
	}
	normalize(v)
	return v
}

// listener collects what a store publishes.
type listener struct{ vectors chan *Vectors }

func newListener() listener { return listener{make(chan *Vectors, 100)} }

func (l listener) published(v *Vectors) { l.vectors <- v }

// next waits for the next publication.
func (l listener) next(t *testing.T) *Vectors {
	t.Helper()
	select {
	case v := <-l.vectors:
		return v
	case <-time.After(time.Minute):
		t.Fatal("nothing was published within a minute")
		return nil
	}
}
