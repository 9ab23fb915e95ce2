package router

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// loadDescription is the same for every task and catalogue. A list of all tools would
// change with the servers and invalidate the prompt cache. The tools that the task names
// may follow it.
const loadDescription = "Attach more tools to this conversation. Only the tools that seemed to fit are attached; " +
	"many more exist. When none of yours can do the next step, say in `query` what it has to do, in a few plain " +
	"words (\"create a GitHub issue\"), or give exact `names`. The tools that it attaches can be called from your " +
	"next message on. Do not ask twice for the same."

// gatewayLoadDescription is for clients of the gateway. Some see a longer list late or
// never, so it describes mcp_call, which always works. The index of servers follows.
const gatewayLoadDescription = "Find more tools and attach them. Many more exist than are listed: say in `query` what the " +
	"tool has to do, in a few plain words (\"create a GitHub issue\"), or give exact `names`. What it answers with can be " +
	"run at once by " + CallName + ", and by its own name where it is among your tools. Do not ask twice for the same.\n" +
	"Servers:\n"

// namedTitle precedes the tools that are only named.
const namedTitle = "\nAmong them, to be attached by `names`:"

const loadSchema = `{"type":"object","properties":{` +
	`"query":{"type":"string","description":"What the tool has to do, in a few words."},` +
	`"names":{"type":"array","items":{"type":"string"},"description":"Exact names of tools, when you know them."}}}`

// metaToolCount is how many places the result of metaTools takes in a request.
const metaToolCount = 1

// metaTools returns Winnow's own tools that a routed request carries.
func (t *Task) metaTools() []protocol.MetaTool {
	names := t.names()
	if names == "" {
		return []protocol.MetaTool{loadTool(loadDescription)}
	}
	return []protocol.MetaTool{loadTool(loadDescription + namedTitle + names)}
}

func loadTool(description string) protocol.MetaTool {
	return protocol.MetaTool{Name: LoadName, Description: description, InputSchema: json.RawMessage(loadSchema)}
}

// Texts of the tools by which a model searches and calls. The index of servers comes
// last, so that all tasks share the text before it.
const (
	searchDescription = "Find tools. Many more exist than are listed: say in `query` what the tool has to do, in a " +
		"few plain words, or `select:name1,name2` for exact names. Answers with names, signatures and schemas; run " +
		"one by " + CallName + ". Do not repeat a search that found nothing.\nServers:\n"
	searchSchema = `{"type":"object","properties":{` +
		`"query":{"type":"string"},` +
		`"limit":{"type":"integer","description":"Most tools to show."}},"required":["query"]}`

	callDescription = "Run a tool that " + SearchName + " found, by its exact name, with arguments that fit its schema."
	// loadedCallDescription is the text of mcp_call beside mcp_load.
	loadedCallDescription = "Run a tool that " + LoadName + " found and that is not among your tools, by its exact name, " +
		"with arguments that fit its schema."
	// readDescription is for clients that run tools annotated as read-only without
	// asking.
	readDescription = "Like " + CallName + ", for tools that are marked " + readsMark + " where they were found."
	readsMark       = "[reads]"
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

// dispatchTools returns the two tools of strategy `dispatch`.
func dispatchTools(index string) []protocol.MetaTool {
	return []protocol.MetaTool{
		{Name: SearchName, Description: searchDescription + index, InputSchema: json.RawMessage(searchSchema)},
		callTool(callDescription),
	}
}

func callTool(description string) protocol.MetaTool {
	return protocol.MetaTool{Name: CallName, Description: description, InputSchema: json.RawMessage(callSchema)}
}

func readTool() protocol.MetaTool {
	return protocol.MetaTool{Name: ReadName, Description: readDescription, InputSchema: json.RawMessage(callSchema)}
}

// Texts of mcp_run. The example explains more than a grammar would.
const (
	runDescription = "Run a program in Starlark (Python without import, while, try and classes) that calls tools, and read only what " +
		"it puts into `result`. call(\"name\", {\"argument\": value}) runs a tool by its exact name and returns its JSON as " +
		"values, or its text (a file's always: json_decode(text)); parallel([(\"name\", {…}), …]) runs several at once and returns a list. Example: " +
		"rows = call(\"list_items\", {\"open\": True})[\"items\"]; result = [r[\"name\"] for r in rows if r[\"size\"] > 10]. " +
		"Use it where an answer is long and you need a part, or where the arguments of calls stand in earlier answers."
	runSchema = `{"type":"object","properties":{` +
		`"program":{"type":"string"}},"required":["program"]}`
)

// runTool returns mcp_run, which runs a program of calls.
func runTool() protocol.MetaTool {
	return protocol.MetaTool{Name: RunName, Description: runDescription, InputSchema: json.RawMessage(runSchema)}
}

// resultTool returns mcp_result, which reads more of a result that was cut.
func resultTool() protocol.MetaTool {
	return protocol.MetaTool{Name: ResultName, Description: resultDescription, InputSchema: json.RawMessage(resultSchema)}
}

// extraMetaTools returns how many of Winnow's own tools the task's requests carry besides
// mcp_load.
func (t *Task) extraMetaTools() int {
	n := 0
	switch {
	case t.Index == "":
	case t.Gateway == protocol.GatewayDynamic:
		n += 2 // mcp_call and mcp_read, beside mcp_load
	case t.Gateway != "":
		n += dispatchToolCount + 1
	default:
		n += dispatchToolCount
	}
	if t.ResultOffered {
		n++
	}
	return n
}

// ReadResult returns a function from arguments as JSON to the call by which the task's
// model reads more of the result under handle. It returns nil without a tool for that.
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

// Dispatches reports whether the task's model searches and calls, without tools attached
// for it.
func (t *Task) Dispatches() bool { return t.Routing == protocol.AttachDispatch && !t.LoadOffered }

// Finder returns the name of the tool by which the task's model finds others.
func (t *Task) Finder() string {
	if t.Dispatches() || t.Index != "" && !t.LoadOffered {
		return SearchName
	}
	return LoadName
}

// gatewayTools returns Winnow's own tools that a gateway's client is shown.
func (t *Task) gatewayTools() []protocol.MetaTool {
	var meta []protocol.MetaTool
	switch {
	case t.LoadOffered:
		meta = []protocol.MetaTool{loadTool(gatewayLoadDescription + t.Index), callTool(loadedCallDescription), readTool()}
	case t.Index != "":
		meta = append(dispatchTools(t.Index), readTool())
	}
	if t.ResultOffered {
		meta = append(meta, resultTool())
	}
	return meta
}

// names returns the lines of mcp_load's description that name tools, or "" if there are
// none.
func (t *Task) names() string {
	var b strings.Builder
	for i := range t.Named {
		if n := &t.Named[i]; !n.Answered {
			if b.Len() == 0 {
				b.Grow(len(t.Named) * (maxNameLength + maxNamedAbout))
			}
			b.WriteByte('\n')
			n.write(&b)
		}
	}
	return b.String()
}

// size returns the length in bytes of the tool's line.
func (n *Named) size() int { return len("\n- : ") + len(n.Name) + len(cmp.Or(n.About, noDescription)) }

// write writes the line that names a tool to a model.
func (n *Named) write(b *strings.Builder) {
	b.WriteString("- ")
	b.WriteString(n.Name)
	b.WriteString(": ")
	b.WriteString(cmp.Or(n.About, noDescription))
}
