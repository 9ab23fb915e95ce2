package router

import (
	"encoding/json"
	"sync"

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
	description := loadDescription
	if names := t.names(); names != "" {
		description += namedTitle + names
	}
	return []protocol.MetaTool{loadTool(description)}
}

func loadTool(description string) protocol.MetaTool {
	return protocol.MetaTool{Name: LoadName, Description: description, InputSchema: json.RawMessage(loadSchema)}
}

// MetaTools returns the tools of Winnow's own that the task's requests carry;
// an empty list, never nil, where they carry none.
func (v *View) MetaTools(t *Task) []protocol.MetaTool {
	meta := []protocol.MetaTool{}
	if t.Gateway != "" {
		return append(meta, t.gatewayTools()...)
	}
	if t.LoadOffered && v.Settings.SearchTurns > 0 {
		meta = append(meta, t.metaTools()...)
	}
	if t.Index != "" && v.Settings.SearchTurns > 0 {
		meta = append(meta, dispatchTools(t.Index)...)
	}
	if t.ResultOffered {
		meta = append(meta, resultTool())
	}
	return meta
}

// metaCounter counts the tokens of Winnow's own tools. Their texts are few:
// each is counted once.
type metaCounter struct {
	count func(text string) int

	mu    sync.Mutex
	known map[string]int // guarded by mu
}

// maxCounted bounds the texts that are kept; an index of servers is one each.
const maxCounted = 64

func (c *metaCounter) tokens(m protocol.MetaTool) int {
	text := string(PresentedJSON(m.Name, m.Description, m.InputSchema))
	c.mu.Lock()
	n, ok := c.known[text]
	c.mu.Unlock()
	if ok {
		return n
	}
	n = c.count(text)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil || len(c.known) >= maxCounted {
		c.known = map[string]int{}
	}
	c.known[text] = n
	return n
}
