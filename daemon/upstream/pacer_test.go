package upstream

import (
	"net/http"
	"testing"
)

// TestHTTP_NoStream: a server that answers the request for the stream with a
// 400 is asked once, and works.
func TestHTTP_NoStream(t *testing.T) {
	t.Parallel()
	rec := &recorder{next: newHTTPHandler(), refuse: func(w http.ResponseWriter, r *http.Request, _ string) bool {
		if r.Method == http.MethodGet {
			http.Error(w, "POST only", http.StatusBadRequest)
		}
		return r.Method == http.MethodGet
	}}
	base := serveHTTP(t, rec)
	m := newTestManager(t, Options{})
	apply(t, m, Config{Name: "web", URL: base})
	waitState(t, m, "web", Ready)
	rec.until(t, "the request for the stream", func() bool { return rec.count("GET", "") > 0 })
	call(t, m, "web", "hello", `{}`)
	closeManager(t, m)
	if n := rec.count("GET", ""); n != 1 {
		t.Errorf("asked %d times", n)
	}
}
