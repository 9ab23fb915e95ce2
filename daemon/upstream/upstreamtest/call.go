package upstreamtest

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

// begin registers a call for cancellation.
func (s *scripted) begin(id json.RawMessage) <-chan struct{} {
	ended := make(chan struct{})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancelled[string(id)] = ended
	return ended
}

func (s *scripted) cancel(id json.RawMessage) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if ended, ok := s.cancelled[string(id)]; ok {
		close(ended)
		delete(s.cancelled, string(id))
	}
}

// call runs one of the standard tools.
func (s *scripted) call(m message, cancelled <-chan struct{}) {
	var args struct {
		MS     int  `json:"ms"`
		Steps  int  `json:"steps"`
		Bytes  int  `json:"bytes"`
		IDLast bool `json:"idLast"`
	}
	// Ignore arguments of another shape: the tool does not use them.
	_ = json.Unmarshal(m.Params.Arguments, &args)
	switch m.Params.Name {
	case "sleep":
		select {
		case <-time.After(time.Duration(args.MS) * time.Millisecond):
			s.answer(m, text("slept"))
		case <-s.woken:
			s.answer(m, text("woken"))
		case <-cancelled:
		}
	case "wake": // at most once; only scripts that list it call it
		close(s.woken)
		s.answer(m, text("awake"))
	case "count":
		for i := range args.Steps {
			s.print(fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%s,"progress":%d,"total":%d,"message":"step"}}`,
				m.Params.Meta.ProgressToken, i+1, args.Steps))
		}
		s.answer(m, text("counted"))
	case "fail":
		s.answer(m, `{"content":[{"type":"text","text":"it went wrong"}],"isError":true}`)
	case "refuse":
		s.print(fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":-32602,"message":"bad arguments","data":{"field":"text"}}}`, m.ID))
	case "exit":
		s.exit()
	case "big":
		s.big(m, args.Bytes, args.IDLast)
	case "env":
		env := os.Environ()
		slices.Sort(env)
		s.answer(m, text(strings.Join(env, "\n")))
	case "meta":
		s.answer(m, `{"content":[],"_meta":{"example.org/answer":"mine"}}`)
	case "bare":
		s.answer(m, `{"structuredContent":{"n":12345678901234567890}}`)
	case "read", "write", "dial", "spawn":
		s.attempt(m)
	case "wrong": // a script lists it among its own tools
		s.answer(m, string(m.Params.Arguments[len(`{"result":`):len(m.Params.Arguments)-1]))
	default:
		s.answer(m, text(string(m.Params.Arguments)))
	}
}

// big responds with a message of about size bytes.
func (s *scripted) big(m message, size int, idLast bool) {
	result := text(strings.Repeat("x", size))
	if idLast {
		s.print(fmt.Sprintf(`{"result":%s,"jsonrpc":"2.0","id":%s}`, result, m.ID))
		return
	}
	s.answer(m, result)
}

func text(s string) string {
	encoded, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return `{"content":[{"type":"text","text":` + string(encoded) + `}]}`
}
