package router

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router/reasons"
)

// named returns the index of the attached tool that is presented as name, or -1.
func (t *Task) named(name string) int {
	return slices.IndexFunc(t.Attached, func(a Attached) bool { return a.Name == name })
}

// spelled returns the index of the only attached tool that a mangled name can mean, or
// -1.
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

// told returns the tool that the task's model knows only by this name.
func (t *Task) told(name string) (ToolID, bool) {
	if i := slices.IndexFunc(t.Named, func(n Named) bool { return n.Name == name }); i >= 0 {
		return t.Named[i].ID, true
	}
	return ToolID{}, false
}

// nameOf returns the name of a tool that a task's model knows by name only, or "" for any
// other tool.
func (t *Task) nameOf(id ToolID) string {
	if i := slices.IndexFunc(t.Named, func(n Named) bool { return n.ID == id }); i >= 0 {
		return t.Named[i].Name
	}
	return ""
}

// Find is like [naming.Means], but returns a [*Refusal] with suggestions if there is no
// such tool.
func (v *naming) Find(t *Task, name string) (ToolID, error) {
	if id, ok := v.Means(t, name); ok {
		return id, nil
	}
	return ToolID{}, v.unknown(t, name)
}

// Means returns the identity of the tool that a name means in a task, in or out of scope.
// Names that the task's model has seen come first: they mean the same tool as long as the
// task lasts, even if the tool is gone. It returns false for a tool hidden from the user.
func (v *naming) Means(t *Task, name string) (ToolID, bool) {
	id, ok := v.means(t, name)
	if i, offered := v.Catalog.Lookup(id); ok && offered && v.Scope.Hides(i) {
		return ToolID{}, false
	}
	return id, ok
}

// means is Means including hidden tools.
func (v *naming) means(t *Task, name string) (ToolID, bool) {
	// A host's names are its own: a name means the tool that the host lists under it now.
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

// known returns the ordinal of the tool that a name means in a task. An error is a
// [*Refusal]: no such tool, or it no longer exists.
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

// nameIn returns the name by which the task's model knows or will know a tool.
func (v *naming) nameIn(t *Task, tool *Tool) string {
	if place := t.Has(tool.ID); place >= 0 {
		return t.Attached[place].Name
	}
	return v.freshName(t, tool, func(name string) bool { return t.named(name) >= 0 && !v.Catalog.verbatim })
}

// freshName returns the name by which a task's model sees a tool that is not attached:
// the one it has seen, or else the catalogue's. That may be taken within the task by a
// tool from an older version, as reported by attached, or by a named tool.
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

// callable returns a [*Refusal] if a rule forbids a tool or its server is unavailable.
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

// unknown returns the refusal of a name that no tool has, with suggestions.
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

// Refusal is the error that says why a call may not run.
type Refusal struct {
	Kind protocol.ErrorKind
	ID   ToolID
	// Cause is the scope rule that refused the call; nil if it was not a rule.
	Cause   *protocol.Cause
	Message string
	Next    string
}

// Error returns the message.
func (r *Refusal) Error() string { return r.Message }

// text returns the message and the next step, for a model.
func (r *Refusal) text() string { return protocol.WithNext(r.Message, r.Next) }

// gone returns the refusal of a tool that its server no longer offers.
func gone(id ToolID) *Refusal {
	return &Refusal{
		Kind:    protocol.KindUnavailable,
		ID:      id,
		Message: id.String() + " is gone: its server no longer offers it",
		Next:    "Restart server \"" + id.Server + "\", or work without the tool.",
	}
}

// Bounds on the text about an unknown name.
const (
	maxNameEcho    = 80
	maxSuggestions = 3
)
