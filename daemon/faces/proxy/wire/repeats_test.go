package wire_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// TestRepeats: in each format the second of two equal results is named, a third that
// differs and one with a picture stay, and the body is JSON with the rest as it was.
func TestRepeats(t *testing.T) {
	t.Parallel()
	long, err := json.Marshal(strings.Repeat("line of a file\n", 100))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		format wire.Format
		body   string // LONG is the text
		want   int    // how often the text is sent
		keeps  string
	}{
		"chat":      {wire.Chat, `{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":LONG},{"role":"tool","tool_call_id":"b","content":LONG},{"role":"tool","tool_call_id":"c","content":[{"type":"text","text":LONG}]}]}`, 1, `"tool_call_id":"b"`},
		"responses": {wire.Responses, `{"model":"m","input":[{"type":"function_call_output","call_id":"a","output":LONG},{"type":"function_call_output","call_id":"b","output":LONG}]}`, 1, `"call_id":"b"`},
		"messages": {wire.Messages, `{"model":"m","messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"a","content":LONG}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"b","content":[{"type":"text","text":LONG,"cache_control":{"type":"ephemeral"}}]},{"type":"text","text":"and?"}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"c","content":[{"type":"text","text":LONG},{"type":"image","source":{}}]}]}]}`, 2, `"cache_control":{"type":"ephemeral"}`},
		"gemini":    {wire.Gemini, `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":LONG}}}]},{"role":"user","parts":[{"functionResponse":{"id":"b","name":"f","response":{"output":LONG}}}]}]}`, 1, `"id":"b"`},
		"only once": {wire.Chat, `{"model":"m","messages":[{"role":"tool","tool_call_id":"a","content":LONG},{"role":"user","content":LONG}]}`, 2, `"role":"user"`},
	} {
		body := strings.ReplaceAll(tt.body, "LONG", string(long))
		q, err := wire.Read(tt.format, []byte(body))
		if err != nil {
			t.Fatal(name, err)
		}
		got := string(q.Apply(&wire.Edit{Managed: make([]bool, len(q.Tools)), Inserted: q.Repeats()}))
		if n := strings.Count(got, strings.Repeat("line of a file\\n", 100)); n != tt.want || !json.Valid([]byte(got)) || !strings.Contains(got, tt.keeps) {
			t.Errorf("%s: sent %d times, want %d: %s", name, n, tt.want, got)
		}
		if again := q.Repeats(); len(again) > 0 && string(q.Apply(&wire.Edit{Managed: make([]bool, len(q.Tools)), Inserted: again})) != got {
			t.Errorf("%s: the same request is sent in two ways", name)
		}
	}
}
