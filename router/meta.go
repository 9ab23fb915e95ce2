package router

import (
	"cmp"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// loadDescription is the same for every task and catalogue: a list of all there
// is would change with the servers, and break the prompt cache with it. What may
// follow are the tools that the task names.
const loadDescription = "Attach more tools to this conversation. Only the tools that seemed to fit are attached; " +
	"many more exist. When none of yours can do the next step, say in `query` what it has to do, in a few plain " +
	"words (\"create a GitHub issue\"), or give exact `names`. The tools that it attaches can be called from your " +
	"next message on. Do not ask twice for the same."

// gatewayLoadDescription is for clients of the gateway: some see a longer list
// late or never, so it names the way that always works. The index of servers
// follows.
const gatewayLoadDescription = "Find more tools and attach them. Many more exist than are listed: say in `query` what the " +
	"tool has to do, in a few plain words (\"create a GitHub issue\"), or give exact `names`. What it answers with can be " +
	"run at once by " + CallName + ", and by its own name where it is among your tools. Do not ask twice for the same.\n" +
	"Servers:\n"

// namedTitle stands before the tools that are only named.
const namedTitle = "\nAmong them, to be attached by `names`:"

const loadSchema = `{"type":"object","properties":{` +
	`"query":{"type":"string","description":"What the tool has to do, in a few words."},` +
	`"names":{"type":"array","items":{"type":"string"},"description":"Exact names of tools, when you know them."}}}`

// metaToolCount is how many places metaTools take in a request.
const metaToolCount = 1

// metaTools are the tools of Winnow's own that a routed request carries.
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

// What a model sees of the tools by which it searches and calls. The index
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
	// readDescription is for clients that run what is annotated as reading.
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

func readTool() protocol.MetaTool {
	return protocol.MetaTool{Name: ReadName, Description: readDescription, InputSchema: json.RawMessage(callSchema)}
}

// What a model sees of mcp_run. The example says more than a grammar.
const (
	runDescription = "Run a program in Starlark (Python without import, while, try and classes) that calls tools, and read only what " +
		"it puts into `result`. call(\"name\", {\"argument\": value}) runs a tool by its exact name and returns its JSON as " +
		"values, or its text (a file's always: json_decode(text)); parallel([(\"name\", {…}), …]) runs several at once and returns a list. Example: " +
		"rows = call(\"list_items\", {\"open\": True})[\"items\"]; result = [r[\"name\"] for r in rows if r[\"size\"] > 10]. " +
		"Use it where an answer is long and you need a part, or where the arguments of calls stand in earlier answers."
	runSchema = `{"type":"object","properties":{` +
		`"program":{"type":"string"}},"required":["program"]}`
)

// runTool runs a program of calls.
func runTool() protocol.MetaTool {
	return protocol.MetaTool{Name: RunName, Description: runDescription, InputSchema: json.RawMessage(runSchema)}
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

// Dispatches reports whether the task's model searches and calls, and is given
// no tools for it.
func (t *Task) Dispatches() bool { return t.Routing == protocol.AttachDispatch && !t.LoadOffered }

// Finder is the name of the tool by which the task's model finds others.
func (t *Task) Finder() string {
	if t.Dispatches() || t.Index != "" && !t.LoadOffered {
		return SearchName
	}
	return LoadName
}

// gatewayTools are the tools of Winnow's own that a gateway's client is shown.
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

// names returns the lines of mcp_load's description that name tools; empty
// where it names none.
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

// size is the length of the tool's line in bytes.
func (n *Named) size() int { return len("\n- : ") + len(n.Name) + len(cmp.Or(n.About, noDescription)) }

// write writes the line that names a tool to a model.
func (n *Named) write(b *strings.Builder) {
	b.WriteString("- ")
	b.WriteString(n.Name)
	b.WriteString(": ")
	b.WriteString(cmp.Or(n.About, noDescription))
}
