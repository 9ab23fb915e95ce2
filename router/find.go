package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Find returns the identity of the tool that a name means in a task, in or out
// of scope. What the task's model was told comes first: its name stands for
// the same tool as long as the task lasts, also when the tool is gone. An
// error is a [*Refusal].
func (v *naming) Find(t *Task, name string) (ToolID, error) {
	if id, ok := v.find(t, name); ok {
		return id, nil
	}
	return ToolID{}, v.unknown(t, name)
}

func (v *naming) find(t *Task, name string) (ToolID, bool) {
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

// attaches reports whether the task's requests carry a tool.
func (v *naming) attaches(t *Task, tool *Tool) bool {
	return t.Has(tool.ID) >= 0 || v.Catalog.verbatim && t.named(tool.Name) >= 0
}

// gone refuses a call of a tool that its server had and has no more.
func gone(id ToolID) *Refusal {
	return &Refusal{
		Kind:    protocol.KindUnavailable,
		ID:      id,
		Message: id.String() + " is gone: its server no longer offers it",
		Next:    "Restart server \"" + id.Server + "\", or work without the tool.",
	}
}
