package router

import (
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on the text for the model. A host may cut long results, and a truncated answer
// of mcp_load could not be used.
const (
	maxMissText  = 399
	maxQueryEcho = 60
	maxNotes     = 5
)

// loadAnswer records the outcome of a load.
type loadAnswer struct {
	view     *naming
	query    string
	attached []int // attached now
	already  []int // attached before
	refused  []int // no room
	named    []int // not attached, only named
	notes    []string
}

func (a *loadAnswer) result(t *Task) Loaded {
	loaded := Loaded{Text: a.text(t)}
	for _, i := range a.attached {
		loaded.Tools = append(loaded.Tools, a.tool(t, i, false))
	}
	for _, i := range a.already {
		loaded.Tools = append(loaded.Tools, a.tool(t, i, true))
	}
	return loaded
}

func (a *loadAnswer) tool(t *Task, i int, already bool) protocol.LoadedTool {
	id := a.view.Catalog.Tools[i].ID
	return protocol.LoadedTool{Name: a.name(t, i), Server: id.Server, Tool: id.Tool, Already: already}
}

// name returns the name that the task's model sees, which may differ from the catalogue's
// current name.
func (a *loadAnswer) name(t *Task, i int) string {
	return a.view.nameIn(t, &a.view.Catalog.Tools[i])
}

func (a *loadAnswer) text(t *Task) string {
	var b strings.Builder
	a.list(&b, t, a.attachedTitle(t), a.attached)
	a.list(&b, t, "Already attached, call them:", a.already)
	if len(a.refused) > 0 {
		fmt.Fprintf(&b, "Not attached, %s: %s. %s\n", a.view.limit(t), joined(a.names(t, a.refused), maxLine), a.withoutRoom(t))
	}
	a.listNamed(&b, t)
	for _, note := range a.notes[:min(len(a.notes), maxNotes)] {
		b.WriteString(note + "\n")
	}
	found := len(a.attached) + len(a.already) + len(a.refused)
	if found == 0 && (a.query != "" || len(a.notes) == 0) {
		b.WriteString(a.miss(t))
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// attachedTitle returns the line above the attached tools. A client of the gateway may
// not list again, so its model is given the way that needs no newer list.
func (a *loadAnswer) attachedTitle(t *Task) string {
	if t.Gateway != "" {
		return "Found. Run them now by " + CallName + " with the name, or by the name itself where it is among your tools:"
	}
	return "Attached now, call them from your next message on:"
}

// withoutRoom says what to do with tools for which a request has no room.
func (a *loadAnswer) withoutRoom(t *Task) string {
	if t.Gateway != "" {
		return "Run them by " + CallName + "."
	}
	return "Work with the tools you have."
}

func (a *loadAnswer) list(b *strings.Builder, t *Task, title string, tools []int) {
	if len(tools) == 0 {
		return
	}
	b.WriteString(title + "\n")
	for _, i := range tools {
		tool, signature := &a.view.Catalog.Tools[i], ""
		if t.Gateway != "" {
			// Its client may not list again, so the model may never see the schema.
			signature = tool.Signature()
		}
		fmt.Fprintf(b, "- %s%s: %s\n", a.name(t, i), signature, a.view.Catalog.whose(tool)+firstLine(tool.Text()))
	}
}

// listNamed writes the names of the tools that fit less well.
func (a *loadAnswer) listNamed(b *strings.Builder, t *Task) {
	if len(a.named) == 0 {
		return
	}
	b.WriteString("Not attached, these fit less well; attach one by its name in `names`:\n")
	for _, i := range a.named {
		tool := &a.view.Catalog.Tools[i]
		n := Named{Name: a.name(t, i), About: a.view.Catalog.whose(tool) + about(a.view.Catalog.Tools, i)}
		n.write(b)
		b.WriteByte('\n')
	}
}

func (a *loadAnswer) names(t *Task, tools []int) []string {
	names := make([]string, len(tools))
	for n, i := range tools {
		names[n] = a.name(t, i)
	}
	return names
}

// miss returns the answer for no match: that all tools were compared, and which servers
// exist. A bare "no match" makes models search repeatedly.
func (a *loadAnswer) miss(t *Task) string {
	count, _ := a.view.scoped(t)
	head := "Say in `query` what the tool has to do, or give `names`."
	if t.Finder() == SearchName {
		head = "Say in `query` what the tool has to do, or give names as `" + selectPrefix + "name1,name2`."
	}
	if a.query != "" {
		head = fmt.Sprintf("No tool matches %q; all %d tools were compared, so the same words will not find more.",
			cut(strings.Join(strings.Fields(a.query), " "), maxQueryEcho), count)
	}
	if count == 0 {
		return a.view.whyNone(t)
	}
	return head + a.exists(t, maxMissText-len(head))
}

// exists lists the servers in scope with their number of tools, in at most
// room bytes.
func (a *loadAnswer) exists(t *Task, room int) string {
	const lead, more = " There are tools of: ", ", …"
	var b strings.Builder
	b.WriteString(lead)
	for s := range a.view.Catalog.Servers {
		n := a.view.countServer(t, s)
		if n == 0 {
			continue
		}
		item := fmt.Sprintf("%s (%d)", oneLine(a.view.Catalog.Servers[s].Name, maxServerEcho), n)
		if b.Len() > len(lead) {
			item = ", " + item
		}
		if b.Len()+len(item)+len(more) > room {
			b.WriteString(more)
			break
		}
		b.WriteString(item)
	}
	return b.String()
}

// Request is a request of mcp_load.
type Request struct {
	// Query says what the tools have to do.
	Query string
	// Names are names as the model knows them, or server/tool.
	Names []string
	// Limit is the most tools a query attaches; 0 is `searchK`.
	Limit int
}

// Loaded is the answer to a [Request].
type Loaded struct {
	Tools []protocol.LoadedTool
	// Sought are the tools attached now that the model most likely wanted: those it
	// named, and the best match of its query. Of the other matches, only those it calls
	// were meant; see [Task.Fetched].
	Sought []ToolID
	// Text is the answer for the model, short enough that no host cuts it.
	Text string
}
