package wire

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
)

// Result is the answer to a call of a hidden tool.
type Result struct {
	Call Call
	Text string
}

// Round is an exchange of which the client does not know: calls of hidden
// tools, and their results. Later requests get it put back, so that the
// provider sees the conversation that it has had, and its cache fits.
type Round struct {
	Said    Said
	Results []Result
}

// Continue returns what follows the messages of a request in the next one,
// when the answer was [Said.Unfinished].
func (r *Round) Continue(format Format) [][]byte {
	return slices.Concat(r.Said.Messages, resultMessages(format, r.Results))
}

// resultMessages returns the messages that answer calls.
func resultMessages(format Format, results []Result) [][]byte {
	var all list
	for i := range results {
		all.add(resultOf(format, &results[i]))
	}
	switch format {
	case Messages:
		return list{slices.Concat([]byte(`{"role":"user","content":`), all.json(), []byte("}"))}
	case Gemini:
		return list{slices.Concat([]byte(`{"role":"user","parts":`), all.json(), []byte("}"))}
	}
	return all
}

// resultOf returns one result: a message, an item, a block or a part.
func resultOf(format Format, r *Result) []byte {
	id, text := quote(r.Call.ID), quote(r.Text)
	switch format {
	case Chat:
		return slices.Concat([]byte(`{"role":"tool","tool_call_id":`), id, []byte(`,"content":`), text, []byte("}"))
	case Responses:
		return slices.Concat([]byte(`{"type":"function_call_output","call_id":`), id, []byte(`,"output":`), text, []byte("}"))
	case Messages:
		return slices.Concat([]byte(`{"type":"tool_result","tool_use_id":`), id, []byte(`,"content":`), text, []byte("}"))
	}
	head := []byte(`{"functionResponse":{`)
	if r.Call.ID != "" {
		head = slices.Concat(head, []byte(`"id":`), id, []byte(","))
	}
	return slices.Concat(head, []byte(`"name":`), quote(r.Call.Name), []byte(`,"response":{"output":`), text, []byte("}}}"))
}

// callMessages returns messages that hold only the calls of a round.
func (r *Round) callMessages(format Format) [][]byte {
	var all list
	for i := range r.Said.Hidden {
		c := &r.Said.Hidden[i]
		if item := r.Said.item(c.ID); format == Responses && item != nil {
			all.add(item) // as it was sent when it was answered, its own id too
			continue
		}
		all.add(callOf(format, c))
	}
	switch format {
	case Chat:
		return list{slices.Concat([]byte(`{"role":"assistant","content":null,"tool_calls":`), all.json(), []byte("}"))}
	case Messages:
		return list{slices.Concat([]byte(`{"role":"assistant","content":`), all.json(), []byte("}"))}
	case Gemini:
		return list{slices.Concat([]byte(`{"role":"model","parts":`), all.json(), []byte("}"))}
	}
	return all
}

// item returns the item of Responses that is a call; nil where there is none.
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
		return slices.Concat([]byte(`{"id":`), id, []byte(`,"type":"function","function":{"name":`), name,
			[]byte(`,"arguments":`), quote(string(arguments)), []byte("}}"))
	case Responses:
		return slices.Concat([]byte(`{"type":"function_call","call_id":`), id, []byte(`,"name":`), name,
			[]byte(`,"arguments":`), quote(string(arguments)), []byte("}"))
	case Messages:
		return slices.Concat([]byte(`{"type":"tool_use","id":`), id, []byte(`,"name":`), name,
			[]byte(`,"input":`), arguments, []byte("}"))
	}
	return slices.Concat([]byte(`{"functionCall":{"name":`), name, []byte(`,"args":`), arguments, []byte("}}"))
}

// AnswerStart returns the position of the first message of the answer that a
// message is of: in Responses, an answer is several.
func (q *Request) AnswerStart(at int) int {
	for q.Format == Responses && at > 0 && q.Messages[at-1].Role == RoleAssistant {
		at--
	}
	return at
}

// PutBack returns the insertions that put rounds back into the answer that the
// client keeps as message at (and, in Responses, the items behind it). The
// last round may have had calls for the client beside the hidden ones; then
// its results belong to those of the client, in the message that follows.
//
// Where the client has changed what the model said, the calls and results come
// before it, which is a conversation too, but not the one that is cached.
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

// asKept returns what was said with the ids under which the client keeps its
// calls, because its results name these: VS Code puts a suffix behind them.
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

// callsBefore puts the bare calls and results of rounds before a message.
func (q *Request) callsBefore(at int, rounds []Round) Insertion {
	i := Insertion{At: at}
	for k := range rounds {
		i.Messages = slices.Concat(i.Messages, rounds[k].callMessages(q.Format), resultMessages(q.Format, rounds[k].Results))
	}
	return i
}

// putBackItems puts each round behind the items that it had shown.
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

// resultsBeside adds the results of a round to those that the client sends for
// its own calls.
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

// rest returns a message of the client's without what the model had said
// before the hidden calls: a number of parts, or a text. It is nil when
// nothing is left, and false when the message does not begin with that.
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

// restOfText is rest for a content that is a text, or null.
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
