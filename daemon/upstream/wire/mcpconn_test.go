package wire

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/process"
)

// pipeServer is the other end of a connection over pipes, in fake time.
type pipeServer struct {
	in  *io.PipeReader
	out *io.PipeWriter
	// answer returns the lines to send for a message.
	answer func(m pipeMessage) []string
}

// stopsReading is the name of a tool after whose answer the server stops reading.
const stopsReading = "stopsReading"

type pipeMessage struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// reply makes an answer to a message.
func (m pipeMessage) reply(result string) []string {
	return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"result":%s}`, m.ID, result)}
}

// refuse makes an error of that code.
func (m pipeMessage) refuse(code int) []string {
	return []string{fmt.Sprintf(`{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":"no"}}`, m.ID, code)}
}

func (s *pipeServer) run() {
	in := bufio.NewReader(s.in)
	for {
		line, err := in.ReadBytes('\n')
		if err != nil {
			_ = s.out.Close()
			return
		}
		var m pipeMessage
		if json.Unmarshal(line, &m) != nil {
			continue
		}
		for _, text := range s.answer(m) {
			if _, err := io.WriteString(s.out, text+"\n"); err != nil {
				return
			}
		}
		if strings.Contains(string(line), stopsReading) {
			return
		}
	}
}

// wellBehaved answers the handshake and an empty list; the rest is the test's.
func wellBehaved(rest func(m pipeMessage) []string) func(m pipeMessage) []string {
	return func(m pipeMessage) []string {
		switch m.Method {
		case "initialize":
			return m.reply(`{"protocolVersion":"2025-11-25","capabilities":{},"serverInfo":{"name":"pipe","version":"1"}}`)
		case "server/discover":
			return m.reply(`{"resultType":"complete","supportedVersions":["2026-07-28"],"capabilities":{"tools":{"listChanged":true}},"ttlMs":0,"cacheScope":"private"}`)
		case "tools/list":
			return m.reply(`{"tools":[{"name":"t"}]}`)
		default:
			return rest(m)
		}
	}
}

// inPipes runs a test on a connection over pipes whose handshake is not made
// yet.
func inPipes(t *testing.T, era Era, answer func(m pipeMessage) []string, test func(t *testing.T, c *mcpConn, s *pipeServer)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s := &pipeServer{answer: answer}
		var stdin *io.PipeWriter
		var stdout *io.PipeReader
		s.in, stdin = io.Pipe()
		stdout, s.out = io.Pipe()
		go s.run()

		c := newMCPConn("s", &clean.Ring{}, &clean.Redactor{})
		io := transport.NewIO(newFrames(stdout, 1<<20, &clean.Ring{}), stdin, nil)
		c.use(io, era, "1")
		c.shut = func(process.Grace, <-chan struct{}) {
			_ = s.in.Close()
			_ = s.out.Close()
			_ = io.Close()
		}
		test(t, c, s)
		c.Close(process.Grace{}, nil)
	})
}

// inSession is inPipes after the handshake.
func inSession(t *testing.T, era Era, rest func(m pipeMessage) []string, test func(t *testing.T, c *mcpConn, s *pipeServer)) {
	t.Helper()
	inPipes(t, era, wellBehaved(rest), func(t *testing.T, c *mcpConn, s *pipeServer) {
		if _, err := c.handshake(t.Context(), Config{}.WithDefaults()); err != nil {
			t.Fatal(err)
		}
		test(t, c, s)
	})
}

func silence(pipeMessage) []string { return nil }

// TestConn_Ping: any answer is a sign of life, none within ten seconds is not.
func TestConn_Ping(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		answer func(m pipeMessage) []string
		want   string
	}{
		"answered": {func(m pipeMessage) []string { return m.reply(`{}`) }, ""},
		"refused":  {func(m pipeMessage) []string { return m.refuse(-32601) }, ""},
		"silent":   {silence, "it did not answer a ping within 10s"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inSession(t, EraLegacy, test.answer, func(t *testing.T, c *mcpConn, _ *pipeServer) {
				err := c.Ping(t.Context())
				if (err == nil) != (test.want == "") || (err != nil && err.Error() != test.want) {
					t.Errorf("ping: %v, want %q", err, test.want)
				}
				if over(c.Lost()) {
					t.Error("one ping ended the connection")
				}
			})
		})
	}
}

