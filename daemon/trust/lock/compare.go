package lock

import (
	"cmp"
	"slices"
)

// Kind is how a tool or server differs from the lock.
type Kind string

// The values of [Kind].
const (
	// NewServer: the server is not locked.
	NewServer Kind = "newServer"
	// MissingServer: the server is locked but does not exist.
	MissingServer Kind = "missingServer"
	// NewTool: the tool is not locked.
	NewTool Kind = "newTool"
	// MissingTool: the tool is locked but not offered.
	MissingTool Kind = "missingTool"
	// ChangedTool: the tool's content has changed.
	ChangedTool Kind = "changedTool"
	// ChangedInstructions: the server's instructions have changed.
	ChangedInstructions Kind = "changedInstructions"
	// NewPrompt, MissingPrompt and ChangedPrompt are the same for prompts.
	NewPrompt     Kind = "newPrompt"
	MissingPrompt Kind = "missingPrompt"
	ChangedPrompt Kind = "changedPrompt"
)

// Difference is one difference between servers and their lock.
type Difference struct {
	Kind   Kind   `json:"kind"`
	Server string `json:"server"`
	Tool   string `json:"tool,omitempty"`
	Prompt string `json:"prompt,omitempty"`
	// Parts are the changed parts.
	Parts []Part `json:"parts,omitempty"`
}

// Compare returns the differences between locked and now, sorted by server and tool.
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
		return cmp.Or(cmp.Compare(a.Server, b.Server), cmp.Compare(a.Tool, b.Tool), cmp.Compare(a.Prompt, b.Prompt), cmp.Compare(a.Kind, b.Kind))
	})
	return all
}

func compareServers(name string, before, now Server) []Difference {
	var all []Difference
	if before.Instructions != now.Instructions {
		all = append(all, Difference{Kind: ChangedInstructions, Server: name})
	}
	for tool, d := range compareEntries(before.Tools, now.Tools, [...]Kind{NewTool, MissingTool, ChangedTool}) {
		d.Server, d.Tool = name, tool
		all = append(all, d)
	}
	for prompt, d := range compareEntries(before.Prompts, now.Prompts, [...]Kind{NewPrompt, MissingPrompt, ChangedPrompt}) {
		d.Server, d.Prompt = name, prompt
		all = append(all, d)
	}
	return all
}

// compareEntries returns the differences by name. kinds are the kinds for a new, a
// missing and a changed entry.
func compareEntries(before, now map[string]Entry, kinds [3]Kind) map[string]Difference {
	all := map[string]Difference{}
	for name, entry := range now {
		was, ok := before[name]
		if !ok {
			all[name] = Difference{Kind: kinds[0]}
		} else if parts := differ(was, entry); len(parts) > 0 {
			all[name] = Difference{Kind: kinds[2], Parts: parts}
		}
	}
	for name := range before {
		if _, ok := now[name]; !ok {
			all[name] = Difference{Kind: kinds[1]}
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
		{Meta, a.Meta == b.Meta || a.Meta == "" || b.Meta == ""},
	} {
		if !p.same {
			parts = append(parts, p.part)
		}
	}
	return parts
}
