package mcpserver

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnow-mcp/winnow/daemon/principal"
)

// asking is a session whose calls put questions, as many as their argument
// `questions` says, and answer with what they were told.
type asking struct {
	empty
	mu    sync.Mutex
	begun int
	ended []string // why calls ended that were not answered
}

func (a *asking) Open(Client) Session { return a }

func (a *asking) Call(ctx context.Context, c Call) (Answer, error) {
	a.mu.Lock()
	a.begun++
	a.mu.Unlock()
	var wanted struct{ Questions int }
	if err := json.Unmarshal(c.Arguments, &wanted); err != nil {
		return Answer{}, err
	}
	var told []string
	for i := range wanted.Questions {
		answer, err := c.Ask(ctx, "elicitation/create", fmt.Appendf(nil, `{"message":"number %d","requestedSchema":{"type":"object","properties":{}}}`, i))
		if err != nil {
			a.mu.Lock()
			a.ended = append(a.ended, err.Error())
			a.mu.Unlock()
			return Answer{}, err
		}
		told = append(told, string(answer))
	}
	text, err := json.Marshal(map[string]string{"type": "text", "text": c.From.Name + " said " + strings.Join(told, " ")})
	return Answer{Content: []json.RawMessage{text}}, err
}

// talk is a client of the newest revision over streams.
type talk struct {
	t   *testing.T
	in  *io.PipeWriter
	out *bufio.Scanner
	end func()
}

// newTalk serves a client until the test is over.
func newTalk(t *testing.T, s *Server) *talk {
	t.Helper()
	in, say := io.Pipe()
	hear, out := io.Pipe()
	done := make(chan error, 1)
	ctx, cancel := context.WithCancel(context.Background())
	go func() {
		err := s.ServePipe(ctx, in, out)
		_ = out.Close()
		done <- err
	}()
	k := &talk{t: t, in: say, out: bufio.NewScanner(hear)}
	k.end = sync.OnceFunc(func() {
		_ = say.Close()
		go func() { _, _ = io.Copy(io.Discard, hear) }()
		if err := <-done; err != nil {
			t.Errorf("the client ended with %v", err)
		}
		cancel()
	})
	t.Cleanup(k.end)
	return k
}

const envelope = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28",` +
	`"io.modelcontextprotocol/clientInfo":{"name":"tester","version":"1"},` +
	`"io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}`

// say sends a request with what a client says of itself.
func (k *talk) say(id int, method, params string) {
	k.t.Helper()
	if params != "" {
		params += ","
	}
	if _, err := fmt.Fprintf(k.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":{%s%s}}`+"\n", id, method, params, envelope); err != nil {
		k.t.Fatal(err)
	}
}

// message is what a client gets.
type message struct {
	ID     any    `json:"id"`
	Method string `json:"method"`
	Params struct {
		Meta map[string]any `json:"_meta"`
	} `json:"params"`
	Result struct {
		ResultType    string `json:"resultType"`
		RequestState  string `json:"requestState"`
		InputRequests map[string]struct {
			Method string `json:"method"`
			Params struct {
				Message string `json:"message"`
			} `json:"params"`
		} `json:"inputRequests"`
		IsError bool                    `json:"isError"`
		Content []struct{ Text string } `json:"content"`
	} `json:"result"`
	Error *clientError `json:"error"`
}

// next returns the next message that the client gets.
func (k *talk) next() message {
	k.t.Helper()
	if !k.out.Scan() {
		k.t.Fatalf("nothing more comes: %v", k.out.Err())
	}
	var m message
	if err := json.Unmarshal(k.out.Bytes(), &m); err != nil {
		k.t.Fatalf("%v: %s", err, k.out.Text())
	}
	return m
}

func (m *message) text() string {
	if len(m.Result.Content) == 0 {
		return ""
	}
	return m.Result.Content[0].Text
}

