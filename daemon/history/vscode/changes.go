package vscode

import (
	"encoding/json"
	"io"
	"path/filepath"

	"github.com/winnow-mcp/winnow/daemon/history"
)

// change is a line of a chat's file.
type change struct {
	Kind  *int            `json:"kind"`
	Path  []any           `json:"k"`
	Value json.RawMessage `json:"v"`
	From  *float64        `json:"i"`
}

// The kinds of changes.
const (
	initial = iota
	set
	push
	unset
)

// value reads a chat's file. Changes that cannot be applied are counted as damaged.
func value(l *history.Log, path string, in io.Reader, c *chat) bool {
	if filepath.Ext(path) == ".json" {
		return history.Value(l, in, c)
	}
	var state any
	began := false
	history.Lines(l, in, func(ch *change) {
		var v any
		if len(ch.Value) > 0 && json.Unmarshal(ch.Value, &v) != nil {
			l.Damaged++
			return
		}
		switch {
		case ch.Kind == nil:
			l.Skip("")
		case *ch.Kind == initial:
			state, began = v, true
		case *ch.Kind == set, *ch.Kind == push, *ch.Kind == unset:
			next, ok := ch.apply(state, ch.Path, v)
			if !ok || !began {
				l.Damaged++
				return
			}
			state = next
		default:
			l.Skip("change")
		}
	})
	if !began {
		return false
	}
	raw, err := json.Marshal(state)
	if err != nil {
		l.Damaged++
		return false
	}
	_ = json.Unmarshal(raw, c) // members of other types stay empty
	return true
}

// apply applies a change to the value at a path.
func (ch *change) apply(at any, path []any, v any) (any, bool) {
	if len(path) == 0 {
		return ch.change(at, v)
	}
	switch key := path[0].(type) {
	case string:
		object, ok := at.(map[string]any)
		if !ok {
			return at, false
		}
		next, ok := ch.apply(object[key], path[1:], v)
		if ok {
			object[key] = next
		}
		return object, ok
	case float64:
		list, ok := at.([]any)
		i := int(key)
		if !ok || i < 0 || i > len(list) {
			return at, false
		}
		if i == len(list) {
			list = append(list, nil)
		}
		next, ok := ch.apply(list[i], path[1:], v)
		if ok {
			list[i] = next
		}
		return list, ok
	}
	return at, false
}

// change returns the new value in place of at.
func (ch *change) change(at, v any) (any, bool) {
	switch *ch.Kind {
	case set:
		return v, true
	case unset:
		return nil, true
	}
	list, ok := at.([]any)
	if at != nil && !ok {
		return at, false
	}
	if ch.From != nil {
		from := int(*ch.From)
		if from < 0 || from > len(list) {
			return at, false
		}
		list = list[:from:from]
	}
	more, ok := v.([]any)
	return append(list, more...), ok || v == nil
}
