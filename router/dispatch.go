package router

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// What a model is told of the tools by which it searches and calls. The index
// of servers stands last, so that all tasks share the text before it.
const (
	searchDescription = "Find tools. Many more exist than are listed: say in `query` what the tool has to do, in a " +
		"few plain words, or `select:name1,name2` for exact names. Answers with names, signatures and schemas; run " +
		"one by " + CallName + ". Do not repeat a search that found nothing.\nServers:\n"
	searchSchema = `{"type":"object","properties":{` +
		`"query":{"type":"string"},` +
		`"limit":{"type":"integer","description":"Most tools to show, 5 by default."}},"required":["query"]}`

	callDescription = "Run a tool that " + SearchName + " found, by its exact name, with arguments that fit its schema."
	callSchema      = `{"type":"object","properties":{` +
		`"name":{"type":"string"},` +
		`"arguments":{"type":"object"}},"required":["name"]}`

	resultDescription = "Read more of a result that was cut. Its notice names the handle. Give one of offset " +
		"(in characters), lines (\"10-20\"), grep (a regular expression) or jsonpath."
	resultSchema = `{"type":"object","properties":{` +
		`"handle":{"type":"string"},` +
		`"offset":{"type":"integer"},` +
		`"lines":{"type":"string"},` +
		`"grep":{"type":"string"},` +
		`"jsonpath":{"type":"string"}},"required":["handle"]}`
)

// dispatchToolCount is how many places dispatchTools take in a request.
const dispatchToolCount = 2

// dispatchTools are the two tools of strategy `dispatch`.
func dispatchTools(index string) []protocol.MetaTool {
	return []protocol.MetaTool{
		{Name: SearchName, Description: searchDescription + index, InputSchema: json.RawMessage(searchSchema)},
		{Name: CallName, Description: callDescription, InputSchema: json.RawMessage(callSchema)},
	}
}

// resultTool reads more of a result that was cut.
func resultTool() protocol.MetaTool {
	return protocol.MetaTool{Name: ResultName, Description: resultDescription, InputSchema: json.RawMessage(resultSchema)}
}

// extraMetaTools is how many tools of Winnow's own, besides mcp_load, the
// task's requests carry.
func (t *Task) extraMetaTools() int {
	n := 0
	if t.Index != "" {
		n += dispatchToolCount
	}
	if t.ResultOffered {
		n++
	}
	return n
}

// dispatch is the strategy that attaches nothing. What was attached before,
// while the tools were few, stays; the index is written once.
func (v *View) dispatch(t Task) Task {
	t.Routing = protocol.AttachDispatch
	if t.Index == "" {
		t.Index = v.serverIndex(&t)
		t.Generation++
	}
	return t
}

// Bounds on the index of servers.
const (
	maxIndexServers = 24
	maxIndexName    = 60
)

// serverIndex names the servers in scope and how many tools each has: one line
// each, and one for all that are too many.
func (v *View) serverIndex(t *Task) string {
	var b strings.Builder
	lines, more, moreTools := 0, 0, 0
	for s := range v.Catalog.Servers {
		n := v.countServer(t, s)
		switch {
		case n == 0:
		case lines < maxIndexServers:
			lines++
			fmt.Fprintf(&b, "- %s (%d)\n", oneLine(v.Catalog.Servers[s].Name, maxIndexName), n)
		default:
			more++
			moreTools += n
		}
	}
	if more > 0 {
		fmt.Fprintf(&b, "- and %d more servers (%d)\n", more, moreTools)
	}
	if lines == 0 {
		return "- none yet"
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// OfferResult returns the task after a result was cut: its requests carry
// mcp_result from now on. Without routing, without room, or where mcp_call
// reaches it, none is added.
func (v *View) OfferResult(t Task) Task {
	if t.ResultOffered || t.Index != "" || v.Settings.SearchTurns == 0 {
		return t
	}
	if t.Routing == protocol.AttachDynamic && v.room(&t) == 0 {
		return t
	}
	t.ResultOffered = true
	t.Generation++
	return t
}

// ReadResult returns how the task's model reads more of the result under a
// handle: a call with arguments, as a JSON text.
func (t *Task) ReadResult(handle string) func(arguments string) string {
	return func(arguments string) string {
		call := fmt.Sprintf(`{"handle":%q,%s}`, handle, arguments)
		if t.Index != "" && !t.ResultOffered {
			return fmt.Sprintf(`%s({"name":%q,"arguments":%s})`, CallName, ResultName, call)
		}
		return ResultName + "(" + call + ")"
	}
}

// Shapes reports whether results of the task may be cut. With `searchTurns: 0`
// nothing is hidden, and there is no tool to read the rest.
func (v *View) Shapes() bool { return v.Settings.SearchTurns > 0 && v.Settings.Results.MaxChars > 0 }

// Dispatch decides about a call by mcp_call: the tool need not be attached. An
// error is a [*Refusal].
func (v *View) Dispatch(t *Task, name string) (*Tool, error) {
	i, err := v.known(t, name)
	if err != nil {
		return nil, err
	}
	if err := v.callable(t, i); err != nil {
		return nil, err
	}
	return &v.Catalog.Tools[i], nil
}

// oneLine returns a text on one line, cut after n bytes.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > n {
		return cut(text, n) + "…"
	}
	return text
}
