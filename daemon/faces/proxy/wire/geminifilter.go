package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// geminiFilter filters the chunks of Gemini's streamGenerateContent.
type geminiFilter struct {
	hidden   func(name string) bool
	parts    list // of this response, including hidden ones
	calls    []Call
	others   []Call
	passed   int
	text     strings.Builder
	withheld []Event
}

// geminiChunk holds the positions of a chunk's parts.
type geminiChunk struct {
	candidates int
	parts      []geminiPart
	partsAt    span // the array
	finish     span // the member finishReason
}

type geminiPart struct {
	at      span
	text    string
	thought bool
	call    *Call
}

func (f *geminiFilter) Pass(e Event) ([]Event, error) {
	c, err := readGeminiChunk(e.Data)
	if err != nil {
		return nil, fmt.Errorf("gemini chunk: %w", err)
	}
	if c.candidates > 1 {
		return nil, fmt.Errorf("%w: more than one candidate", ErrUnknown)
	}
	kept := f.take(e.Data, &c)
	var pieces []splice
	if len(kept) != len(c.parts) {
		pieces = append(pieces, splice{c.partsAt, kept.json()})
	}
	if len(f.withheld) > 0 { // usage after the end
		f.withheld = append(f.withheld, e)
		return nil, nil
	}
	if c.finish.empty() {
		if len(c.parts) > 0 && len(kept) == 0 {
			return nil, nil
		}
		return []Event{{e.Type, spliced(e.Data, pieces...)}}, nil
	}
	if len(f.calls) == 0 || len(f.others) > 0 {
		return []Event{{e.Type, spliced(e.Data, pieces...)}}, nil
	}
	f.withheld = append(f.withheld, Event{e.Type, spliced(e.Data, pieces...)})
	if len(kept) == 0 {
		return nil, nil
	}
	// Content in the last chunk must not be withheld.
	return []Event{{e.Type, spliced(e.Data, append(pieces, splice{at: c.finish})...)}}, nil
}

// take records the parts of a chunk and returns those for the client.
func (f *geminiFilter) take(text []byte, c *geminiChunk) list {
	var kept list
	for i := range c.parts {
		p := &c.parts[i]
		raw := bytes.Clone(p.at.in(text))
		f.parts.add(raw)
		if p.call != nil && f.hidden(p.call.Name) {
			f.calls = append(f.calls, *p.call)
			continue
		}
		if p.call != nil {
			f.others = append(f.others, *p.call)
		}
		if !p.thought {
			f.text.WriteString(p.text)
		}
		f.passed++
		kept.add(raw)
	}
	return kept
}

func (f *geminiFilter) Withheld() []Event { return f.withheld }

func (f *geminiFilter) Resume() { *f = geminiFilter{hidden: f.hidden} }

func (f *geminiFilter) Said() Said {
	return Said{
		Messages: [][]byte{answerMessage(Gemini, "", f.parts)},
		Hidden:   f.calls, Others: f.others, Text: f.text.String(), Parts: f.passed,
	}
}

// readGeminiChunk finds the parts of a chunk.
func readGeminiChunk(text []byte) (geminiChunk, error) {
	var c geminiChunk
	r := newReader(text)
	candidate := fields{
		"content":      fields{"parts": r.elements(&c.partsAt, func() error { return c.part(r) })},
		"finishReason": r.cut(&c.finish),
	}
	err := r.document(fields{"candidates": r.elements(new(span), func() error {
		c.candidates++
		return r.value(candidate)
	})})
	return c, err
}

func (c *geminiChunk) part(r *reader) error {
	at, err := r.skip()
	if err != nil {
		return err
	}
	var fields struct {
		Text         string `json:"text"`
		Thought      bool   `json:"thought"`
		FunctionCall *struct {
			ID   string          `json:"id"`
			Name string          `json:"name"`
			Args json.RawMessage `json:"args"`
		} `json:"functionCall"`
	}
	if err := json.Unmarshal(at.in(r.text), &fields); err != nil {
		return err
	}
	p := geminiPart{at: at, text: fields.Text, thought: fields.Thought}
	if call := fields.FunctionCall; call != nil {
		p.call = &Call{ID: call.ID, Name: call.Name, Arguments: call.Args}
	}
	c.parts = append(c.parts, p)
	return nil
}
