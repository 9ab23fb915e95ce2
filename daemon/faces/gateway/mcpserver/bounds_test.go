package mcpserver

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipes is a listener whose connections are in memory, so that they know
// synctest's clock.
type pipes struct {
	dialled chan net.Conn
	closed  chan struct{}
	once    sync.Once
}

func newPipes() *pipes { return &pipes{dialled: make(chan net.Conn), closed: make(chan struct{})} }

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.dialled:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error {
	p.once.Do(func() { close(p.closed) })
	return nil
}

func (*pipes) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1), Port: 4711} }

// dial returns a connection to the server.
func (p *pipes) dial(t *testing.T) net.Conn {
	t.Helper()
	near, far := net.Pipe()
	p.dialled <- far
	t.Cleanup(func() { _ = near.Close() })
	return near
}

// inMemory runs a test with a gateway over HTTP in a bubble.
func inMemory(t *testing.T, test func(t *testing.T, s *Server, p *pipes)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, p := New(Options{Backend: &empty{}, Name: "n", Version: "1"}), newPipes()
		s.listenOn(p)
		test(t, s, p)
		if err := s.Close(); err != nil && !errors.Is(err, context.DeadlineExceeded) {
			t.Error(err)
		}
	})
}

// head is that of a request with the token.
func head(s *Server, method string, more ...string) string {
	lines := append([]string{
		method + " /mcp HTTP/1.1", "Host: 127.0.0.1:4711", "Authorization: Bearer " + s.Token(),
		"Content-Type: application/json", "Accept: application/json, text/event-stream",
	}, more...)
	return strings.Join(lines, "\r\n") + "\r\n"
}

// Whoever does not come to an end is cut off, and told so where it can be.
func TestBounds_slowRequests(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		say    func(s *Server) string
		status int // 0 is no answer
		after  time.Duration
	}{
		"says nothing": {func(*Server) string { return "" }, 0, headerTime},
		"half a head":  {func(s *Server) string { return head(s, "POST")[:40] }, 0, headerTime},
		"half a body":  {func(s *Server) string { return head(s, "POST", "Content-Length: 100", "") + "{" }, http.StatusRequestTimeout, bodyTime},
		"no token, half a body": {func(*Server) string {
			return "POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:4711\r\nContent-Length: 100\r\n\r\n{"
		}, http.StatusUnauthorized, 0},
		"no token, no body": {func(*Server) string { return "GET /mcp HTTP/1.1\r\nHost: 127.0.0.1:4711\r\n\r\n" }, http.StatusUnauthorized, 0},
		"another host":      {func(*Server) string { return "GET /mcp HTTP/1.1\r\nHost: evil.example\r\n\r\n" }, http.StatusForbidden, 0},
	} {
		t.Run(name, func(t *testing.T) {
			inMemory(t, func(t *testing.T, s *Server, p *pipes) {
				c := p.dial(t)
				begun := time.Now()
				go func() { _, _ = io.WriteString(c, tc.say(s)) }()
				answer, err := io.ReadAll(c) // until the connection is closed
				if err != nil && !errors.Is(err, io.ErrClosedPipe) {
					t.Error(err)
				}
				status := 0
				if len(answer) > 0 {
					if _, err := fmt.Sscanf(string(answer), "HTTP/1.1 %d", &status); err != nil {
						t.Errorf("%v: %s", err, answer)
					}
				}
				// The server gives a client half a second to read its last words.
				if took := time.Since(begun); status != tc.status || took < tc.after || took > tc.after+time.Second {
					t.Errorf("status %d after %s, want %d after %s", status, took, tc.status, tc.after)
				}
			})
		})
	}
}

// A connection that asks nothing more is closed.
func TestBounds_idleConnections(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, s *Server, p *pipes) {
		c := p.dial(t)
		go func() {
			_, _ = io.WriteString(c, head(s, "POST", fmt.Sprintf("Content-Length: %d", len(hello)), "")+hello)
		}()
		begun, reader := time.Now(), bufio.NewReader(c)
		response, err := http.ReadResponse(reader, nil)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Fatalf("%v, %v", response, err)
		}
		defer response.Body.Close()
		if _, err := io.Copy(io.Discard, response.Body); err != nil {
			t.Fatal(err)
		}
		if _, err := reader.ReadByte(); err == nil || time.Since(begun) != waitTime {
			t.Errorf("the connection ended with %v after %s, want %s", err, time.Since(begun), waitTime)
		}
	})
}

// A client that does not read its stream loses it; others go on.
func TestBounds_unreadStreams(t *testing.T) {
	t.Parallel()
	inMemory(t, func(t *testing.T, s *Server, p *pipes) {
		listen := func() (net.Conn, *bufio.Reader, string) {
			c := p.dial(t)
			reader := bufio.NewReader(c)
			go func() {
				_, _ = io.WriteString(c, head(s, "POST", fmt.Sprintf("Content-Length: %d", len(hello)), "")+hello)
			}()
			response, err := http.ReadResponse(reader, nil)
			if err != nil {
				t.Fatal(err)
			}
			defer response.Body.Close()
			id := response.Header.Get("Mcp-Session-Id")
			if _, err := io.Copy(io.Discard, response.Body); err != nil {
				t.Fatal(err)
			}
			go func() { _, _ = io.WriteString(c, head(s, "GET", "Mcp-Session-Id: "+id, "")) }()
			if line, err := reader.ReadString('\n'); err != nil || !strings.Contains(line, "200") {
				t.Fatalf("%q, %v", line, err)
			}
			return c, reader, id
		}
		_, _, deaf := listen()
		_, reader, other := listen()
		heard := make(chan int)
		go func() {
			n := 0
			for {
				line, err := reader.ReadString('\n')
				if n += strings.Count(line, "tools/list_changed"); n == 2 || err != nil {
					heard <- n
					return
				}
			}
		}()
		open := func(id string) int {
			s.sessions.mu.Lock()
			defer s.sessions.mu.Unlock()
			return s.sessions.byID[id].open
		}
		synctest.Wait()
		for _, one := range s.sessions.all() {
			one.client.Notify("notifications/tools/list_changed", nil)
		}
		synctest.Wait()
		if open(deaf) != 1 || open(other) != 1 {
			t.Fatalf("%d and %d streams are open, want both", open(deaf), open(other))
		}
		time.Sleep(writeTime + time.Second) // of synctest's clock
		synctest.Wait()
		if open(deaf) != 0 || open(other) != 1 {
			t.Errorf("%d streams of the one that does not read are open and %d of the other, want 0 and 1", open(deaf), open(other))
		}
		for _, one := range s.sessions.all() {
			one.client.Notify("notifications/tools/list_changed", nil)
		}
		if n := <-heard; n != 2 {
			t.Errorf("the other client heard %d notifications, want 2", n)
		}
	})
}
