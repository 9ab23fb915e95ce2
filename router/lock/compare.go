package lock

import (
	"cmp"
	"maps"
	"slices"
)

// Kind says how a tool differs from what is locked.
type Kind string

// The values of [Kind].
const (
	// NewServer: nothing is locked of the server.
	NewServer Kind = "newServer"
	// MissingServer: the server is locked, and not there.
	MissingServer Kind = "missingServer"
	// NewTool: nothing is locked under the tool's name.
	NewTool Kind = "newTool"
	// MissingTool: the tool is locked, and its server does not offer it.
	MissingTool Kind = "missingTool"
	// ChangedTool: the server says something else of the tool.
	ChangedTool Kind = "changedTool"
	// ChangedInstructions: the server's instructions are others.
	ChangedInstructions Kind = "changedInstructions"
)

// Difference is one way in which servers are not as they are locked.
type Difference struct {
	Kind   Kind   `json:"kind"`
	Server string `json:"server"`
	Tool   string `json:"tool,omitempty"`
	// Parts are those of a changed tool that differ.
	Parts []Part `json:"parts,omitempty"`
}

// Compare returns how what is there now differs from what is locked, by server
// and tool.
func Compare(locked, now *File) []Difference {
	var all []Difference
	for name, server := range now.Servers {
		before, ok := locked.Servers[name]
		if !ok {
			all = append(all, Difference{Kind: NewServer, Server: name})
			continue
		}
		all = append(all, compareServers(name, before, server)...)
	}
	for name := range locked.Servers {
		if _, ok := now.Servers[name]; !ok {
			all = append(all, Difference{Kind: MissingServer, Server: name})
		}
	}
	slices.SortFunc(all, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

func compareServers(name string, before, now Server) []Difference {
	var all []Difference
	if before.Instructions != now.Instructions {
		all = append(all, Difference{Kind: ChangedInstructions, Server: name})
	}
	for _, tool := range slices.Sorted(maps.Keys(now.Tools)) {
		was, ok := before.Tools[tool]
		if !ok {
			all = append(all, Difference{Kind: NewTool, Server: name, Tool: tool})
		} else if parts := differ(was, now.Tools[tool]); len(parts) > 0 {
			all = append(all, Difference{Kind: ChangedTool, Server: name, Tool: tool, Parts: parts})
		}
	}
	for _, tool := range slices.Sorted(maps.Keys(before.Tools)) {
		if _, ok := now.Tools[tool]; !ok {
			all = append(all, Difference{Kind: MissingTool, Server: name, Tool: tool})
		}
	}
	return all
}

// differ returns the parts in which two tools differ.
func differ(a, b Entry) []Part {
	var parts []Part
	for _, p := range []struct {
		part Part
		same bool
	}{
		{InputSchema, a.InputSchema == b.InputSchema},
		{Annotations, a.Annotations == b.Annotations},
		{Texts, a.Texts == b.Texts},
		{OutputSchema, a.OutputSchema == b.OutputSchema},
	} {
		if !p.same {
			parts = append(parts, p.part)
		}
	}
	return parts
}
