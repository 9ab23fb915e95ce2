package display

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestQuestion(t *testing.T) {
	if q := Question(&protocol.TaskDescribeCallResult{Tool: "read"}); q != nil {
		t.Errorf("got %+v for a call that nobody is asked about", q)
	}
	r := &protocol.TaskDescribeCallResult{Confirm: true, Server: "mail", Tool: "se`nd", Arguments: []byte(`{"to":"` + "```" + `"}`)}
	q := Question(r)
	has(t, q.Markdown, "**Run `se nd` of the MCP server `mail`?** It may change something", "````json\n{\n  \"to\": \"```\"\n}\n````")
	has(t, q.Title+"\n"+q.Detail, "Run se`nd of the MCP server mail?\nIt may change something: its server does not say that it only reads.\n\n{\n")
	r.ReadOnly, r.Arguments = true, []byte(`{"a":"`+strings.Repeat("é", 4000)+`"}`)
	q = Question(r)
	has(t, q.Markdown, "that it only reads. Once you have let it run", "é\n… (4,013 characters)\n```")
	if !strings.HasSuffix(q.Detail, "é… (4,013 characters)") || len([]rune(q.Detail)) > maxInDialog+200 {
		t.Errorf("got a detail of %d bytes that ends in %q, want its beginning", len(q.Detail), q.Detail[len(q.Detail)-10:])
	}
	r.Arguments = []byte("{\"to\":\"\u202egro.live\"}")
	has(t, Question(r).Detail, `"to": "\u202egro.live"`)
	r.Arguments = nil
	has(t, Question(r).Detail, "{}")
}
