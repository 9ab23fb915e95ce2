package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/protocol/mcpobject"
)

// Offer is what a server offers, in its own words.
type Offer struct {
	// Name is what people would call the server in their files, and Version what it
	// calls its own.
	Name, Version string
	// Source is the command, the URL or the file that it comes from.
	Source string
	// File is the capture; empty for a server that was asked.
	File         string
	Instructions string
	// Tools holds each MCP Tool object as it came.
	Tools []json.RawMessage
	// Warnings is what was tolerated when the server was asked.
	Warnings []string
	// Places says where tools are written, by name.
	Places map[string]Place
}

// Place is a line of a file, with slashes and from the folder that was looked
// through.
type Place struct {
	File string
	Line int
}

// ReadCapture reads an answer to tools/list: the JSON-RPC message, its result, the
// list alone, or what `winnowd lock -capture` writes, of which server is chosen; it
// may be empty where there is one.
func ReadCapture(data []byte, server string) (Offer, error) {
	data, err := ijson.Normalize(data)
	if err != nil {
		return Offer{}, err
	}
	if tools, ok := list(data); ok {
		return Offer{Tools: tools}, nil
	}
	var c struct {
		Tools      json.RawMessage `json:"tools"`
		Result     json.RawMessage `json:"result"`
		Name       string          `json:"name"`
		ServerInfo struct {
			Name    string `json:"name"`
			Version string `json:"version"`
		} `json:"serverInfo"`
		Instructions string                     `json:"instructions"`
		Reported     string                     `json:"reportedVersion"`
		Servers      map[string]json.RawMessage `json:"servers"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return Offer{}, err
	}
	if len(c.Result) > 0 {
		return ReadCapture(c.Result, server)
	}
	if len(c.Servers) > 0 {
		return ofServer(c.Servers, server)
	}
	tools, ok := list(c.Tools)
	if !ok {
		return Offer{}, errors.New(`there is no list "tools" in it; want what the server answers to tools/list`)
	}
	version := c.ServerInfo.Version
	if version == "" {
		version = c.Reported
	}
	name := c.Name
	if name == "" {
		name = c.ServerInfo.Name
	}
	return Offer{Name: name, Version: version, Instructions: c.Instructions, Tools: tools}, nil
}

// ofServer chooses one of the servers of a capture.
func ofServer(servers map[string]json.RawMessage, name string) (Offer, error) {
	var names []string
	for one := range servers {
		names = append(names, one)
	}
	if name == "" && len(names) == 1 {
		name = names[0]
	}
	raw, ok := servers[name]
	if !ok {
		return Offer{}, fmt.Errorf("it has %d servers, and none is %q: choose one by -name (%s)", len(names), name, strings.Join(names, ", "))
	}
	offer, err := ReadCapture(raw, "")
	offer.Name = name
	return offer, err
}

// list reads a JSON list.
func list(raw json.RawMessage) ([]json.RawMessage, bool) {
	var items []json.RawMessage
	if trimmed := strings.TrimSpace(string(raw)); !strings.HasPrefix(trimmed, "[") {
		return nil, false
	}
	return items, json.Unmarshal(raw, &items) == nil
}

// withDescription returns a Tool object with another description.
func withDescription(raw json.RawMessage, description string) json.RawMessage {
	return with(raw, "description", description)
}

// with returns a Tool object with another value of a member.
func with(raw json.RawMessage, member string, value any) json.RawMessage {
	members := map[string]any{}
	err := ijson.Each(raw, func(name []byte, value json.RawMessage) { members[string(name)] = value })
	members[member] = value
	out, failed := json.Marshal(members)
	if err != nil || failed != nil {
		return raw
	}
	return out
}

// object reads a Tool object; one that is none has no members.
func object(raw json.RawMessage) mcpobject.Object {
	o, _ := mcpobject.Read(raw, nil)
	return o
}
