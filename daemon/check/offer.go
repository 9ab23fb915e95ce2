package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/protocol/mcpobject"
)

// Offer is what a server offers, in its original texts.
type Offer struct {
	// Name is the name that people would give the server in their files. Version is the
	// server's own.
	Name, Version string
	// Source is the command, the URL or the file that it is read from.
	Source string
	// File is the capture; "" for a running server.
	File         string
	Instructions string
	// Tools holds each MCP Tool object as received.
	Tools []json.RawMessage
	// Warnings describes the tolerated faults in the server's answers.
	Warnings []string
	// Places holds the source positions of tools, by name.
	Places map[string]Place
}

// Place is a line of a file. The path uses slashes and is relative to the searched
// folder.
type Place struct {
	File string
	Line int
}

// ReadCapture reads an answer to tools/list: the JSON-RPC message, its result, the list
// alone, or the output of `winnowd lock -capture`. server chooses a server of that, and
// may be "" if there is only one.
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

// ofServer returns one of the servers of a capture.
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

// with returns a Tool object with a member replaced.
func with(raw json.RawMessage, member string, value any) json.RawMessage {
	encoded, err := ijson.Encode(value)
	if err != nil {
		return raw
	}
	return ijson.Edit(raw, func(members map[string]json.RawMessage) { members[member] = encoded })
}

// object reads a Tool object; any other value gives an empty one.
func object(raw json.RawMessage) mcpobject.Object {
	o, _ := mcpobject.Read(raw, nil)
	return o
}