// TestConn_Timeout: a call ends at its timeout to the millisecond, and the
// connection lives on.
func TestConn_Timeout(t *testing.T) {
	t.Parallel()
	inSession(t, EraLegacy, silence, func(t *testing.T, c *mcpConn, _ *pipeServer) {
		began := time.Now()
		_, err := c.Call(t.Context(), ToolCall{Tool: "t", Timeout: 7 * time.Second})
		var timeout *TimeoutError
		if !errors.As(err, &timeout) || timeout.Timeout != 7*time.Second || time.Since(began) != 7*time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
		time.Sleep(time.Minute)
		if over(c.Lost()) {
			t.Errorf("the connection ended: %v", c.Cause())
		}
	})
}

// TestConn_StopsReading: a write that nobody reads ends with the call's timeout, and
// the connection a second later. A call that is cancelled returns at once, and
// the connection still has until the call's timeout.
//
// There is one such call at a time: a second one would wait for mcp-go's
// mutex, during which fake time stands still.
func TestConn_StopsReading(t *testing.T) {
	t.Parallel()
	const timeout = 20 * time.Second
	for name, cancelAfter := range map[string]time.Duration{"timeout": time.Hour, "cancelled": time.Second} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answerOne := func(m pipeMessage) []string { return m.reply(`{"content":[]}`) }
			inSession(t, EraLegacy, answerOne, func(t *testing.T, c *mcpConn, _ *pipeServer) {
				if _, err := c.Call(t.Context(), ToolCall{Tool: stopsReading, Timeout: time.Hour}); err != nil {
					t.Fatal(err)
				}
				began := time.Now()
				ctx, cancel := context.WithTimeout(t.Context(), cancelAfter)
				defer cancel()
				_, err := c.Call(ctx, ToolCall{Tool: "t", Timeout: timeout})
				if took := time.Since(began); took != min(timeout, cancelAfter) || err == nil {
					t.Errorf("the call ended after %s with %v", took, err)
				}
				if over(c.Lost()) {
					t.Error("the connection ended with the call")
				}
				<-c.Lost()
				if took := time.Since(began); took != timeout+unblockGrace || !errors.Is(c.Cause(), errNotReading) {
					t.Errorf("the connection ended after %s: %v", took, c.Cause())
				}
			})
		})
	}
}

// TestConn_SlowReceiver: progress that nobody takes is dropped, and the answer
// arrives all the same.
func TestConn_SlowReceiver(t *testing.T) {
	t.Parallel()
	const steps = 100
	answer := func(m pipeMessage) []string {
		var params struct {
			Meta struct {
				Token string `json:"progressToken"`
			} `json:"_meta"`
		}
		if m.Method != "tools/call" || json.Unmarshal(m.Params, &params) != nil {
			return nil
		}
		var lines []string
		for i := range steps {
			lines = append(lines, fmt.Sprintf(`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":%q,"progress":%d}}`, params.Meta.Token, i+1))
		}
		return append(lines, m.reply(`{"content":[]}`)...)
	}
	inSession(t, EraLegacy, answer, func(t *testing.T, c *mcpConn, _ *pipeServer) {
		var seen []Progress
		_, err := c.Call(t.Context(), ToolCall{Tool: "t", Timeout: time.Hour, Progress: func(p Progress) {
			time.Sleep(time.Second)
			seen = append(seen, p)
		}})
		if err != nil || len(seen) == 0 || len(seen) == steps || seen[0].Progress != 1 {
			t.Errorf("%d steps, %v", len(seen), err)
		}
		c.notices.progress.mu.Lock()
		defer c.notices.progress.mu.Unlock()
		if len(c.notices.progress.steps) != 0 {
			t.Error("a receiver is left")
		}
	})
}

