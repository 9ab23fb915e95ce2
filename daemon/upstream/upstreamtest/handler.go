package upstreamtest

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

// Handler returns a server that follows a script over streamable HTTP. It has
// no sessions, and offers no stream besides those of its answers. Of the script
// it follows what is said and answered; the rest is for processes.
func Handler(script Script) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			w.WriteHeader(http.StatusMethodNotAllowed)
			return
		}
		body, err := io.ReadAll(r.Body)
		var m message
		if err != nil || json.Unmarshal(body, &m) != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		var out bytes.Buffer
		s := &scripted{Script: script, out: bufio.NewWriter(&out), cancelled: map[string]chan struct{}{}}
		s.handle(m)
		s.calls.Wait()
		answer(w, bytes.TrimRight(out.Bytes(), "\n"))
	})
}

// answer sends the lines of an answer: one as JSON, several as events, none as
// a receipt.
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
