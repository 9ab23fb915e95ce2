package rpc

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func frame(body string) string { return fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body) }

const call = `{"jsonrpc":"2.0","id":1,"method":"shutdown"}`

// filtered reads all messages, and returns the frames that they are of.
func filtered(in io.Reader) (passed string, rejected []protocol.Code, err error) {
	f := &frames{in: bufio.NewReader(in), broken: func(error) {}, reject: func(code protocol.Code, _ string) {
		rejected = append(rejected, code)
	}}
	for {
		body, err := f.next()
		if errors.Is(err, io.EOF) {
			return passed, rejected, nil
		} else if err != nil {
			return passed, rejected, err
		}
		if _, body, bad := decode(body); bad != nil {
			rejected = append(rejected, bad.code)
		} else {
			passed += frame(string(body))
		}
	}
}

func TestFrames(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name     string
		in       string
		passed   string
		rejected []protocol.Code
		err      string
	}{
		{name: "nothing"},
		{name: "one message", in: frame(call), passed: frame(call)},
		{name: "other headers are left out", in: "content-type: x\r\nCONTENT-LENGTH: " + fmt.Sprint(len(call)) + "\r\n\r\n" + call,
			passed: frame(call)},
		{name: "no JSON", in: frame(`{"jsonrpc":`) + frame(call), passed: frame(call),
			rejected: []protocol.Code{protocol.CodeParseError}},
		{name: "empty", in: frame("") + frame(call), passed: frame(call), rejected: []protocol.Code{protocol.CodeParseError}},
		{name: "no message", in: frame(`42`) + frame(`[]`) + frame(`{"jsonrpc":"1.0"}`) + frame(call), passed: frame(call),
			rejected: []protocol.Code{protocol.CodeInvalidRequest, protocol.CodeInvalidRequest, protocol.CodeInvalidRequest}},
		{name: "a byte too few", in: frame(call)[:len(frame(call))-1], err: "unexpected EOF"},
		{name: "half a header", in: "Content-Le", err: "unexpected EOF"},
		{name: "no length", in: "X: 1\r\n\r\n", err: "no Content-Length"},
		{name: "a length that is none", in: "Content-Length: -1\r\n\r\n", err: "is no length"},
		{name: "a header without end", in: strings.Repeat("x", maxHeaderBytes+1), err: "longer than"},
		{name: "many short header lines", in: strings.Repeat("x: y\r\n", maxHeaderBytes), err: "longer than"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			passed, rejected, err := filtered(strings.NewReader(tt.in))
			if passed != tt.passed {
				t.Errorf("passed %q, want %q", passed, tt.passed)
			}
			if fmt.Sprint(rejected) != fmt.Sprint(tt.rejected) {
				t.Errorf("rejected %v, want %v", rejected, tt.rejected)
			}
			if (err == nil) != (tt.err == "") || err != nil && !strings.Contains(err.Error(), tt.err) {
				t.Errorf("error %v, want one with %q", err, tt.err)
			}
		})
	}
}

func TestFrames_oversizedFrameIsSkipped(t *testing.T) {
	t.Parallel()
	head := fmt.Sprintf("Content-Length: %d\r\n\r\n", maxFrameBytes+1)
	in := io.MultiReader(strings.NewReader(head), io.LimitReader(zeros{}, maxFrameBytes+1), strings.NewReader(frame(call)))
	passed, rejected, err := filtered(in)
	if err != nil || passed != frame(call) || len(rejected) != 1 || rejected[0] != protocol.CodeInvalidRequest {
		t.Errorf("passed %q, rejected %v, error %v", passed, rejected, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// FuzzFrames checks that whatever a host sends, only whole messages pass, and
// that what passes is passed again unchanged.
func FuzzFrames(f *testing.F) {
	f.Add(frame(call))
	f.Add(frame(`{"a":`) + frame(call))
	f.Add("Content-Length: 5\r\n\r\n{\"a\"")
	f.Add("Content-Length: 99999999999999999999\r\n\r\n")
	f.Add("X: y\n\nContent-Length:2\n\n{}")
	f.Fuzz(func(t *testing.T, in string) {
		passed, _, err := filtered(strings.NewReader(in))
		again, rejected, err2 := filtered(strings.NewReader(passed))
		if again != passed || len(rejected) != 0 || err2 != nil && !errors.Is(err2, io.EOF) {
			t.Errorf("of %q passed %q (%v), then %q, rejected %v (%v)", in, passed, err, again, rejected, err2)
		}
	})
}
