package upstreamtest

import (
	"bufio"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/broadcast"
)

// sinkScheme marks the address of a [Sink] where a file could stand.
const sinkScheme = "tcp://"

// patience bounds what is waited for, and is never reached by a test that passes.
const patience = 2 * time.Minute

// Sink takes over the loopback what scripted servers would write to a
// [Script]'s files, so that a test can wait for it.
type Sink struct {
	t        testing.TB
	listener net.Listener
	running  sync.WaitGroup

	// news is called with each line.
	news broadcast.Broadcast

	// mu guards what follows.
	mu    sync.Mutex
	text  strings.Builder
	conns []net.Conn
}

// Listen opens a sink, which the end of the test closes.
func Listen(t testing.TB) *Sink {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &Sink{t: t, listener: listener}
	s.running.Go(s.accept)
	t.Cleanup(s.close)
	return s
}

// Address stands for a file in a [Script].
func (s *Sink) Address() string { return sinkScheme + s.listener.Addr().String() }

// Text is all that came, in lines.
func (s *Sink) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Until waits until ok of what came, which is asked again after each line.
func (s *Sink) Until(what string, ok func(text string) bool) {
	s.t.Helper()
	over := time.After(patience)
	for {
		news := s.news.Wait() // before the text, so that no line is missed
		text := s.Text()
		if ok(text) {
			return
		}
		select {
		case <-news:
		case <-over:
			s.t.Fatalf("waited in vain for %s; what came is\n%s", what, text)
		}
	}
}

func (s *Sink) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return // it is closed
		}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.mu.Unlock()
		s.running.Go(func() { s.take(conn) })
	}
}

// take reads what one server sends.
func (s *Sink) take(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	in := bufio.NewReader(conn)
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return // the server has ended
		}
		s.mu.Lock()
		s.text.WriteString(line)
		s.mu.Unlock()
		s.news.Notify()
	}
}

func (s *Sink) close() {
	_ = s.listener.Close()
	s.mu.Lock()
	for _, conn := range s.conns {
		_ = conn.Close()
	}
	s.mu.Unlock()
	s.running.Wait()
}

// sinks are the connections of a scripted server to its sinks, by address: one
// each, so that lines come in their order.
var sinks = struct {
	mu    sync.Mutex
	conns map[string]net.Conn
}{conns: map[string]net.Conn{}}

// note writes for the test, to a file or to a sink.
func note(to string, data []byte) {
	address, ok := strings.CutPrefix(to, sinkScheme)
	if !ok {
		appendFile(to, data)
		return
	}
	sinks.mu.Lock()
	defer sinks.mu.Unlock()
	conn := sinks.conns[address]
	if conn == nil {
		var err error
		if conn, err = net.Dial("tcp", address); err != nil {
			return // the test is over
		}
		sinks.conns[address] = conn
	}
	_, _ = conn.Write(data)
}
