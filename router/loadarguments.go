package router

import (
	"encoding/json"
	"errors"
)

// errNothingAsked is the error for a call of mcp_load without a query and names.
var errNothingAsked = errors.New("give a query, or names")

// ReadRequest reads the arguments of a call of mcp_load. It is lenient, because models
// write one name instead of a list and put other values among the names.
func ReadRequest(arguments json.RawMessage) (Request, error) {
	var wire struct {
		Query json.RawMessage `json:"query"`
		Names json.RawMessage `json:"names"`
		Limit json.RawMessage `json:"limit"`
	}
	if err := json.Unmarshal(arguments, &wire); err != nil {
		return Request{}, errors.New("they are not an object")
	}
	r := Request{Names: readNames(wire.Names)}
	r.Query, _ = readString(wire.Query)
	limit := wire.Limit
	if text, ok := readString(limit); ok {
		limit = json.RawMessage(text) // models write numbers as strings
	}
	if json.Unmarshal(limit, &r.Limit) != nil {
		r.Limit = 0
	}
	if r.Query == "" && len(r.Names) == 0 {
		return Request{}, errNothingAsked
	}
	return r, nil
}

// readNames reads the strings of a list, or one string.
func readNames(raw json.RawMessage) []string {
	if one, ok := readString(raw); ok {
		return []string{one}
	}
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) != nil {
		return nil
	}
	var names []string
	for _, each := range list {
		if name, ok := readString(each); ok {
			names = append(names, name)
		}
	}
	return names
}

func readString(raw json.RawMessage) (text string, ok bool) {
	return text, json.Unmarshal(raw, &text) == nil && text != ""
}
