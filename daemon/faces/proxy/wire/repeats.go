package wire

import (
	"encoding/json"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// Repeats returns the insertions that name results which the request has already,
// in place of sending them again. What does not consist of texts alone stays.
func (q *Request) Repeats() []Insertion {
	var all []Insertion
	var repeats chats.Repeats
	for i := range q.Messages {
		var notes []string // one for each result of the message
		if m := &q.Messages[i]; q.Format == Chat && m.Role == RoleTool {
			notes = append(notes, repeats.Note(m.Text))
		}
		for _, said := range q.Messages[i].Said {
			if said.Kind == chats.Result {
				notes = append(notes, repeats.Note(said.Text))
			}
		}
		if slices.ContainsFunc(notes, func(note string) bool { return note != "" }) {
			if edited := q.named(&q.Messages[i], notes); edited != nil {
				all = append(all, Insertion{At: i, Messages: [][]byte{edited}, Replace: true})
			}
		}
	}
	return all
}

// named returns a message in which notes stand for some of its results; nil where
// none can.
func (q *Request) named(m *Message, notes []string) []byte {
	raw := q.Raw(m)
	switch q.Format {
	case Chat:
		return renamed(raw, "content", notes[0])
	case Responses:
		return renamed(raw, "output", notes[0])
	}
	var parts list
	changed := false
	for _, at := range m.parts {
		part := at.in(q.Body)
		if result := resultIn(q.Format, part); result != nil && len(notes) > 0 {
			note := notes[0]
			notes = notes[1:]
			if note != "" {
				if edited := result(note); edited != nil {
					part, changed = edited, true
				}
			}
		}
		parts.add(part)
	}
	if !changed {
		return nil
	}
	return spliced(raw, splice{m.partsArray.from(m.at.start), parts.json()})
}

// resultIn returns what puts a note in the place of the result that a part is; nil
// for a part that is none.
func resultIn(format Format, part []byte) func(note string) []byte {
	var in struct {
		Type     string          `json:"type"`
		Response json.RawMessage `json:"functionResponse"`
		Other    json.RawMessage `json:"function_response"`
	}
	if json.Unmarshal(part, &in) != nil {
		return nil
	}
	switch {
	case format == Messages && in.Type == "tool_result":
		return func(note string) []byte { return renamed(part, "content", note) }
	case format == Gemini && in.Response != nil:
		return func(note string) []byte { return gemini(part, "functionResponse", in.Response, note) }
	case format == Gemini && in.Other != nil:
		return func(note string) []byte { return gemini(part, "function_response", in.Other, note) }
	}
	return nil
}

func gemini(part []byte, member string, response []byte, note string) []byte {
	named := withMembers(response, map[string][]byte{"response": slices.Concat([]byte(`{"output":`), quote(note), []byte("}"))})
	return withMembers(part, map[string][]byte{member: named})
}

// renamed returns an object in which a note stands for the texts of a member: as a
// text, or as a block where one of these carries a cache breakpoint. nil where the
// member holds anything else.
func renamed(object []byte, member, note string) []byte {
	var members map[string]json.RawMessage
	if json.Unmarshal(object, &members) != nil {
		return nil
	}
	content := quote(note)
	var text string
	if json.Unmarshal(members[member], &text) != nil {
		var blocks []struct {
			Type string          `json:"type"`
			Text *string         `json:"text"`
			Mark json.RawMessage `json:"cache_control"`
		}
		if json.Unmarshal(members[member], &blocks) != nil {
			return nil
		}
		for _, b := range blocks {
			if b.Text == nil {
				return nil
			}
			if b.Mark != nil {
				content = slices.Concat([]byte(`[{"type":`), quote(b.Type), []byte(`,"text":`), quote(note), []byte(`,"cache_control":`), b.Mark, []byte("}]"))
			}
		}
	}
	return withMembers(object, map[string][]byte{member: content})
}
