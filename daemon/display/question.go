package display

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol"
)

// Characters of a call's arguments that are shown.
const (
	maxInLine = 300
	maxInChat = 4000
)

// Question returns the question to the user about a call; nil if none is needed.
func Question(r *protocol.TaskDescribeCallResult) *protocol.CallQuestion {
	if !r.Confirm {
		return nil
	}
	why := "It may change something: its server does not say that it only reads."
	if r.ReadOnly {
		why = "Its server says that it only reads."
		if r.Passed == "" {
			why += " Once you have allowed it, Winnow does not ask about it again."
		}
	}
	if r.Passed != "" {
		why += " " + hiddentext.PrintableLine(r.Passed)
	}
	return callQuestion("Run %s of the MCP server %s?", r.Tool, r.Server, why, r.Arguments)
}

// ClaimQuestion returns the question whether a server's tool may answer a message, or run
// in a program.
func ClaimQuestion(p *protocol.ClaimConfirmParams) *protocol.CallQuestion {
	if p.Program {
		why := strings.TrimSpace("A program that the model wrote calls it. " + hiddentext.PrintableLine(p.Why))
		return callQuestion("Run %s of the MCP server %s?", p.Tool, p.Server, why, p.Arguments)
	}
	return callQuestion("Let %s of the MCP server %s answer this message?", p.Tool, p.Server, "Its server asks for it; otherwise the model answers.", p.Arguments)
}

// callQuestion returns a question about a tool and its server, with the reason for it.
func callQuestion(ask, tool, server, why string, raw json.RawMessage) *protocol.CallQuestion {
	// Bidirectional controls are escaped as in JSON.
	arguments := hiddentext.Printable(indented(raw))
	tool, server = hiddentext.PrintableLine(tool), hiddentext.PrintableLine(server)
	shown := begin(arguments, maxInChat)
	if len(shown) < len(arguments) {
		shown += fmt.Sprintf("\n… (%s characters)", Number(lettersIn(arguments)))
	}
	fence := fenceFor(shown)
	return &protocol.CallQuestion{
		Title: fmt.Sprintf(ask, headline(tool), headline(server)),
		Markdown: fmt.Sprintf("**"+ask+"** %s\n\n%sjson\n%s\n%s",
			Code(tool), Code(server), why, fence, shown, fence),
		Line: fmt.Sprintf(ask, tool, server) + " " + why + " " + excerpt(arguments, maxInLine),
	}
}

// inlineMarks matches inline Markdown, which VS Code interprets in headlines.
var inlineMarks = regexp.MustCompile("[_*`~<>\\[\\]\\\\]+")

// headline makes a name literal in the headline of a question: a_name would lose its
// underscores.
func headline(name string) string {
	return strings.TrimSpace(inlineMarks.ReplaceAllLiteralString(oneLine(name), " "))
}

// indented formats arguments for people; invalid JSON is unchanged.
func indented(arguments json.RawMessage) string {
	if len(arguments) == 0 {
		return "{}"
	}
	var b bytes.Buffer
	if json.Indent(&b, arguments, "", "  ") != nil {
		return string(arguments)
	}
	return b.String()
}

var backticks = regexp.MustCompile("`+")

// fenceFor returns a fence longer than any in a text, so that arguments cannot end it.
func fenceFor(text string) string {
	longest := 2
	for _, run := range backticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}
