package upstreamtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"sync"
)

// Handler returns a server that follows a script over streamable HTTP. It has no sessions
// and no streams besides those of its responses. It ignores the fields of the script that
// concern processes.
func Handler(script Script) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		if lines, ok := script.replies(r); ok {
			answer(w, lines)
		} else {
			w.WriteHeader(http.StatusBadRequest)
		}
	})
}

// replies returns the lines of the response to a request.
func (script Script) replies(r *http.Request) (lines []byte, ok bool) {
	body, err := io.ReadAll(r.Body)
	var m message
	if err != nil || json.Unmarshal(body, &m) != nil {
		return nil, false
	}
	var out bytes.Buffer
	s := &scripted{Script: script, out: bufio.NewWriter(&out), cancelled: map[string]chan struct{}{}}
	s.handle(m)
	s.calls.Wait()
	return bytes.TrimRight(out.Bytes(), "\n"), true
}

// SSEHandler is [Handler] over the HTTP+SSE transport of MCP 2024-11-05, with one stream
// for each session.
func SSEHandler(script Script) http.Handler {
	var (
		mu      sync.Mutex // guards streams
		streams = map[string]chan []byte{}
	)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /sse", func(w http.ResponseWriter, r *http.Request) {
		lines := make(chan []byte)
		mu.Lock()
		session := fmt.Sprint(len(streams))
		streams[session] = lines
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = fmt.Fprintf(w, "event: endpoint\ndata: /messages/%s\n\n", session)
		for {
			w.(http.Flusher).Flush()
			select {
			case line := <-lines:
				_, _ = fmt.Fprintf(w, "data: %s\n\n", line)
			case <-r.Context().Done():
				return
			}
		}
	})
	mux.HandleFunc("POST /messages/{session}", func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		stream := streams[r.PathValue("session")]
		mu.Unlock()
		lines, ok := script.replies(r)
		if stream == nil || !ok {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		w.WriteHeader(http.StatusAccepted)
		w.(http.Flusher).Flush()
		for line := range bytes.Lines(lines) {
			select {
			case stream <- bytes.TrimRight(line, "\n"):
			case <-r.Context().Done():
				return
			}
		}
	})
	return mux
}

// answer sends the lines of a response: one as JSON, several as events, none as 202
// Accepted.
func answer(w http.ResponseWriter, lines []byte) {
	switch {
	case len(lines) == 0:
		w.WriteHeader(http.StatusAccepted)
	case !bytes.Contains(lines, []byte("\n")):
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(lines)
	default:
		w.Header().Set("Content-Type", "text/event-stream")
		for line := range bytes.Lines(lines) {
			_, _ = fmt.Fprintf(w, "data: %s\n\n", bytes.TrimRight(line, "\n"))
		}
	}
}
