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

// sinkScheme is the prefix of a [Sink]'s address in place of a file name.
const sinkScheme = "tcp://"

// patience bounds each wait. A passing test never reaches it.
const patience = 2 * time.Minute

// Sink receives over the loopback interface what scripted servers would write to a
// [Script]'s files, so that a test can wait for it.
type Sink struct {
	t        testing.TB
	listener net.Listener
	running  sync.WaitGroup

	// news is notified of each line.
	news broadcast.Broadcast

	// mu guards what follows.
	mu    sync.Mutex
	text  strings.Builder
	conns []net.Conn
}

// Listen opens a sink. The end of the test closes it.
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

// Address returns the value for a file field of a [Script].
func (s *Sink) Address() string { return sinkScheme + s.listener.Addr().String() }

// Text returns everything received, in lines.
func (s *Sink) Text() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// Until waits until ok returns true for the received text. It calls ok after each line.
func (s *Sink) Until(what string, ok func(text string) bool) {
	s.t.Helper()
	over := time.After(patience)
	for {
		news := s.news.Wait() // before the text is read, so that no line is missed
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
			return // closed
		}
		s.mu.Lock()
		s.conns = append(s.conns, conn)
		s.mu.Unlock()
		s.running.Go(func() { s.take(conn) })
	}
}

// take reads the lines of one server.
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

// sinks holds the connections of a scripted server by address: one for each sink, so that
// lines keep their order.
var sinks = struct {
	mu    sync.Mutex
	conns map[string]net.Conn
}{conns: map[string]net.Conn{}}

// note writes to a file or a sink.
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
