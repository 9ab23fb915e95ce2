package check

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Message is a message with the tools that it needs.
type Message struct {
	Text string
	// Needs holds, for each need, the names of the tools of which any one meets it.
	Needs [][]string
}

// Names of members that servers' authors use for the same purpose.
var (
	textNames = []string{"query", "message", "prompt", "question", "input", "text"}
	goldNames = []string{"gold", "tools", "tool", "expected", "expectedTools", "expected_tools", "expectedToolCalls", "expected_tool_calls"}
	toolNames = []string{"name", "tool", "toolName", "tool_name"}
)

// ReadMessages reads a file of messages: a JSON list, or one object per line. A message
// is {"query": "…", "gold": ["tool"]}. "gold" may also hold [server, tool] pairs or
// objects with the tool's name, as in authors' tests, and "gold_alternatives" groups of
// which any tool is enough.
func ReadMessages(data []byte) ([]Message, error) {
	items, lines := list(data)
	if !lines {
		for line := range bytes.Lines(data) {
			items = append(items, bytes.TrimSpace(line))
		}
	}
	var messages []Message
	for i, item := range items {
		if len(item) == 0 || bytes.HasPrefix(item, []byte("//")) {
			continue
		}
		m, err := readMessage(item)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i+1, err)
		}
		messages = append(messages, m)
	}
	if len(messages) == 0 {
		return nil, errors.New(`it has no message; want a line for each, such as {"query": "close issue 7", "gold": ["close_issue"]}`)
	}
	return messages, nil
}

func readMessage(raw json.RawMessage) (Message, error) {
	members := map[string]json.RawMessage{}
	if err := ijson.Each(raw, func(name []byte, value json.RawMessage) { members[string(name)] = value }); err != nil {
		return Message{}, fmt.Errorf("it is no JSON object: %w", err)
	}
	m := Message{Text: strings.TrimSpace(ijson.Text(first(members, textNames)))}
	if m.Text == "" {
		return m, fmt.Errorf("it has no text: one of %s", strings.Join(textNames, ", "))
	}
	gold := first(members, goldNames)
	if items, ok := list(gold); ok {
		for _, item := range items {
			m.need(toolName(item))
		}
	} else {
		m.need(toolName(gold))
	}
	groups, _ := list(members["gold_alternatives"])
	for _, group := range groups {
		var names []string
		items, _ := list(group)
		for _, item := range items {
			names = append(names, toolName(item))
		}
		m.need(names...)
	}
	if len(m.Needs) == 0 {
		return m, fmt.Errorf("it names no tool: one of %s", strings.Join(goldNames, ", "))
	}
	return m, nil
}

// need adds a need that any of some tools meets.
func (m *Message) need(tools ...string) {
	tools = slices.DeleteFunc(tools, func(name string) bool { return name == "" })
	if len(tools) > 0 && !slices.ContainsFunc(m.Needs, func(other []string) bool { return slices.Equal(other, tools) }) {
		m.Needs = append(m.Needs, tools)
	}
}

// first returns the first existing member.
func first(members map[string]json.RawMessage, names []string) json.RawMessage {
	for _, name := range names {
		if value := members[name]; len(value) > 0 {
			return value
		}
	}
	return nil
}

// toolName reads "tool", [server, tool], or an object that names it.
func toolName(raw json.RawMessage) string {
	if pair, ok := list(raw); ok {
		if len(pair) == 0 {
			return ""
		}
		return ijson.Text(pair[len(pair)-1])
	}
	for _, name := range toolNames {
		if value := ijson.LastMember(raw, name); len(value) > 0 {
			return ijson.Text(value)
		}
	}
	return ijson.Text(raw)
}
