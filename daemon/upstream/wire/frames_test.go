package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// readFrames runs stdout text through the filter and returns its lines.
func readFrames(t testing.TB, stdout io.Reader, limit int) (lines []string, log string) {
	t.Helper()
	r := &clean.Ring{}
	f := newFrames(stdout, limit, r)
	out, err := io.ReadAll(f)
	if err != nil {
		t.Fatalf("the stream ends with %v, want io.EOF", err)
	}
	if !over(f.ended) {
		t.Error("the end of the stream was not announced")
	}
	if len(out) > 0 {
		lines = strings.Split(strings.TrimSuffix(string(out), "\n"), "\n")
	}
	return lines, r.String()
}

// TestFrames: what passes, and what is kept for the log instead.
func TestFrames(t *testing.T) {
	t.Parallel()
	const answer = `{"jsonrpc":"2.0","id":1,"result":{}}`
	tests := map[string]struct {
		in   string
		want []string
		log  string
	}{
		"answer":               {answer + "\n", []string{answer}, ""},
		"no end of line":       {answer, []string{answer}, ""},
		"windows line ends":    {answer + "\r\n" + answer + "\r\n", []string{answer, answer}, ""},
		"notification":         {`{"jsonrpc":"2.0","method":"m"}` + "\n", []string{`{"jsonrpc":"2.0","method":"m"}`}, ""},
		"error":                {`{"jsonrpc":"2.0","id":1,"error":{}}` + "\n", []string{`{"jsonrpc":"2.0","id":1,"error":{}}`}, ""},
		"null result":          {`{"jsonrpc":"2.0","id":1,"result":null}` + "\n", []string{`{"jsonrpc":"2.0","id":1,"result":null}`}, ""},
		"byte order mark":      {"\xef\xbb\xbf" + answer + "\n", []string{answer}, ""},
		"indented":             {"   " + answer + "  \n", []string{answer}, ""},
		"banner":               {"Listening...\n" + answer + "\n", []string{answer}, "[stdout] Listening...\n"},
		"prompt on the line":   {"> " + answer + "\n", []string{answer}, "[stdout] >\n"},
		"log record with id":   {`{"id":1,"msg":"x"}` + "\n", nil, `[stdout] {"id":1,"msg":"x"}` + "\n"},
		"other version":        {`{"jsonrpc":"1.0","id":1,"result":{}}` + "\n", nil, `[stdout] {"jsonrpc":"1.0","id":1,"result":{}}` + "\n"},
		"neither ask nor tell": {`{"jsonrpc":"2.0","id":1}` + "\n", nil, `[stdout] {"jsonrpc":"2.0","id":1}` + "\n"},
		"broken JSON":          {`{"jsonrpc":"2.0","id":1,` + "\n", nil, "[winnow] dropped a message of 24 bytes that is not JSON: it ends too early at byte 24\n"},
		"lone surrogate":       {`{"jsonrpc":"2.0","id":1,"result":{"a":"\ud83d"}}` + "\n", []string{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"a\":\"\ufffd\"}}"}, ""},
		"invalid UTF-8":        {"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\xff\"}\n", []string{"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"\ufffd\"}"}, ""},
		"repeated id":          {`{"jsonrpc":"2.0","id":9,"id":1,"result":{}}` + "\n", []string{answer}, ""},
		"array": {
			"[" + answer + "]\n",
			[]string{`{"jsonrpc":"2.0","id":1,"error":{"code":-32051,"message":"its answer is not JSON: something follows the value at byte 36"}}`},
			"[stdout] [\n[winnow] dropped a message of 37 bytes that is not JSON: something follows the value at byte 36\n",
		},
		"empty lines": {"\n\n  \n", nil, ""},
		"nothing":     {"", nil, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, in := range []io.Reader{strings.NewReader(test.in), iotest.OneByteReader(strings.NewReader(test.in))} {
				got, log := readFrames(t, in, 1000)
				if !slices.Equal(got, test.want) || log != test.log {
					t.Errorf("lines %q, want %q\nlog %q, want %q", got, test.want, log, test.log)
				}
			}
		})
	}
}

// TestFrames_Oversize: a message above the limit becomes the error of the call
// that it answers, if that can be told; the next message passes.
func TestFrames_Oversize(t *testing.T) {
	t.Parallel()
	const limit = 10_000
	fill := strings.Repeat("x", 200_000)
	inner := `{"jsonrpc":"2.0","id":99,"result":1}`
	tests := map[string]struct {
		message string
		id      string
	}{
		"id first":        {`{"jsonrpc":"2.0","id":7,"result":{"text":"` + fill + `"}}`, "7"},
		"id last":         {`{"result":{"text":"` + fill + `"},"jsonrpc":"2.0","id":7}`, "7"},
		"id before last":  {`{"result":{"text":"` + fill + `"},"id":7,"jsonrpc":"2.0"}`, "7"},
		"text id":         {`{"jsonrpc":"2.0","id":"a-1","result":"` + fill + `"}`, `"a-1"`},
		"id inside only":  {`{"result":"` + fill + `","x":` + inner + `}`, ""},
		"id after spaces": {`{"result":"` + fill + `","jsonrpc":"2.0","id":  7 }`, "7"},
		"notification":    {`{"jsonrpc":"2.0","method":"m","params":{"id":3,"text":"` + fill + `"}}`, ""},
		"request":         {`{"jsonrpc":"2.0","method":"m","id":3,"params":"` + fill + `"}`, ""},
		"not JSON":        {fill, ""},
		"null id":         {`{"jsonrpc":"2.0","id":null,"result":"` + fill + `"}`, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := `{"jsonrpc":"2.0","id":8,"result":{}}`
			got, log := readFrames(t, strings.NewReader(test.message+"\n"+next+"\n"), limit)
			if got[len(got)-1] != next {
				t.Fatalf("the next message is lost: %q", got)
			}
			if !strings.Contains(log, "dropped a message of 200") {
				t.Errorf("log %q", log)
			}
			if test.id == "" {
				if len(got) != 1 {
					t.Errorf("a reply was made up: %s", got[0])
				}
				return
			}
			var reply struct {
				ID    json.RawMessage `json:"id"`
				Error struct {
					Code    int    `json:"code"`
					Message string `json:"message"`
				} `json:"error"`
			}
			if err := json.Unmarshal([]byte(got[0]), &reply); err != nil {
				t.Fatal(err)
			}
			if string(reply.ID) != test.id || reply.Error.Code != codeTooLarge || !strings.Contains(reply.Error.Message, fmt.Sprint(limit)) {
				t.Errorf("reply %s", got[0])
			}
		})
	}
}

