package config

import (
	"fmt"
	"path/filepath"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds of a sandbox's settings; see [protocol.SandboxEntry].
const (
	minMemoryMB, maxMemoryMB = 16, 1 << 20
	maxProcesses             = 1_000_000
)

func sandboxKeys() []string { return []string{"read", "write", "network", "memoryMB", "processes"} }

// sandboxEnabled is VS Code's key for a sandbox.
const sandboxEnabled = "sandboxEnabled"

// meansSandbox reports whether an unknown key was meant to be `sandbox`.
func meansSandbox(key string) bool {
	return otherName(key) == "sandbox" || suggest(key, EntryKeys()) == "sandbox"
}

// sandbox decodes a program's sandbox. An error keeps the server from starting, because
// it must not get more access than intended.
func (e *entryDecoder) sandbox(m member) bool {
	if !e.traits.own {
		e.foreignSandbox(m)
		return true
	}
	s := &protocol.SandboxEntry{}
	switch m.value.kind {
	case kindBool:
		if m.value.text == "true" {
			e.entry.Definition.Sandbox = s
		}
		return true
	case kindObject:
	default:
		e.wrongKind(Error, m.key, m.value, "true, false or an object")
		return false
	}
	e.entry.Definition.Sandbox = s
	all := true
	for _, m := range m.value.fields(e.repeated) {
		var ok bool
		key := "sandbox." + m.key
		switch m.key {
		case "read":
			s.Read, ok = e.strings(key, m.value)
		case "write":
			s.Write, ok = e.strings(key, m.value)
		case "network":
			s.Network, ok = e.flag(key, m.value)
		case "memoryMB":
			s.MemoryMB, ok = e.whole(key, m.value, minMemoryMB, maxMemoryMB)
		case "processes":
			s.Processes, ok = e.whole(key, m.value, 1, maxProcesses)
		default:
			e.report(Error, m.at, fmt.Sprintf("unknown key %s", e.subject(key)), didYouMean(m.key, sandboxKeys()))
			ok = false
		}
		all = all && ok
	}
	return all
}

// foreignSandbox warns of a sandbox in another client's file.
func (e *entryDecoder) foreignSandbox(m member) {
	e.report(Warning, m.at, fmt.Sprintf("%s counts for %s only, and Winnow runs the server without a sandbox", e.subject(m.key), e.traits.client),
		`move the server to winnow.json, with a "sandbox" there`)
}

// sandbox returns a copy of a sandbox with paths expanded. An unresolved path is kept,
// and the server does not start with it.
func (e *expander) sandbox(s *protocol.SandboxEntry) *protocol.SandboxEntry {
	if s == nil {
		return nil
	}
	expanded := *s
	expanded.Read, expanded.Write = e.paths("sandbox.read", s.Read), e.paths("sandbox.write", s.Write)
	return &expanded
}

// paths expands a list of paths, relative to the workspace folder.
func (e *expander) paths(key string, list []string) []string {
	list = e.list(key, list)
	for i, path := range list {
		switch {
		case startsAt(e.rules.pattern(), path): // reported, and what it would be relative to is not known
		case e.folder == "" && !filepath.IsAbs(path):
			e.report(key, "a relative path starts at the workspace folder, and none is open", "open a folder, or write the path in full")
		default:
			list[i] = filepath.Clean(e.inFolder(path))
		}
	}
	return list
}
