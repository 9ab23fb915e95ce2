package router

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on what is said of a tool that is only named.
const (
	maxNamedWords = 10
	maxNamedAbout = 80 // bytes
)

// Named is a tool that a task's model knows by its name and a few words, and
// not in full. It has no place in a request: the model attaches it by mcp_load,
// or calls it as it is.
type Named struct {
	ID ToolID
	// Name is what the model was told. It stands for the tool as long as the
	// task lasts.
	Name string
	// About says in at most ten words what the tool is for; it may be empty.
	About string
	// Answered: an answer of mcp_load named it. The description of mcp_load,
	// which must not change within a task, does not.
	Answered bool
}

// namesNext returns how many of the tools behind those that a message attaches
// are to be named in the description of mcp_load: those of the first message
// that is routed, as the description says the same from then on.
func (v *attaching) namesNext(t *Task) int {
	if t.LoadOffered && t.Window > 1 {
		return 0
	}
	return v.Settings.Named
}

// name returns the task with the first n of the picks that it does not attach
// named in the description of mcp_load, in the order of their names.
func (v *attaching) name(t Task, picks []pick, n int) Task {
	t.Named = nil
	for _, p := range picks {
		if tool := &v.Catalog.Tools[p.tool]; len(t.Named) < n && !v.attaches(&t, tool) {
			t.Named = append(t.Named, Named{ID: tool.ID, Name: v.nameIn(&t, tool), About: about(tool)})
		}
	}
	slices.SortFunc(t.Named, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return t
}

// nameAnswered returns the task after an answer of mcp_load has named tools.
func (v *attaching) nameAnswered(t Task, tools []int) Task {
	for _, i := range tools {
		tool := &v.Catalog.Tools[i]
		if t.nameOf(tool.ID) == "" {
			t.Named = append(slices.Clip(t.Named), Named{
				ID: tool.ID, Name: v.nameIn(&t, tool), About: about(tool), Answered: true,
			})
		}
	}
	return t
}

// nameOf returns the name by which a task's model knows a tool that it was only
// told the name of; empty for any other.
func (t *Task) nameOf(id ToolID) string {
	if i := slices.IndexFunc(t.Named, func(n Named) bool { return n.ID == id }); i >= 0 {
		return t.Named[i].Name
	}
	return ""
}

// nameIn returns the name that the task's model knows a tool by, or is to be
// told.
func (v *naming) nameIn(t *Task, tool *Tool) string {
	if place := t.Has(tool.ID); place >= 0 {
		return t.Attached[place].Name
	}
	return v.freshName(t, tool, func(name string) bool { return t.named(name) >= 0 && !v.Catalog.verbatim })
}

// freshName returns the name by which a task's model is told of a tool that is
// not attached: the one it was told, else the catalogue's. The catalogue's names
// are unique, but the task may hold one from an older version of it, as attached
// tells, or have told its model one.
func (v *naming) freshName(t *Task, tool *Tool, attached func(name string) bool) string {
	name := cmp.Or(t.nameOf(tool.ID), tool.Name)
	taken := func(name string) bool {
		other, told := t.told(name)
		return attached(name) || told && other != tool.ID && !v.Catalog.verbatim
	}
	if taken(name) {
		return freeName(QualifiedName(tool.ID), tool.ID, taken)
	}
	return name
}

// told returns the tool that a task's model was told the name of, and no more.
func (t *Task) told(name string) (ToolID, bool) {
	if i := slices.IndexFunc(t.Named, func(n Named) bool { return n.Name == name }); i >= 0 {
		return t.Named[i].ID, true
	}
	return ToolID{}, false
}

// namedOnly counts the tools that the task's model knows by name alone.
func (t *Task) namedOnly() int {
	n := 0
	for i := range t.Named {
		if t.Has(t.Named[i].ID) < 0 {
			n++
		}
	}
	return n
}

// names returns the lines of mcp_load's description that name tools; empty
// where it names none.
func (t *Task) names() string {
	var b strings.Builder
	for i := range t.Named {
		if n := &t.Named[i]; !n.Answered {
			b.WriteString("\n" + n.line())
		}
	}
	return b.String()
}

// line names a tool to a model.
func (n *Named) line() string { return "- " + n.Name + ": " + cmp.Or(n.About, noDescription) }

// about returns the first words of a tool's description: at most ten of its
// first sentence.
func about(tool *Tool) string {
	words := strings.Fields(firstSentence(tool.Text()))
	short := strings.Join(words[:min(len(words), maxNamedWords)], " ")
	return strings.TrimRight(cut(short, maxNamedAbout), ".,:; ")
}

// wireNamed returns the named tools as they are sent.
func wireNamed(named []Named) []protocol.NamedTool {
	var tools []protocol.NamedTool
	for i := range named {
		n := &named[i]
		tools = append(tools, protocol.NamedTool{
			Name: n.Name, Server: n.ID.Server, Tool: n.ID.Tool, About: n.About, Answered: n.Answered,
		})
	}
	return tools
}

// readNamed is the inverse of wireNamed.
func readNamed(tools []protocol.NamedTool) []Named {
	var named []Named
	for _, n := range tools {
		named = append(named, Named{
			ID: ToolID{Server: n.Server, Tool: n.Tool}, Name: n.Name, About: n.About, Answered: n.Answered,
		})
	}
	return named
}
