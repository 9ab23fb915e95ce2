package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// responsesFilter filters the events of OpenAI's Responses API.
type responsesFilter struct {
	hidden  func(name string) bool
	stored  bool
	resumed bool
	items   []*responsesItem
	// passed holds the items passed to the client in all responses, in their final form;
	// before counts those of earlier responses.
	passed []*responsesItem
	before int
	// id is the client's id of the response.
	id string
	// sequence is the number of the next event.
	sequence int
	withheld []Event
}

// responsesItem is an item of the output.
type responsesItem struct {
	index  string
	hidden bool
	place  int
	call   bool
	done   []byte // the whole item
	fields responsesItemFields
}

type responsesItemFields struct {
	Type      string `json:"type"`
	Name      string `json:"name"`
	Namespace string `json:"namespace"`
	CallID    string `json:"call_id"`
	Arguments string `json:"arguments"`
	Content   []struct {
		Text string `json:"text"`
	} `json:"content"`
}

// asCall returns the item as a Call.
func (i *responsesItemFields) asCall() Call {
	return Call{ID: i.CallID, Name: i.Name, Namespace: i.Namespace, Arguments: []byte(i.Arguments)}
}

func (f *responsesFilter) Pass(e Event) ([]Event, error) {
	var in struct {
		Type        string          `json:"type"`
		OutputIndex json.RawMessage `json:"output_index"`
		Item        json.RawMessage `json:"item"`
		Response    struct {
			ID string `json:"id"`
		} `json:"response"`
	}
	if err := json.Unmarshal(e.Data, &in); err != nil {
		return nil, fmt.Errorf("responses event: %w", err)
	}
	switch in.Type {
	case "response.created", "response.in_progress", "response.queued":
		if f.resumed {
			return nil, nil
		}
		f.id = in.Response.ID
	case "response.output_item.added":
		if err := f.begin(in.OutputIndex, in.Item); err != nil {
			return nil, err
		}
	case "response.output_item.done":
		if err := f.end(in.OutputIndex, in.Item); err != nil {
			return nil, err
		}
	case "response.completed", "response.incomplete":
		if said := f.Said(); said.Unfinished() && in.Type == "response.completed" {
			f.withheld = append(f.withheld, e)
			return nil, nil
		}
		return f.rewritten(e, nil, true)
	}
	item := f.item(in.OutputIndex)
	if item != nil && item.hidden {
		return nil, nil
	}
	return f.rewritten(e, item, false)
}

// begin adds a new item.
func (f *responsesFilter) begin(index, item json.RawMessage) error {
	i := &responsesItem{index: string(index)}
	if err := json.Unmarshal(item, &i.fields); err != nil {
		return fmt.Errorf("responses item: %w", err)
	}
	i.call = i.fields.Type == "function_call" || i.fields.Type == "custom_tool_call"
	i.hidden = i.call && i.fields.Namespace == "" && f.hidden(i.fields.Name)
	if !i.hidden {
		i.place = len(f.passed)
		f.passed = append(f.passed, i)
	}
	f.items = append(f.items, i)
	return nil
}

// end records the final form of an item.
func (f *responsesFilter) end(index, item json.RawMessage) error {
	i := f.item(index)
	if i == nil {
		return fmt.Errorf("%w: item %s ends, which has not begun", ErrUnknown, index)
	}
	i.done = bytes.Clone(item)
	if err := json.Unmarshal(item, &i.fields); err != nil {
		return fmt.Errorf("responses item: %w", err)
	}
	return nil
}

// item returns the item with an index, or nil.
func (f *responsesFilter) item(index json.RawMessage) *responsesItem {
	for _, i := range f.items {
		if i.index == string(index) {
			return i
		}
	}
	return nil
}

// rewritten returns an event with the client's numbers, and at the end with all items
// passed to the client as output.
func (f *responsesFilter) rewritten(e Event, item *responsesItem, end bool) ([]Event, error) {
	r := newReader(e.Data)
	var pieces []splice
	var sequence, index, output span
	err := r.value(fields{"sequence_number": &sequence, "output_index": &index, "response": fields{"output": &output}})
	number := func(at span, value int) {
		if text := []byte(strconv.Itoa(value)); !bytes.Equal(text, at.in(e.Data)) {
			pieces = append(pieces, splice{at, text})
		}
	}
	if !sequence.empty() {
		number(sequence, f.sequence)
		f.sequence++
	}
	if item != nil {
		number(index, item.place)
	}
	if end && (f.resumed || len(f.items) != len(f.passed)) {
		pieces = append(pieces, splice{output, f.output()})
	}
	return []Event{{e.Type, spliced(e.Data, pieces...)}}, err
}

// output returns the items passed to the client.
func (f *responsesFilter) output() []byte {
	var items list
	for _, i := range f.passed {
		if i.done != nil {
			items.add(i.done)
		}
	}
	return items.json()
}

func (f *responsesFilter) Withheld() []Event { return f.withheld }

func (f *responsesFilter) Resume() {
	f.resumed, f.before = true, len(f.passed)
	f.items, f.withheld = nil, nil
}

func (f *responsesFilter) Said() Said {
	said := Said{Parts: len(f.passed) - f.before}
	var text strings.Builder
	for _, i := range f.items {
		if i.done == nil {
			continue
		}
		if f.stored || !isBareReasoning(i.done) {
			said.Messages = append(said.Messages, i.done)
		}
		switch {
		case i.hidden:
			said.Hidden = append(said.Hidden, i.fields.asCall())
		case i.call:
			said.Others = append(said.Others, i.fields.asCall())
		case i.fields.Type == "message":
			for _, c := range i.fields.Content {
				text.WriteString(c.Text)
			}
		}
	}
	said.Text = text.String()
	return said
}

// isBareReasoning reports whether an item is reasoning without content. It can be
// repeated only to a provider that has stored it.
func isBareReasoning(item []byte) bool {
	var in struct {
		Type      string `json:"type"`
		Encrypted string `json:"encrypted_content"`
	}
	return json.Unmarshal(item, &in) == nil && in.Type == "reasoning" && in.Encrypted == ""
}