// call makes a call, or makes it again with an answer.
func (k *talk) call(id, questions int, state, answer string) message {
	k.t.Helper()
	params := fmt.Sprintf(`"name":"ask","arguments":{"questions":%d}`, questions)
	if state != "" {
		params += fmt.Sprintf(`,"requestState":%q`, state)
	}
	if answer != "" {
		params += fmt.Sprintf(`,"inputResponses":{"question":{"action":"accept","content":{"word":%q}}}`, answer)
	}
	k.say(id, "tools/call", params)
	return k.next()
}

// A call that asks twice goes over three requests, and begins once.
func TestRounds_untilTheAnswer(t *testing.T) {
	t.Parallel()
	session := &asking{}
	s := New(Options{Backend: session, Name: "n", Version: "1"})
	k := newTalk(t, s)
	state := ""
	for i, answer := range []string{"", "one"} {
		m := k.call(i, 2, state, answer)
		asked := m.Result.InputRequests["question"]
		if want := fmt.Sprint("number ", i); m.Result.ResultType != "input_required" || asked.Method != "elicitation/create" || asked.Params.Message != want {
			t.Fatalf("request %d: got %+v, want question %q", i, m, want)
		}
		if m.Result.RequestState == state {
			t.Errorf("request %d has the state of the one before", i)
		}
		state = m.Result.RequestState
	}
	m := k.call(2, 2, state, "two")
	for _, part := range []string{"tester said", `"one"`, `"two"`} {
		if !strings.Contains(m.text(), part) {
			t.Errorf("%s is missing in %s", part, m.text())
		}
	}
	if m.Result.ResultType != "complete" || session.begun != 1 {
		t.Errorf("the answer is of type %q, and the call began %d times; want complete, once", m.Result.ResultType, session.begun)
	}
	k.end()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A request that goes on with nothing, or with another call, is told so and
// begins nothing.
func TestRounds_unknownStates(t *testing.T) {
	t.Parallel()
	session := &asking{}
	s := New(Options{Backend: session, Name: "n", Version: "1"})
	k := newTalk(t, s)
	state := k.call(1, 1, "", "").Result.RequestState
	for name, tc := range map[string]struct {
		questions int
		state     string
	}{
		"made up":         {1, "AAAAAAAAAAAAAAAAAAAAAAAAAA"},
		"of another call": {7, state},
	} {
		if m := k.call(2, tc.questions, tc.state, "x"); !m.Result.IsError || !strings.Contains(m.text(), "not made again") {
			t.Errorf("%s: got %+v, want an error", name, m)
		}
	}
	// Without the answer it is put again, under another state.
	again := k.call(3, 1, state, "")
	if again.Result.InputRequests["question"].Params.Message != "number 0" {
		t.Fatalf("without an answer: got %+v, want the question again", again)
	}
	if m := k.call(4, 1, again.Result.RequestState, "x"); m.Result.IsError || m.text() == "" {
		t.Errorf("the answer in the end: got %+v", m)
	}
	if m := k.call(5, 1, again.Result.RequestState, "x"); !m.Result.IsError {
		t.Errorf("a state that was used: got %+v, want an error", m)
	}
	if session.begun != 1 {
		t.Errorf("the call began %d times, want once", session.begun)
	}
	k.end()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A call whose client does not come back ends: in time, when too many wait, and
// with the client's connection.
func TestRounds_end(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		wait func(k *talk)
		want string
	}{
		"in time": {func(*talk) { time.Sleep(roundTime + time.Second) }, errRoundOver.Error()}, // of synctest's clock
		"when too many wait": {func(k *talk) {
			for i := range maxRounds {
				k.call(10+i, 1, "", "")
			}
		}, errRoundOver.Error()},
		"with its client": {func(k *talk) { k.end() }, errGone.Error()},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				session := &asking{}
				s := New(Options{Backend: session, Name: "n", Version: "1"})
				k := newTalk(t, s)
				k.call(1, 1, "", "")
				tc.wait(k)
				synctest.Wait()
				session.mu.Lock()
				ended := strings.Join(session.ended, "; ")
				session.mu.Unlock()
				if ended != tc.want {
					t.Errorf("calls ended with %q, want one with %q", ended, tc.want)
				}
				k.end()
				if err := s.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// A place is taken first from a call that has ended without its client, as one
// that took too long; and a connection that ends frees those of its calls.
func TestRounds_endedOnesGoFirst(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		session := &asking{}
		s := New(Options{Backend: session, Name: "n", Version: "1"})
		k, other := newTalk(t, s), newTalk(t, s)
		waits := k.call(1, 1, "", "").Result.RequestState
		late := other.call(1, 1, "", "").Result.RequestState
		s.rounds.mu.Lock()
		s.rounds.waiting[late].end(errors.New("too late"))
		s.rounds.mu.Unlock()
		synctest.Wait()
		for i := range maxRounds - 1 {
			k.call(10+i, 1, "", "")
		}
		if m := k.call(2, 1, waits, "x"); m.Result.IsError || !strings.Contains(m.text(), "tester said") {
			t.Errorf("the call that has waited longest: %s, want its answer", m.text())
		}
		if m := other.call(2, 1, late, "x"); !m.Result.IsError {
			t.Errorf("the call that had ended still has its place: %s", m.text())
		}
		over := other.call(3, 1, "", "").Result.RequestState
		s.rounds.mu.Lock()
		s.rounds.waiting[over].end(errors.New("too late"))
		s.rounds.mu.Unlock()
		synctest.Wait()
		other.end()
		synctest.Wait()
		s.rounds.mu.Lock()
		_, kept := s.rounds.waiting[over]
		s.rounds.mu.Unlock()
		if kept {
			t.Error("a call that has ended keeps its place when its client is gone")
		}
		k.end()
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
}

// A client over streams hears of what it subscribed to, and of nothing else; its
// subscription ends with it.
func TestListen(t *testing.T) {
	t.Parallel()
	s := New(Options{Backend: &empty{}, Name: "n", Version: "1"})
	k := newTalk(t, s)
	k.say(7, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	if m := k.next(); m.Method != "notifications/subscriptions/acknowledged" {
		t.Fatalf("got %+v, want an acknowledgement", m)
	}
	s.listeners.notify(principal.Local, "notifications/prompts/list_changed", nil)
	s.listeners.notify(principal.Local, "notifications/tools/list_changed", nil)
	m := k.next()
	if id := m.Params.Meta["io.modelcontextprotocol/subscriptionId"]; m.Method != "notifications/tools/list_changed" || id != 7.0 {
		t.Errorf("got %+v, want tools/list_changed of subscription 7", m)
	}
	if _, err := io.WriteString(k.in, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}`+"\n"); err != nil {
		t.Fatal(err)
	}
	if m := k.next(); m.ID != 7.0 || m.Result.ResultType != "complete" {
		t.Errorf("cancelled: got %+v, want the end of the subscription", m)
	}
	k.say(8, "subscriptions/listen", `"notifications":{"toolsListChanged":true}`)
	k.next()
	k.end() // waits for no subscription
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// The revision without sessions has what it needs without a handshake, and is
// refused what it has no more.
func TestShared_discover(t *testing.T) {
	t.Parallel()
	s := New(Options{Backend: &empty{}, Name: "n", Version: "1"})
	k := newTalk(t, s)
	k.say(1, "server/discover", "")
	if m := k.next(); m.Error != nil || m.Result.ResultType != "complete" {
		t.Errorf("server/discover: got %+v", m)
	}
	k.say(2, "ping", "")
	if m := k.next(); m.Error == nil || m.Error.Code != -32601 {
		t.Errorf("ping: got %+v, want an unknown method", m)
	}
	if _, err := io.WriteString(k.in, strings.ReplaceAll(`{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{`+envelope+"}}\n", `"tester"`, `"n"`)); err != nil {
		t.Fatal(err)
	}
	if m := k.next(); m.Error == nil || m.Error.Message != errItself.Error() {
		t.Errorf("a client of our own name: got %+v, want a refusal", m)
	}
	k.end()
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
