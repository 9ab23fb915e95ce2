package router

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// named returns the place of the attached tool that is presented as name, or
// -1.
func (t *Task) named(name string) int {
	return slices.IndexFunc(t.Attached, func(a Attached) bool { return a.Name == name })
}

// spelled returns the place of the only attached tool whose name a mangled one
// can be, or -1.
func (t *Task) spelled(name string) int {
	for _, spelling := range spellings(name) {
		found := -1
		for i := range t.Attached {
			if foldName(t.Attached[i].Name) != spelling {
				continue
			}
			if found >= 0 {
				return -1
			}
			found = i
		}
		if found >= 0 {
			return found
		}
	}
	return -1
}

// told returns the tool that a task's model was told the name of, and no more.
func (t *Task) told(name string) (ToolID, bool) {
	if i := slices.IndexFunc(t.Named, func(n Named) bool { return n.Name == name }); i >= 0 {
		return t.Named[i].ID, true
	}
	return ToolID{}, false
}

// nameOf returns the name by which a task's model knows a tool that it was only
// told the name of; empty for any other.
func (t *Task) nameOf(id ToolID) string {
	if i := slices.IndexFunc(t.Named, func(n Named) bool { return n.ID == id }); i >= 0 {
		return t.Named[i].Name
	}
	return ""
}

// Find is [naming.Means] with an error, a [*Refusal], that names tools that could
// be meant. They are looked for among all.
func (v *naming) Find(t *Task, name string) (ToolID, error) {
	if id, ok := v.Means(t, name); ok {
		return id, nil
	}
	return ToolID{}, v.unknown(t, name)
}

// Means returns the identity of the tool that a name means in a task, in or out
// of scope. What the task's model has seen comes first: its name stands for
// the same tool as long as the task lasts, also when the tool is gone. A tool that
// does not exist for the user has no name.
func (v *naming) Means(t *Task, name string) (ToolID, bool) {
	id, ok := v.means(t, name)
	if i, offered := v.Catalog.Lookup(id); ok && offered && v.Scope.Hides(i) {
		return ToolID{}, false
	}
	return id, ok
}

// means is Means for all that exists.
func (v *naming) means(t *Task, name string) (ToolID, bool) {
	// A host's names are its own: the one it lists now is the one it means.
	if i, ok := v.Catalog.byName[name]; ok && v.Catalog.verbatim {
		return v.Catalog.Tools[i].ID, true
	}
	if place := t.named(name); place >= 0 {
		return t.Attached[place].ID, true
	}
	if id, ok := t.told(name); ok {
		return id, true
	}
	if i, ok := v.Catalog.exact(name); ok {
		return v.Catalog.Tools[i].ID, true
	}
	if place := t.spelled(name); place >= 0 {
		return t.Attached[place].ID, true
	}
	if i, ok := v.Catalog.loose(name); ok {
		return v.Catalog.Tools[i].ID, true
	}
	return ToolID{}, false
}

// known returns the place in the catalogue of the tool that a name means in a
// task. An error, a [*Refusal], says that there is none, or none any more.
func (v *naming) known(t *Task, name string) (int, error) {
	id, err := v.Find(t, name)
	if err != nil {
		return 0, err
	}
	i, ok := v.Catalog.Lookup(id)
	if !ok {
		return 0, gone(id)
	}
	return i, nil
}

// nameIn returns the name that the task's model knows a tool by, or is to be
// told.
func (v *naming) nameIn(t *Task, tool *Tool) string {
	if place := t.Has(tool.ID); place >= 0 {
		return t.Attached[place].Name
	}
	return v.freshName(t, tool, func(name string) bool { return t.named(name) >= 0 && !v.Catalog.verbatim })
}

// freshName returns the name by which a task's model sees a tool that is
// not attached: the one it has seen, else the catalogue's. The catalogue's names
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

// attaches reports whether the task's requests carry a tool.
func (v *naming) attaches(t *Task, tool *Tool) bool {
	return t.Has(tool.ID) >= 0 || v.Catalog.verbatim && t.named(tool.Name) >= 0
}

// callable refuses a tool that a rule forbids, or whose server is away.
func (v *naming) callable(t *Task, i int) error {
	tool := &v.Catalog.Tools[i]
	if rule := v.Rule(t, i); rule.Kind != "" && rule.Kind != protocol.CauseStopped {
		return &Refusal{
			Kind: protocol.KindOutOfScope, ID: tool.ID, Cause: &rule,
			Message: fmt.Sprintf("%s may not be called: %s", tool.ID, reasons.Plain(rule)),
			Next:    fmt.Sprintf("Change that to allow the tool: %s.", reasons.Text(rule)),
		}
	}
	if cause := v.Catalog.Servers[tool.Server].Unavailable; cause != "" {
		return &Refusal{
			Kind: protocol.KindUnavailable, ID: tool.ID,
			Message: fmt.Sprintf("%s cannot be called now: %s", tool.ID, cause),
			Next:    fmt.Sprintf("See the log of server %q, or restart it.", tool.ID.Server),
		}
	}
	return nil
}

// unknown says what is known of a name that no tool answers to.
func (v *naming) unknown(t *Task, name string) *Refusal {
	r := &Refusal{
		Kind:    protocol.KindUnknownTool,
		Message: fmt.Sprintf("there is no tool %q", cut(name, maxNameEcho)),
		Next:    fmt.Sprintf("Search with %s.", t.Finder()),
	}
	near := v.Catalog.Suggest(name, maxSuggestions, func(tool int) bool { return v.admits(t, tool) })
	if len(near) > 0 {
		r.Next = "Did you mean " + strings.Join(near, ", ") + "?"
	}
	return r
}

// Refusal says why a call may not run. It is an error.
type Refusal struct {
	Kind protocol.ErrorKind
	ID   ToolID
	// Cause is the scope rule that refused; nil when it was none.
	Cause   *protocol.Cause
	Message string
	Next    string
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// text returns the message and what can be done, for a model.
func (r *Refusal) text() string { return protocol.WithNext(r.Message, r.Next) }

// gone refuses a call of a tool that its server had and has no more.
func gone(id ToolID) *Refusal {
	return &Refusal{
		Kind:    protocol.KindUnavailable,
		ID:      id,
		Message: id.String() + " is gone: its server no longer offers it",
		Next:    "Restart server \"" + id.Server + "\", or work without the tool.",
	}
}

// Bounds on what is said of an unknown name.
const (
	maxNameEcho    = 80
	maxSuggestions = 3
)
