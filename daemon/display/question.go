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
	maxInDialog = 2000
	maxInChat   = 4000
)

// Question asks the user whether a call may be made; nil where nobody is to be
// asked.
func Question(r *protocol.TaskDescribeCallResult) *protocol.CallQuestion {
	if !r.Confirm {
		return nil
	}
	why := "It may change something: its server does not say that it only reads."
	if r.ReadOnly {
		why = "Its server says that it only reads. Once you have let it run, that is believed."
	}
	// What turns the direction of the text is written as JSON may write it.
	arguments := hiddentext.Printable(indented(r.Arguments))
	tool, server := hiddentext.PrintableLine(r.Tool), hiddentext.PrintableLine(r.Server)
	shown := begin(arguments, maxInChat)
	if len(shown) < len(arguments) {
		shown += fmt.Sprintf("\n… (%s characters)", Number(lettersIn(arguments)))
	}
	fence := fenceFor(shown)
	detail := begin(arguments, maxInDialog)
	if len(detail) < len(arguments) {
		detail += fmt.Sprintf("… (%s characters)", Number(lettersIn(arguments)))
	}
	return &protocol.CallQuestion{
		Title:  fmt.Sprintf("Run %s of the MCP server %s?", tool, server),
		Detail: why + "\n\n" + detail,
		Markdown: fmt.Sprintf("**Run %s of the MCP server %s?** %s\n\n%sjson\n%s\n%s",
			Code(tool), Code(server), why, fence, shown, fence),
	}
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