// TestConn_UnaskedProgress: progress for nobody, and of a strange shape, hurts
// nobody.
func TestConn_UnaskedProgress(t *testing.T) {
	t.Parallel()
	answer := func(m pipeMessage) []string {
		return append([]string{
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":"x","progress":1}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":7,"progress":"much"}}`,
			`{"jsonrpc":"2.0","method":"notifications/progress"}`,
			`{"jsonrpc":"2.0","method":"notifications/of/the/future","params":{}}`,
		}, m.reply(`{"content":[]}`)...)
	}
	inSession(t, EraLegacy, answer, func(t *testing.T, c *mcpConn, _ *pipeServer) {
		if _, err := c.Call(t.Context(), ToolCall{Tool: "t", Timeout: time.Second}); err != nil {
			t.Error(err)
		}
	})
}

// TestConn_Handshake: what a server can answer first, and what it means.
func TestConn_Handshake(t *testing.T) {
	t.Parallel()
	refused := func(err error) bool { var e *refusedError; return errors.As(err, &e) }
	silent := func(err error) bool { var e *SilentError; return errors.As(err, &e) }
	tests := map[string]struct {
		era    Era
		answer func(m pipeMessage) []string
		is     func(err error) bool
		want   string
	}{
		"refused":         {EraLegacy, func(m pipeMessage) []string { return m.refuse(-32601) }, refused, "it refused to begin: no (code -32601)"},
		"modern refused":  {EraModern, func(m pipeMessage) []string { return m.refuse(-32601) }, refused, "it refused to begin: no (code -32601)"},
		"silent":          {EraLegacy, silence, silent, "it did not answer within 1m0s"},
		"modern silent":   {EraModern, silence, silent, "it did not answer within 1m0s"},
		"unknown version": {EraLegacy, func(m pipeMessage) []string { return m.reply(`{"protocolVersion":"1"}`) }, refused, "a version of MCP that is not supported"},
		"not an object":   {EraLegacy, func(m pipeMessage) []string { return m.reply(`[1]`) }, nil, "initialize: its answer is not the object"},
		"tools/list silent": {EraLegacy, func(m pipeMessage) []string {
			if m.Method == "tools/list" {
				return nil
			}
			return wellBehaved(silence)(m)
		}, silent, "list tools: it did not answer within 30s"},
		"no tools/list":    {EraLegacy, listing404, nil, ""},
		"tools/list fails": {EraLegacy, listingFails, nil, "list tools: MCP server \"s\": tools/list: no (code -32000)"},
		"tools/list is odd": {EraLegacy, func(m pipeMessage) []string {
			if m.Method == "tools/list" {
				return m.reply(`{"tools":"many"}`)
			}
			return wellBehaved(silence)(m)
		}, nil, "list tools: tools/list: its answer is not the object"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inPipes(t, test.era, test.answer, func(t *testing.T, c *mcpConn, _ *pipeServer) {
				_, err := c.handshake(t.Context(), Config{}.WithDefaults())
				if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
					t.Fatalf("handshake: %v, want %q", err, test.want)
				}
				if test.is != nil && !test.is(err) {
					t.Errorf("%v is a %T", err, err)
				}
			})
		})
	}
}

// listing404 and listingFails are servers without, and with a broken,
// tools/list.
func listing404(m pipeMessage) []string {
	if m.Method == "tools/list" {
		return m.refuse(-32601)
	}
	return wellBehaved(silence)(m)
}

func listingFails(m pipeMessage) []string {
	if m.Method == "tools/list" {
		return m.refuse(-32000)
	}
	return wellBehaved(silence)(m)
}

// TestConn_Subscribe: a stream of announcements that ends is opened again, and
// counts as an announcement; one that is refused is not asked for again.
func TestConn_Subscribe(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answer func(m pipeMessage) []string
		many   bool
	}{
		"ends":    {func(m pipeMessage) []string { return m.reply(`{"resultType":"complete"}`) }, true},
		"refused": {func(m pipeMessage) []string { return m.refuse(-32601) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 100)
			inSession(t, EraModern, func(m pipeMessage) []string {
				if m.Method == "subscriptions/listen" {
					asked <- struct{}{}
				}
				return test.answer(m)
			}, func(t *testing.T, c *mcpConn, _ *pipeServer) {
				time.Sleep(10 * time.Second)
				synctest.Wait()
				// After about 1, 3 and 7 seconds.
				if n := len(asked); (n >= 3 && n <= 5) != test.many || n == 0 {
					t.Errorf("asked %d times", n)
				}
				if got := len(c.Changed()) == 1; got != test.many {
					t.Errorf("announced %t", got)
				}
			})
		})
	}
}

// TestConn_Closed: nothing is sent on a closed connection.
func TestConn_Closed(t *testing.T) {
	t.Parallel()
	inSession(t, EraLegacy, silence, func(t *testing.T, c *mcpConn, _ *pipeServer) {
		c.Close(process.Grace{}, nil)
		_, err := c.Call(t.Context(), ToolCall{Tool: "t", Timeout: time.Second})
		if !errors.Is(err, ErrClosing) {
			t.Errorf("call: %v", err)
		}
	})
}

// TestConn_EndOfOutput: the end of the server's output is the end of the calls
// under way, with mcp-go's word for it when no other cause becomes known.
func TestConn_EndOfOutput(t *testing.T) {
	t.Parallel()
	inSession(t, EraLegacy, silence, func(t *testing.T, c *mcpConn, s *pipeServer) {
		time.AfterFunc(time.Second, func() { _ = s.out.Close() })
		_, err := c.Call(t.Context(), ToolCall{Tool: "t", Timeout: time.Hour})
		if !errors.Is(err, transport.ErrTransportClosed) {
			t.Errorf("call: %v", err)
		}
		cause := errors.New("the cause")
		time.AfterFunc(causeGrace/2, func() { c.Fail(cause) })
		if _, err := c.Call(t.Context(), ToolCall{Tool: "t", Timeout: time.Hour}); !errors.Is(err, cause) {
			t.Errorf("call: %v", err)
		}
	})
}

// TestPlain: the words that repeat what the user knows are left out.
func TestPlain(t *testing.T) {
	t.Parallel()
	request := &url.Error{Op: "Post", URL: "http://h/", Err: io.ErrUnexpectedEOF}
	tests := map[string]struct {
		err  error
		want string
	}{
		"request": {fmt.Errorf("failed to send request: %w", fmt.Errorf("failed to send request: %w", request)), `Post "http://h/": unexpected EOF`},
		"other":   {errRefused, "connection refused"},
	}
	for name, test := range tests {
		if got := plain(test.err).Error(); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestParseResult(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		raw     string
		want    string
		isError bool
	}{
		"plain":           {`{"content":[]}`, "", false},
		"failed":          {`{"content":[],"isError":true}`, "", true},
		"without content": {`{"structuredContent":1}`, "", false},
		"not an object":   {`[]`, "not the object", false},
		"text":            {`"text"`, "not the object", false},
	}
	for name, test := range tests {
		r, err := parseResult(json.RawMessage(test.raw))
		if (err == nil) != (test.want == "") || (err != nil && !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: %v, want %q", name, err, test.want)
			continue
		}
		if err == nil && (string(r.Raw) != test.raw || r.IsError != test.isError) {
			t.Errorf("%s: %s, error %t", name, r.Raw, r.IsError)
		}
	}
}

// TestNotices_flood: of a flood of notifications so many are handed on in a second;
// the server's log names it, and the last change of each list and resource comes.
func TestNotices_flood(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		log := &clean.Ring{}
		life, end := context.WithCancel(t.Context())
		n := newNotices("server", log, clean.NewCleaner(log, &clean.Redactor{}), &callers{life: life}, func(err error) { t.Error(err) })
		got := map[string]int{}
		go n.handOn(life, func(a Announcement) { got[a.Method+" "+string(a.Params)]++ })
		for range 100 {
			for range 1000 {
				n.announce("notifications/message", map[string]any{"data": "x"})
			}
			n.listChanged("notifications/prompts/list_changed")
			n.announce("notifications/resources/updated", map[string]any{"uri": "a:b"})
			synctest.Wait()
		}
		time.Sleep(time.Second)
		synctest.Wait()
		if got["notifications/message {\"data\":\"x\"}"] > perSecond || got["notifications/prompts/list_changed "] != 1 || got[`notifications/resources/updated {"uri":"a:b"}`] != 1 {
			t.Errorf("got %v, want at most %d messages, and the last change of each", got, perSecond)
		}
		if text := log.String(); !strings.Contains(text, "it sent 100200 notifications in a second") {
			t.Errorf("the log: %s", text)
		}
		for range perSecond / 2 {
			n.announce("notifications/message", map[string]any{"data": "later"})
			synctest.Wait()
		}
		if later := got["notifications/message {\"data\":\"later\"}"]; later != perSecond/2 {
			t.Errorf("afterwards got %d of %d", later, perSecond/2)
		}
		end()
	})
}

// TestDo_SessionEnded: a request whose session was ended by the answer to another one
// is not said to be unread by the server, so that nobody repeats it.
func TestDo_SessionEnded(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c := newMCPConn("s", nil, &clean.Redactor{})
		do := func(request func(context.Context) error) error {
			_, err := c.do(t.Context(), time.Minute, func(ctx context.Context) (json.RawMessage, error) { return nil, request(ctx) }, nil, nil)
			return err
		}
		other := make(chan error, 1)
		go func() { other <- do(func(ctx context.Context) error { <-ctx.Done(); return ctx.Err() }) }()
		synctest.Wait()
		if err := do(func(context.Context) error { return transport.ErrSessionTerminated }); !errors.Is(err, ErrSessionEnded) {
			t.Errorf("the one that was refused: %v", err)
		}
		if err := <-other; !errors.Is(err, ErrEndedUnderWay) || errors.Is(err, ErrSessionEnded) {
			t.Errorf("the one under way: %v", err)
		}
		if err := do(func(context.Context) error { t.Error("sent"); return nil }); !errors.Is(err, ErrSessionEnded) {
			t.Errorf("one after that: %v", err)
		}
		c.wait()
	})
}
