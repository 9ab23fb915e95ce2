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
		`"limit":{"type":"integer","description":"Most tools to show."}},"required":["query"]}`

	callDescription = "Run a tool that " + SearchName + " found, by its exact name, with arguments that fit its schema."
	// loadedCallDescription stands beside mcp_load.
	loadedCallDescription = "Run a tool that " + LoadName + " found and that is not among your tools, by its exact name, " +
		"with arguments that fit its schema."
	callSchema = `{"type":"object","properties":{` +
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
		callTool(callDescription),
	}
}

func callTool(description string) protocol.MetaTool {
	return protocol.MetaTool{Name: CallName, Description: description, InputSchema: json.RawMessage(callSchema)}
}

// resultTool reads more of a result that was cut.
func resultTool() protocol.MetaTool {
	return protocol.MetaTool{Name: ResultName, Description: resultDescription, InputSchema: json.RawMessage(resultSchema)}
}

// extraMetaTools is how many tools of Winnow's own, besides mcp_load, the
// task's requests carry.
func (t *Task) extraMetaTools() int {
	n := 0
	switch {
	case t.Index == "":
	case t.Gateway == protocol.GatewayDynamic:
		n++ // mcp_call alone, beside mcp_load
	default:
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

// OfferResult returns the task after a result was cut: its requests carry
// mcp_result from now on, with routing off too. Without room, or where mcp_call
// reaches it, none is added.
func (v *View) OfferResult(t Task) Task {
	if t.ResultOffered || t.Index != "" {
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
// handle: a call with arguments, as a JSON text. nil: it has no tool for that.
func (t *Task) ReadResult(handle string) func(arguments string) string {
	if t.Index == "" && !t.ResultOffered {
		return nil
	}
	return func(arguments string) string {
		call := fmt.Sprintf(`{"handle":%q,%s}`, handle, arguments)
		if t.Index != "" && !t.ResultOffered {
			return fmt.Sprintf(`%s({"name":%q,"arguments":%s})`, CallName, ResultName, call)
		}
		return ResultName + "(" + call + ")"
	}
}

// Shapes reports whether results may be cut.
func (v *View) Shapes() bool { return v.Settings.Results.MaxChars > 0 }

// Dispatches reports whether the task's model searches and calls, and is given
// no tools for it.
func (t *Task) Dispatches() bool { return t.Routing == protocol.AttachDispatch && !t.LoadOffered }

// finder is the name of the tool by which the task's model finds others.
func (t *Task) finder() string {
	if t.Dispatches() || t.Index != "" && !t.LoadOffered {
		return SearchName
	}
	return LoadName
}

// Dispatch decides about a call by mcp_call: the tool need not be attached. The
// returned task knows what its model was shown. An error is a [*Refusal].
func (v *View) Dispatch(t Task, name string) (Task, Decision, error) {
	i, err := v.known(&t, name)
	if err != nil {
		return t, Decision{}, err
	}
	if err := v.callable(&t, i); err != nil {
		return t, Decision{}, err
	}
	tool := &v.Catalog.Tools[i]
	if v.attaches(&t, tool) {
		return t, Decision{ID: tool.ID}, nil
	}
	return v.unseenCall(t, tool)
}

// oneLine returns a text on one line, cut after n bytes.
func oneLine(text string, n int) string {
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > n {
		return cut(text, n) + "…"
	}
	return text
}
