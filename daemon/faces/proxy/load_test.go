package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"
)

// Streams that are not read stand still at the provider, and not in our
// memory: two hundred of them, of which one after the other is read.
func TestHandler_SlowReaders(t *testing.T) {
	const streams, events = 200, 20
	words := strings.Repeat("word ", 2000) // 10 kB an event, 40 MB in all
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for i := range events {
			if _, err := fmt.Fprintf(w, "data: {\"id\":\"1\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"%d %s\"}}]}\n\n", i, words); err != nil {
				return
			}
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	}))
	t.Cleanup(p.Close)
	url := newProxy(t, p, newRouter()).URL + "/to/test/chat/completions"
	open := make([]*http.Response, streams)
	for i := range open {
		resp, err := http.Post(url, "application/json", strings.NewReader(request))
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close() //nolint:revive // they are open together
		open[i] = resp
	}
	for i, resp := range open {
		if i == streams/2 {
			checkHeap(t, 25<<20)
		}
		body, err := io.ReadAll(resp.Body)
		if err != nil || bytes.Count(body, []byte("data: ")) != events+1 || !bytes.HasSuffix(body, []byte("[DONE]\n\n")) {
			t.Fatalf("stream %d: got %d events (%v), want %d", i, bytes.Count(body, []byte("data: ")), err, events+1)
		}
	}
}

func checkHeap(t *testing.T, most uint64) {
	t.Helper()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	if m.HeapAlloc > most {
		t.Errorf("%d MiB are held, want at most %d", m.HeapAlloc>>20, most>>20)
	}
	t.Logf("%d MiB are held", m.HeapAlloc>>20)
}

// What a model said is held in memory until the answer ends. An answer without
// end must not take all of it.
func TestHandler_EndlessAnswer(t *testing.T) {
	p := &provider{}
	p.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		event := `data: {"id":"1","choices":[{"index":0,"delta":{"content":"` + strings.Repeat("word ", 100_000) + "\"}}]}\n\n"
		for {
			if _, err := io.WriteString(w, event); err != nil {
				return
			}
		}
	}))
	t.Cleanup(p.Close)
	resp, err := http.Post(newProxy(t, p, newRouter()).URL+"/to/test/chat/completions", "application/json", strings.NewReader(request))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n, err := io.Copy(io.Discard, resp.Body); err == nil || n < maxAnswer/2 || n > 2*maxAnswer {
		t.Errorf("got %d MiB and the error %v, want an end near %d MiB", n>>20, err, maxAnswer>>20)
	}
}
