package config

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// inputs decodes the inputs for ${input:id}.
func (d *decoder) inputs(v node) []Input {
	if v.kind == kindNull {
		return nil
	}
	if v.kind != kindList {
		d.wrongKind(Error, "inputs", v, "a list of inputs")
		return nil
	}
	seen := make(map[string]bool, len(v.items))
	var list []Input
	for _, item := range v.items {
		in, ok := d.input(item)
		if ok && seen[in.ID] {
			d.report(Warning, item.at, fmt.Sprintf("input %q is written twice, and the first one counts", in.ID), "remove one")
			ok = false
		}
		if ok {
			seen[in.ID] = true
			list = append(list, in)
		}
	}
	return list
}

func (d *decoder) input(v node) (Input, bool) {
	where := d.locate(v.at)
	in := inputDecoder{d, Input{Origin: Origin{d.source, where.Line, where.Column}}}
	members, ok := d.object("inputs", v)
	if !ok {
		return Input{}, false
	}
	for _, m := range members {
		if !in.field(m) {
			ok = false
		}
	}
	switch {
	case in.input.ID == "":
		d.report(Error, v.at, "an input has no id", `add "id", which ${input:id} names`)
		return Input{}, false
	case ok && in.input.Pick && len(in.input.Options) == 0:
		d.report(Error, v.at, fmt.Sprintf("input %q has nothing to pick from", in.input.ID), `add "options"`)
		return Input{}, false
	}
	return in.input, ok
}

// inputDecoder decodes one element of "inputs".
type inputDecoder struct {
	*decoder
	input Input
}

// field decodes one field, and reports whether the input is usable.
func (d *inputDecoder) field(m member) bool {
	ok := true
	switch m.key {
	case "id":
		d.input.ID, ok = d.text("inputs.id", m.value)
	case "type":
		d.input.Pick, ok = d.pick(m.value)
	case "description":
		d.input.Description, _ = d.text("inputs.description", m.value)
	case "password":
		d.input.Password, _ = d.flag("inputs.password", m.value)
	case "default":
		d.input.Default, _ = d.text("inputs.default", m.value)
	case "options":
		d.input.Options, ok = d.options(m.value)
	default:
		if d.traits.own {
			d.unknown(m, []string{"id", "type", "description", "password", "default", "options"})
		}
	}
	return ok
}

func (d *inputDecoder) pick(v node) (pick, ok bool) {
	switch protocol.InputKind(v.text) {
	case protocol.InputPromptString:
		return false, true
	case protocol.InputPickString:
		return true, true
	}
	d.report(Error, v.at, "Winnow cannot ask for an input of this type", "use promptString or pickString")
	return false, false
}

// options decodes the values to pick from: strings, or VS Code's pairs of label and
// value.
func (d *inputDecoder) options(v node) ([]string, bool) {
	if v.kind != kindList {
		d.wrongKind(Error, "inputs.options", v, "a list of strings")
		return nil, false
	}
	list := make([]string, 0, len(v.items))
	for _, item := range v.items {
		if item.kind == kindObject {
			for _, m := range item.members {
				if m.key == "value" {
					item = m.value
				}
			}
		}
		text, ok := d.text("inputs.options", item)
		if !ok {
			return nil, false
		}
		list = append(list, text)
	}
	return list, true
}
