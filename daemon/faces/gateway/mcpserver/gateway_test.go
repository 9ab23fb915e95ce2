package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/server"
	"go.uber.org/goleak"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestEvents_replayOneStream(t *testing.T) {
	t.Parallel()
	e := newEvents()
	var ids []string
	for i := range 6 {
		id, err := e.StoreEvent(t.Context(), "s", fmt.Sprint("stream", i%2), json.RawMessage(fmt.Sprint(i)))
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	var got []string
	stream, err := e.ReplayEventsAfter(t.Context(), "s", ids[1], func(_ string, m json.RawMessage) error {
		got = append(got, string(m))
		return nil
	})
	if err != nil || stream != "stream1" || strings.Join(got, " ") != "3 5" {
		t.Errorf("%s: %v, %v", stream, got, err)
	}
	none := func(string, json.RawMessage) error { return nil }
	for _, ask := range [][2]string{{"other", ids[1]}, {"s", "999"}, {"s", ""}} {
		if _, err := e.ReplayEventsAfter(t.Context(), ask[0], ask[1], none); !errors.Is(err, server.ErrUnknownEventID) {
			t.Errorf("%v: %v", ask, err)
		}
	}
	failed := errors.New("gone")
	if _, err := e.ReplayEventsAfter(t.Context(), "s", ids[0], func(string, json.RawMessage) error { return failed }); !errors.Is(err, failed) {
		t.Errorf("%v", err)
	}
	if err := e.PurgeSession(t.Context(), "s"); err != nil {
		t.Error(err)
	}
	if _, err := e.ReplayEventsAfter(t.Context(), "s", ids[0], none); err == nil {
		t.Error("a purged session is replayed")
	}
}

func TestEvents_areBounded(t *testing.T) {
	t.Parallel()
	e := newEvents()
	big := json.RawMessage(`"` + strings.Repeat("x", maxEventBytes/4) + `"`)
	for range 50 {
		if _, err := e.StoreEvent(t.Context(), "s", "a", big); err != nil {
			t.Fatal(err)
		}
	}
	if log := e.sessions["s"]; log.bytes > maxEventBytes || len(log.kept) != 3 {
		t.Errorf("%d events of %d bytes are kept", len(log.kept), log.bytes)
	}
	huge := append(big, big...)
	for range 3 {
		huge = append(huge, huge...)
	}
	if _, err := e.StoreEvent(t.Context(), "s", "a", huge); err != nil || len(e.sessions["s"].kept) != 0 {
		t.Errorf("a message beyond the bound is kept, %v", err)
	}
}

// empty is a session without tools.
type empty struct {
	mu     sync.Mutex
	closed int
}

func (*empty) Tools(context.Context) ([]Tool, error)      { return nil, nil }
func (*empty) Instructions() string                       { return "" }
func (*empty) Call(context.Context, Call) (Answer, error) { return Answer{}, nil }
func (*empty) Changed(context.Context) bool               { return false }
func (*empty) Fresh() time.Duration                       { return 0 }
func (*empty) SetLevel(context.Context, string)           {}

func (*empty) Resources(context.Context) ([]json.RawMessage, error)  { return nil, nil }
func (*empty) Templates(context.Context) ([]json.RawMessage, error)  { return nil, nil }
func (*empty) Prompts(context.Context) ([]json.RawMessage, error)    { return nil, nil }
func (*empty) Read(context.Context, string) (json.RawMessage, error) { return nil, nil }
func (*empty) Prompt(context.Context, string, map[string]string) (json.RawMessage, error) {
	return nil, nil
}

func (*empty) Subscribe(context.Context, string, func(string)) (end func(context.Context), err error) {
	return func(context.Context) {}, nil
}
func (*empty) Complete(context.Context, Completing) (json.RawMessage, error) { return nil, nil }

func (e *empty) Close() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.closed++
}

// Open makes the session its own backend.
func (e *empty) Open(Client) Session { return e }

func TestSessions_onlyThoseGivenOut(t *testing.T) {
	t.Parallel()
	s := newSessions()
	id, session := s.generate(principal.Local), &empty{}
	if !s.add(id, Client{}, session) || s.get(principal.Local, id) != session {
		t.Error("a session is not known")
	}
	if s.add(id, Client{}, &empty{}) {
		t.Error("a session is taken over")
	}
	if s.add("made-up", Client{}, &empty{}) {
		t.Error("an id that was not given out is taken")
	}
	mine := ids{sessions: s, owner: principal.Local}
	if _, err := mine.Validate("made-up"); !errors.Is(err, errSession) {
		t.Errorf("%v", err)
	}
	if _, err := mine.Terminate(id); err != nil || session.closed != 1 {
		t.Errorf("%v, closed %d times", err, session.closed)
	}
	if _, err := mine.Validate(id); err == nil {
		t.Error("a session that ended is valid")
	}
}

