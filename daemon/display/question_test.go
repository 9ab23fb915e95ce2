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
	has(t, q.Title, "Run se nd of the MCP server mail?")
	has(t, q.Line, "Run se`nd of the MCP server mail? It may change something: its server does not say that it only reads. { \"to\": ")
	r.ReadOnly, r.Arguments = true, []byte(`{"a":"`+strings.Repeat("é", 4000)+`"}`)
	q = Question(r)
	has(t, q.Markdown, "that it only reads. Once you have allowed it", "é\n… (4,013 characters)\n```")
	if !strings.HasSuffix(q.Line, "é…") || len([]rune(q.Line)) > maxInLine+200 {
		t.Errorf("got a line of %d bytes that ends in %q, want its beginning", len(q.Line), q.Line[len(q.Line)-10:])
	}
	r.Tool, r.Arguments = "drop_*all*_[x](y)", []byte("{\"to\":\"\u202egro.live\"}")
	has(t, Question(r).Line, `"to": "\u202egro.live"`)
	if q := Question(r); q.Title != "Run drop all x (y) of the MCP server mail?" {
		t.Errorf("the headline is %q, want no marks of Markdown", q.Title)
	}
	r.Arguments = nil
	has(t, Question(r).Line, "{}")
	claim := ClaimQuestion(&protocol.ClaimConfirmParams{Server: "mail", Tool: "send", Arguments: []byte(`{"to":"me"}`)})
	has(t, claim.Line, "Let send of the MCP server mail answer this message? Its server asks for it; otherwise the model answers. { \"to\": \"me\" }")
}
