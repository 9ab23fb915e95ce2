package oauth

import (
	"context"
	"crypto/subtle"
	"fmt"
	"html"
	"net"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// callbackListener serves the redirect of a sign-in on the loopback interface (RFC 8252,
// section 7.3).
type callbackListener struct {
	server   *http.Server
	listener net.Listener
	fixed    bool
	name     string
	answers  chan url.Values
	served   sync.WaitGroup

	// mu guards state, the state parameter of the expected response.
	mu    sync.Mutex
	state string
}

// listenCallback listens on a port of 127.0.0.1; 0 takes any free one. name is shown on
// the final page.
func listenCallback(port int, name string) (*callbackListener, error) {
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port))
	if err != nil {
		return nil, fmt.Errorf("listen for the browser's answer: %w", err)
	}
	l := &callbackListener{listener: listener, fixed: port != 0, name: name, answers: make(chan url.Values, 1)}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /callback", l.handle)
	l.server = &http.Server{Handler: mux, ReadHeaderTimeout: 10 * time.Second}
	l.served.Go(func() {
		// It ends on close. If the listener breaks, the sign-in times out.
		_ = l.server.Serve(listener)
	})
	return l, nil
}

// redirect returns the redirect address. For a fixed port, registered by hand, it has the
// host localhost; for a free port 127.0.0.1.
func (l *callbackListener) redirect() string {
	host := "127.0.0.1"
	if l.fixed {
		host = "localhost"
	}
	return fmt.Sprintf("http://%s:%d/callback", host, l.listener.Addr().(*net.TCPAddr).Port)
}

// expect sets the expected state parameter.
func (l *callbackListener) expect(state string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.state = state
}

func (l *callbackListener) handle(w http.ResponseWriter, r *http.Request) {
	answer := r.URL.Query()
	l.mu.Lock()
	ours := l.state != "" && subtle.ConstantTimeCompare([]byte(answer.Get("state")), []byte(l.state)) == 1
	l.mu.Unlock()
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Cache-Control", "no-store")
	if !ours {
		// Any page can send the browser here; only the expected state is accepted.
		w.WriteHeader(http.StatusBadRequest)
		writePage(w, "This is not an answer to a sign-in that Winnow has asked for.")
		return
	}
	if answer.Get("error") != "" {
		writePage(w, fmt.Sprintf("Winnow was not signed in to %s. You can close this page.", l.name))
	} else {
		writePage(w, fmt.Sprintf("Winnow is signed in to %s. You can close this page.", l.name))
	}
	select {
	case l.answers <- answer:
	default:
	}
}

func writePage(w http.ResponseWriter, text string) {
	// Ignore the error: the browser may be gone.
	_, _ = fmt.Fprintf(w, `<!doctype html><meta charset="utf-8"><title>Winnow</title><p style="font: 16px system-ui; margin: 3em">%s</p>`,
		html.EscapeString(text))
}

// wait returns the query of the browser's callback.
func (l *callbackListener) wait(ctx context.Context) (url.Values, error) {
	select {
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case answer := <-l.answers:
		return answer, nil
	}
}

// close delivers the page, for up to a second, and stops listening.
func (l *callbackListener) close() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	if l.server.Shutdown(ctx) != nil {
		_ = l.server.Close()
	}
	l.served.Wait()
}
