package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// Result is the result of a hidden call.
type Result struct {
	Call Call
	Text string
}

// Round is an exchange that the client does not see: hidden calls and their results.
// Later requests get it back, so that the provider sees its own conversation and its
// cache stays valid.
type Round struct {
	Said    Said
	Results []Result
}

// Continue returns the messages to append for the next request after an unfinished
// response; see [Said.Unfinished].
func (r *Round) Continue(format Format) [][]byte {
	return slices.Concat(r.Said.Messages, resultMessages(format, r.Results))
}

// resultMessages returns the messages with the results of calls.
func resultMessages(format Format, results []Result) [][]byte {
	var all list
	for i := range results {
		all.add(resultOf(format, &results[i]))
	}
	switch format {
	case Messages:
		return list{fmt.Appendf(nil, `{"role":"user","content":%s}`, all.json())}
	case Gemini:
		return list{fmt.Appendf(nil, `{"role":"user","parts":%s}`, all.json())}
	}
	return all
}

// resultOf returns one result: a message, an item, a block or a part.
func resultOf(format Format, r *Result) []byte {
	id, text := quote(r.Call.ID), quote(r.Text)
	switch format {
	case Chat:
		return fmt.Appendf(nil, `{"role":"tool","tool_call_id":%s,"content":%s}`, id, text)
	case Responses:
		return fmt.Appendf(nil, `{"type":"function_call_output","call_id":%s,"output":%s}`, id, text)
	case Messages:
		return fmt.Appendf(nil, `{"type":"tool_result","tool_use_id":%s,"content":%s}`, id, text)
	}
	named := ""
	if r.Call.ID != "" {
		named = fmt.Sprintf(`"id":%s,`, id)
	}
	return fmt.Appendf(nil, `{"functionResponse":{%s"name":%s,"response":{"output":%s}}}`, named, quote(r.Call.Name), text)
}

// callMessages returns messages with only the calls of a round.
func (r *Round) callMessages(format Format) [][]byte {
	var all list
	for i := range r.Said.Hidden {
		c := &r.Said.Hidden[i]
		if item := r.Said.item(c.ID); format == Responses && item != nil {
			all.add(item) // as it was sent before, with its own id
			continue
		}
		all.add(callOf(format, c))
	}
	switch format {
	case Chat:
		return list{fmt.Appendf(nil, `{"role":"assistant","content":null,"tool_calls":%s}`, all.json())}
	case Messages:
		return list{fmt.Appendf(nil, `{"role":"assistant","content":%s}`, all.json())}
	case Gemini:
		return list{fmt.Appendf(nil, `{"role":"model","parts":%s}`, all.json())}
	}
	return all
}

// item returns the item of a call in Responses, or nil.
func (s *Said) item(callID string) []byte {
	for _, item := range s.Messages {
		var in responsesItemFields
		if json.Unmarshal(item, &in) == nil && in.Type == "function_call" && in.CallID == callID {
			return item
		}
	}
	return nil
}

func callOf(format Format, c *Call) []byte {
	id, name, arguments := quote(c.ID), quote(c.Name), c.Arguments
	if len(arguments) == 0 {
		arguments = []byte("{}")
	}
	switch format {
	case Chat:
		return fmt.Appendf(nil, `{"id":%s,"type":"function","function":{"name":%s,"arguments":%s}}`, id, name, quote(string(arguments)))
	case Responses:
		return fmt.Appendf(nil, `{"type":"function_call","call_id":%s,"name":%s,"arguments":%s}`, id, name, quote(string(arguments)))
	case Messages:
		return fmt.Appendf(nil, `{"type":"tool_use","id":%s,"name":%s,"input":%s}`, id, name, arguments)
	}
	return fmt.Appendf(nil, `{"functionCall":{"name":%s,"args":%s}}`, name, arguments)
}

// AnswerStart returns the index of the first message of the response that contains
// message at. In Responses a response is several messages.
func (q *Request) AnswerStart(at int) int {
	for q.Format == Responses && at > 0 && q.Messages[at-1].Role == RoleAssistant {
		at--
	}
	return at
}

// PutBack returns the insertions that restore rounds in the response that the client
// keeps as message at (in Responses, and the items after it). If the last round also had
// calls for the client, its results are added to the client's in the next message.
//
// If the client has changed the model's text, the calls and results are inserted before
// it. That is a valid conversation, but not the cached one.
func (q *Request) PutBack(at int, rounds []Round) []Insertion {
	if q.Format == Responses {
		return q.putBackItems(at, rounds)
	}
	m := &q.Messages[at]
	before := Insertion{At: at, Replace: true}
	parts, text := 0, ""
	for i := range rounds {
		r := &rounds[i]
		if !r.Said.Unfinished() {
			before.Messages = append(before.Messages, r.asKept(m.Calls)...)
			return []Insertion{before, q.resultsBeside(at+1, r)}
		}
		before.Messages = append(before.Messages, r.Continue(q.Format)...)
		parts += r.Said.Parts
		text += r.Said.Text
	}
	rest, ok := q.rest(m, parts, text)
	if !ok {
		return []Insertion{q.callsBefore(at, rounds)}
	}
	if rest != nil {
		before.Messages = append(before.Messages, rest)
	}
	return []Insertion{before}
}

