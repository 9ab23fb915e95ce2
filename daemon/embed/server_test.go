package embed

import (
	"context"
	"encoding/json"
	"net"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"
)

// server is a local embedding server that speaks OpenAI's API and can be told
// to misbehave.
type server struct {
	*httptest.Server
	// at is where clients of its address connect to: another server can take its
	// place, and no port has to be had a second time.
	at atomic.Pointer[string]
	// dim is the dimension of its vectors.
	dim atomic.Int64
	// status, unless 0, is what it answers to every request.
	status atomic.Int64
	// hang makes requests wait until they are given up.
	hang atomic.Bool
	// texts counts the texts that it embedded.
	texts atomic.Int64
}

// serve starts a server.
func serve(t *testing.T) *server {
	t.Helper()
	s := &server{}
	s.dim.Store(8)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	at := s.Listener.Addr().String()
	s.at.Store(&at)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var request struct{ Input []string }
	if err := json.NewDecoder(r.Body).Decode(&request); err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	if s.hang.Load() {
		<-r.Context().Done()
		return
	}
	if status := s.status.Load(); status != 0 {
		w.Header().Set("Retry-After", "0")
		http.Error(w, "told to fail", int(status))
		return
	}
	data := []fields{}
	for i, text := range request.Input {
		data = append(data, fields{"index": i, "embedding": vectorOf(text, int(s.dim.Load()))})
	}
	s.texts.Add(int64(len(request.Input)))
	// A client that gave up reads no answer.
	_ = json.NewEncoder(w).Encode(fields{"data": data})
}

// connect opens a store whose provider is the server.
func connect(t *testing.T, dir string, s *server) (*Store, listener) {
	t.Helper()
	transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, *s.at.Load())
	}}
	t.Cleanup(transport.CloseIdleConnections)
	provider, err := New(Config{Provider: "openai", URL: s.URL, Model: "m", Timeout: time.Minute}, &http.Client{Transport: transport})
	if err != nil {
		t.Fatal(err)
	}
	heard := newListener()
	store := Open(Options{Dir: dir, Published: heard.published})
	store.SetDeadline(100 * time.Millisecond)
	t.Cleanup(store.Close)
	store.SetProvider(provider)
	return store, heard
}