// Clients that die leave their sessions behind; new ones must still get in.
func TestSessions_areBounded(t *testing.T) {
	t.Parallel()
	s := newSessions()
	open := make([]*empty, maxSessions)
	var ids []string
	for i := range open {
		id := s.generate(principal.Local)
		open[i] = &empty{}
		if !s.add(id, Client{}, open[i]) {
			t.Fatal("refused too early")
		}
		ids = append(ids, id)
	}
	if !s.use(principal.Local, ids[0]) { // the first is used again
		t.Fatal("unknown")
	}
	if id := s.generate(principal.Local); !s.add(id, Client{}, &empty{}) {
		t.Error("a new client is refused")
	}
	s.ending.Wait()
	if n := len(s.all()); n != maxSessions || open[0].closed != 0 || open[1].closed != 1 {
		t.Errorf("%d sessions; the first was closed %d times, the second %d", n, open[0].closed, open[1].closed)
	}
	if s.get(principal.Local, ids[1]) != nil || s.get(principal.Local, ids[0]) != open[0] {
		t.Error("another session than the one used longest ago ended")
	}
	s.close()
	if id := s.generate(principal.Local); s.add(id, Client{}, &empty{}) || len(s.all()) != 0 {
		t.Error("a closed server opens sessions")
	}
}

func TestServer_closes(t *testing.T) {
	t.Parallel()
	session := &empty{}
	s := New(Options{Backend: session, Name: "n", Version: "1"})
	if err := s.Listen(); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(s.URL(), "http://127.0.0.1:") || len(s.Token()) < 40 {
		t.Errorf("%s, a token of %d characters", s.URL(), len(s.Token()))
	}
	id := s.sessions.generate(principal.Local)
	if !s.sessions.add(id, Client{}, session) {
		t.Fatal("no session")
	}
	if err := s.Close(); err != nil || session.closed != 1 {
		t.Errorf("%v, closed %d times", err, session.closed)
	}
	if r, err := http.Get(s.URL()); err == nil {
		_ = r.Body.Close()
		t.Error("it still listens")
	}
}

// broken is a client that has gone without a word.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"c","version":"1"}}}` + "\n"

func TestServePipe_endsWithItsClient(t *testing.T) {
	t.Parallel()
	silent, silentEnd := io.Pipe()
	defer silentEnd.Close()
	for name, tc := range map[string]struct {
		in   io.Reader
		out  io.Writer
		want string // empty is a good end
	}{
		"it closes its side":        {strings.NewReader(hello), io.Discard, ""},
		"nothing can be written":    {io.MultiReader(strings.NewReader(hello), silent), broken{}, "broken pipe"},
		"a line without an end":     {io.LimitReader(endless{}, 2*maxBody), io.Discard, "too long"},
		"it says nothing that fits": {strings.NewReader("\n{}\n[]\n1\n\x00\n"), io.Discard, ""},
	} {
		session := &empty{}
		s := New(Options{Backend: session, Name: "n", Version: "1"})
		err := s.ServePipe(t.Context(), tc.in, tc.out)
		if (err == nil) != (tc.want == "") || err != nil && !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", name, err)
		}
		if open := s.sessions.all(); len(open) != 0 || session.closed > 1 {
			t.Errorf("%s: %d sessions are left, one was closed %d times", name, len(open), session.closed)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// endless is a line that does not end.
type endless struct{}

func (endless) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'x'
	}
	return len(p), nil
}

// A server that panics over one request answers the others.
func TestServePipe_aPanicCostsOneRequest(t *testing.T) {
	t.Parallel()
	s := New(Options{Backend: &panicking{}, Name: "n", Version: "1"})
	var out strings.Builder
	in := hello + `{"jsonrpc":"2.0","id":2,"method":"tools/list"}` + "\n" + `{"jsonrpc":"2.0","id":3,"method":"ping"}` + "\n"
	if err := s.ServePipe(t.Context(), strings.NewReader(in), &out); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`"id":1,"result"`, `-32603`, `"id":3,"result"`} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%s is missing in %s", want, out.String())
		}
	}
}

// panicking is a session whose list cannot be made.
type panicking struct{ empty }

func (*panicking) Tools(context.Context) ([]Tool, error) { panic("no list") }

func (p *panicking) Open(Client) Session { return p }

// What a client asked for is told to nobody who does not debug.
func TestServer_logsNothingThatWasTyped(t *testing.T) {
	t.Parallel()
	for level, want := range map[slog.Level]bool{slog.LevelInfo: false, slog.LevelDebug: true} {
		var log strings.Builder
		s := New(Options{Backend: &panicking{}, Name: "n", Version: "1",
			Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: level}))})
		in := hello + `{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"secret://typed"}}` + "\n"
		var out strings.Builder
		if err := s.ServePipe(t.Context(), strings.NewReader(in), &out); err != nil {
			t.Fatal(err)
		}
		if got := strings.Contains(log.String(), "resources/read"); got != want {
			t.Errorf("at %s: %s", level, log.String())
		}
	}
}