// TestFrames_AtTheLimit: a message of exactly the limit passes, one byte more
// does not.
func TestFrames_AtTheLimit(t *testing.T) {
	t.Parallel()
	message := `{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 100_000) + `"}`
	for limit, want := range map[int]bool{len(message): true, len(message) - 1: false} {
		got, _ := readFrames(t, strings.NewReader(message+"\n"), limit)
		if (len(got) == 1 && got[0] == message) != want {
			t.Errorf("limit %d: passes %t", limit, !want)
		}
	}
}

// TestFrames_NotJSON: an answer that is not JSON becomes the error of the call
// that it answers; the next message passes.
func TestFrames_NotJSON(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)
	tests := map[string]struct{ message, id, cause string }{
		"NaN":          {`{"jsonrpc":"2.0","id":7,"result":{"x":NaN}}`, "7", "invalid character 'N'"},
		"id last":      {`{"result":{"x":[Infinity],"id":3},"id":"a","jsonrpc":"2.0"}`, `"a"`, "invalid character 'I'"},
		"depth":        {`{"jsonrpc":"2.0","id":7,"result":` + deep + `}`, "7", "nested deeper"},
		"cut":          {`{"jsonrpc":"2.0","id":7,"result":{"content":[`, "7", "ends too early"},
		"error":        {`{"jsonrpc":"2.0","id":7,"error":{"code":NaN}}`, "7", "invalid character 'N'"},
		"request":      {`{"jsonrpc":"2.0","id":7,"method":"m","params":{"result":NaN}}`, "", ""},
		"notification": {`{"jsonrpc":"2.0","method":"m","params":NaN}`, "", ""},
		"broken id":    {`{"jsonrpc":"2.0","id":NaN,"result":{}}`, "", ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			next := `{"jsonrpc":"2.0","id":8,"result":{}}`
			got, log := readFrames(t, strings.NewReader(test.message+"\n"+next+"\n"), 1<<20)
			if got[len(got)-1] != next || !strings.Contains(log, "that is not JSON") {
				t.Fatalf("lines %q, log %q", got, log)
			}
			if test.id == "" {
				if len(got) != 1 {
					t.Errorf("a reply was made up: %s", got[0])
				}
				return
			}
			if !strings.Contains(got[0], `"id":`+test.id+`,"error":{"code":-32051`) || !strings.Contains(got[0], test.cause) {
				t.Errorf("reply %s, want one for %s about %q", got[0], test.id, test.cause)
			}
		})
	}
}

// mends reports whether some line of an output is changed before it is used.
func mends(stdout []byte) bool {
	for line := range bytes.Lines(stdout) {
		for i := range line {
			if line[i] != '{' {
				continue
			}
			message := bytes.TrimSpace(line[i:])
			if mended, err := ijson.Normalize(message); err == nil && !bytes.Equal(mended, message) {
				return true
			}
		}
	}
	return false
}

// FuzzFrames: whatever a server prints, only messages come out, and none that
// was not there but the replies for those that were too long.
func FuzzFrames(f *testing.F) {
	for _, seed := range []string{
		"banner\n" + `{"jsonrpc":"2.0","id":1,"result":{}}` + "\n",
		`{"jsonrpc":"2.0","id":1,"result":"` + strings.Repeat("x", 300) + "\"}\n{}",
		"> {\"jsonrpc\":\"2.0\",\"method\":\"m\"}\r\n\xef\xbb\xbf{\"jsonrpc\":\"2.0\",\"error\":1}",
		"\n\n\x00{\"jsonrpc\"",
		`{"jsonrpc":"2.0","id":1,"result":NaN}` + "\n" + `{"jsonrpc":"2.0","id":2,"result":{"a":"\ud83d","a":1}}`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, stdout []byte) {
		const limit = 200
		lines, _ := readFrames(t, bytes.NewReader(stdout), limit)
		for _, line := range lines {
			if !isMessage([]byte(line)) {
				t.Errorf("passed %q", line)
			}
			if len(line) > limit && !strings.Contains(line, fmt.Sprint(codeTooLarge)) {
				t.Errorf("passed %d bytes", len(line))
			}
			if again, err := ijson.Normalize([]byte(line)); err != nil || string(again) != line {
				t.Errorf("passed %q, which is no I-JSON", line)
			}
			ours := strings.Contains(line, fmt.Sprint(codeTooLarge)) || strings.Contains(line, fmt.Sprint(codeNotJSON))
			if !ours && !mends(stdout) && !bytes.Contains(stdout, []byte(line)) {
				t.Errorf("changed %q", line)
			}
		}
	})
}
