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

// How many characters of a call's arguments are shown.
const (
	maxInLine = 300
	maxInChat = 4000
)

// Question asks the user whether a call may be made; nil where no one is to be
// asked.
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

// ClaimQuestion asks the user whether a server's tool may answer a message, or
// run in a program.
func ClaimQuestion(p *protocol.ClaimConfirmParams) *protocol.CallQuestion {
	if p.Program {
		why := strings.TrimSpace("A program that the model wrote calls it. " + hiddentext.PrintableLine(p.Why))
		return callQuestion("Run %s of the MCP server %s?", p.Tool, p.Server, why, p.Arguments)
	}
	return callQuestion("Let %s of the MCP server %s answer this message?", p.Tool, p.Server, "Its server asks for it; otherwise the model answers.", p.Arguments)
}

// callQuestion writes a question about a tool and its server, with why it is asked.
func callQuestion(ask, tool, server, why string, raw json.RawMessage) *protocol.CallQuestion {
	// What turns the direction of the text is written as JSON may write it.
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

// inlineMarks are those of Markdown within a line, which VS Code reads in headlines.
var inlineMarks = regexp.MustCompile("[_*`~<>\\[\\]\\\\]+")

// headline makes a name one that VS Code shows as it is in the headline of a
// question: a_name would lose its underscores.
func headline(name string) string {
	return strings.TrimSpace(inlineMarks.ReplaceAllLiteralString(oneLine(name), " "))
}

// indented writes arguments for people; as they came where they are no JSON.
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

// fenceFor returns a fence that is longer than any in a text: arguments must not
// end it.
func fenceFor(text string) string {
	longest := 2
	for _, run := range backticks.FindAllString(text, -1) {
		longest = max(longest, len(run))
	}
	return strings.Repeat("`", longest+1)
}