// asKept returns the messages of a round with the client's ids of its calls, which the
// results refer to. VS Code adds a suffix to ids.
func (r *Round) asKept(calls []Call) [][]byte {
	said := slices.Clone(r.Said.Messages)
	for i := range r.Said.Others {
		id := r.Said.Others[i].ID
		for k := range calls {
			if kept := calls[k].ID; id == "" || !strings.HasPrefix(kept, id+chats.VSCodeSuffix) {
				continue
			}
			for n := range said {
				said[n] = bytes.ReplaceAll(said[n], quote(id), quote(calls[k].ID))
			}
		}
	}
	return said
}

// callsBefore inserts the calls and results of rounds before a message.
func (q *Request) callsBefore(at int, rounds []Round) Insertion {
	i := Insertion{At: at}
	for k := range rounds {
		i.Messages = slices.Concat(i.Messages, rounds[k].callMessages(q.Format), resultMessages(q.Format, rounds[k].Results))
	}
	return i
}

// putBackItems inserts each round after the items that it showed.
func (q *Request) putBackItems(at int, rounds []Round) []Insertion {
	end := at
	for end < len(q.Messages) && q.Messages[end].Role == RoleAssistant {
		end++
	}
	var all []Insertion
	for i := range rounds {
		at = min(at+rounds[i].Said.Parts, end)
		all = append(all, q.callsBefore(at, rounds[i:i+1]))
	}
	return all
}

// resultsBeside adds the results of a round to those of the client's calls.
func (q *Request) resultsBeside(at int, r *Round) Insertion {
	if q.Format == Chat || at >= len(q.Messages) || q.Messages[at].partsArray.empty() {
		return Insertion{At: at, Messages: resultMessages(q.Format, r.Results)}
	}
	m := &q.Messages[at]
	var results list
	for i := range r.Results {
		results.add(resultOf(q.Format, &r.Results[i]))
	}
	for _, part := range m.parts {
		results.add(part.in(q.Body))
	}
	parts := m.partsArray.from(m.at.start)
	return Insertion{At: at, Replace: true, Messages: [][]byte{spliced(q.Raw(m), splice{parts, results.json()})}}
}

// rest returns a message of the client without the parts or the text that preceded the
// hidden calls. It returns nil if nothing is left, and false if the message does not
// begin with them.
func (q *Request) rest(m *Message, parts int, text string) ([]byte, bool) {
	if m.partsArray.empty() {
		return q.restOfText(m, text)
	}
	if parts > len(m.parts) {
		return nil, false
	}
	var left list
	for _, part := range m.parts[parts:] {
		left.add(part.in(q.Body))
	}
	if len(left) == 0 && len(m.Calls) == 0 {
		return nil, true
	}
	return spliced(q.Raw(m), splice{m.partsArray.from(m.at.start), left.json()}), true
}

// restOfText is rest for a content that is a text or null.
func (q *Request) restOfText(m *Message, text string) ([]byte, bool) {
	left, ok := strings.CutPrefix(m.Text, text)
	if !ok {
		return nil, false
	}
	if left == "" && len(m.Calls) == 0 {
		return nil, true
	}
	if text == "" {
		return bytes.Clone(q.Raw(m)), true
	}
	content := []byte("null")
	if left != "" {
		content = quote(left)
	}
	return withMembers(q.Raw(m), map[string][]byte{"content": content}), true
}

// Repeats returns insertions that replace repeated results by a reference to the first.
// Results that are not only text stay.
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

// named returns a message with notes in place of some results, or nil if none can be
// replaced.
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

// resultIn returns a function that replaces the result in a part by a note, or nil if the
// part is not a result.
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
	named := withMembers(response, map[string][]byte{"response": fmt.Appendf(nil, `{"output":%s}`, quote(note))})
	return withMembers(part, map[string][]byte{member: named})
}

// renamed returns an object with a note in place of the texts of a member: a string, or a
// block if one of the texts has a cache breakpoint. It returns nil if the member holds
// anything else.
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
				content = fmt.Appendf(nil, `[{"type":%s,"text":%s,"cache_control":%s}]`, quote(b.Type), quote(note), b.Mark)
			}
		}
	}
	return withMembers(object, map[string][]byte{member: content})
}
