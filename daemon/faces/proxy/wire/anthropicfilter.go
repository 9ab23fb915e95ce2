package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// anthropicFilter filters the events of Anthropic's messages API.
type anthropicFilter struct {
	hidden  func(name string) bool
	resumed bool
	blocks  []*anthropicBlock
	// passed counts the blocks passed to the client in all responses; before counts those
	// of earlier responses.
	passed, before int
	withheld       []Event
}

// anthropicBlock is a streamed content block.
type anthropicBlock struct {
	index  string
	hidden bool
	place  int
	start  []byte // the block of content_block_start
	kind   string
	id     string
	name   string
	// text joins text_delta, thinking_delta or input_json_delta.
	text      strings.Builder
	signature strings.Builder
	citations list
}

// anthropicEvent holds the decoded parts of an event.
type anthropicEvent struct {
	Type         string          `json:"type"`
	Index        json.RawMessage `json:"index"`
	ContentBlock json.RawMessage `json:"content_block"`
	Delta        struct {
		Type        string          `json:"type"`
		Text        string          `json:"text"`
		Thinking    string          `json:"thinking"`
		Signature   string          `json:"signature"`
		PartialJSON string          `json:"partial_json"`
		Citation    json.RawMessage `json:"citation"`
	} `json:"delta"`
}

func (f *anthropicFilter) Pass(e Event) ([]Event, error) {
	var in anthropicEvent
	if err := json.Unmarshal(e.Data, &in); err != nil {
		return nil, fmt.Errorf("messages event: %w", err)
	}
	switch in.Type {
	case "message_start":
		if f.resumed {
			return nil, nil
		}
	case "content_block_start":
		b, err := f.begin(&in)
		if err != nil {
			return nil, err
		}
		return f.moved(e, b)
	case "content_block_delta":
		b := f.block(in.Index)
		if b == nil {
			return nil, fmt.Errorf("%w: a piece of block %s, which has not begun", ErrUnknown, in.Index)
		}
		b.add(&in)
		return f.moved(e, b)
	case "content_block_stop":
		if b := f.block(in.Index); b != nil {
			return f.moved(e, b)
		}
	case "message_delta", "message_stop":
		if said := f.Said(); said.Unfinished() {
			f.withheld = append(f.withheld, e)
			return nil, nil
		}
	}
	return []Event{e}, nil
}

// begin adds a new block.
func (f *anthropicFilter) begin(in *anthropicEvent) (*anthropicBlock, error) {
	var start struct {
		Type string `json:"type"`
		ID   string `json:"id"`
		Name string `json:"name"`
	}
	if err := json.Unmarshal(in.ContentBlock, &start); err != nil {
		return nil, fmt.Errorf("messages content_block: %w", err)
	}
	b := &anthropicBlock{
		index: string(in.Index), start: bytes.Clone(in.ContentBlock),
		kind: start.Type, id: start.ID, name: start.Name,
	}
	b.hidden = b.kind == "tool_use" && f.hidden(b.name)
	if !b.hidden {
		b.place = f.passed
		f.passed++
	}
	f.blocks = append(f.blocks, b)
	return b, nil
}

// block returns the block with an index, or nil.
func (f *anthropicFilter) block(index json.RawMessage) *anthropicBlock {
	for _, b := range slices.Backward(f.blocks) {
		if b.index == string(index) {
			return b
		}
	}
	return nil
}

// moved returns a block's event with the client's index.
func (f *anthropicFilter) moved(e Event, b *anthropicBlock) ([]Event, error) {
	if b.hidden {
		return nil, nil
	}
	place := strconv.Itoa(b.place)
	if place == b.index {
		return []Event{e}, nil
	}
	r := newReader(e.Data)
	var at span
	err := r.value(fields{"index": &at})
	return []Event{{e.Type, spliced(e.Data, splice{at, []byte(place)})}}, err
}

// add appends a delta to the block.
func (b *anthropicBlock) add(in *anthropicEvent) {
	d := &in.Delta
	b.text.WriteString(d.Text)
	b.text.WriteString(d.Thinking)
	b.text.WriteString(d.PartialJSON)
	b.signature.WriteString(d.Signature)
	if len(d.Citation) > 0 {
		b.citations.add(bytes.Clone(d.Citation))
	}
}

func (f *anthropicFilter) Withheld() []Event { return f.withheld }

func (f *anthropicFilter) Resume() {
	f.resumed, f.before = true, f.passed
	f.blocks, f.withheld = nil, nil
}

func (f *anthropicFilter) Said() Said {
	said := Said{Parts: f.passed - f.before}
	var blocks list
	for _, b := range f.blocks {
		text := b.json()
		if text == nil {
			continue
		}
		blocks.add(text)
		switch {
		case b.hidden:
			said.Hidden = append(said.Hidden, b.call())
		case b.kind == "tool_use":
			said.Others = append(said.Others, b.call())
		case b.kind == "text":
			said.Text += b.text.String()
		}
	}
	said.Messages = [][]byte{answerMessage(Messages, "", blocks)}
	return said
}

// json returns the block for a message; nil for an empty text, which the provider
// refuses.
func (b *anthropicBlock) json() []byte {
	set := map[string][]byte{}
	switch b.kind {
	case "text":
		if b.text.Len() == 0 {
			return nil
		}
		set["text"] = quote(b.text.String())
		if len(b.citations) > 0 {
			set["citations"] = b.citations.json()
		}
	case "thinking":
		set["thinking"], set["signature"] = quote(b.text.String()), quote(b.signature.String())
	case "tool_use", "server_tool_use", "mcp_tool_use":
		set["input"] = b.input()
	}
	return withMembers(b.start, set)
}

// call returns a tool_use block as a Call.
func (b *anthropicBlock) call() Call { return Call{ID: b.id, Name: b.name, Arguments: b.input()} }

// input returns the arguments of a call; {} if they are truncated.
func (b *anthropicBlock) input() []byte {
	if text := []byte(b.text.String()); json.Valid(text) {
		return text
	}
	return []byte("{}")
}

// withMembers returns an object with members set: existing ones are replaced, new ones
// appended by name.
func withMembers(object []byte, set map[string][]byte) []byte {
	r := newReader(object)
	var pieces []splice
	members := 0
	at, err := r.object(func(name string) error {
		members++
		at, err := r.skip()
		if value, ok := set[name]; ok {
			pieces = append(pieces, splice{at, value})
			delete(set, name)
		}
		return err
	})
	if err != nil {
		return object
	}
	var more []byte
	for _, name := range sortedKeys(set) {
		if members > 0 {
			more = append(more, ',')
		}
		members++
		more = slices.Concat(more, quote(name), []byte(":"), set[name])
	}
	if len(more) > 0 {
		pieces = append(pieces, splice{span{at.end - 1, at.end}, append(more, '}')})
	}
	return spliced(object, pieces...)
}
