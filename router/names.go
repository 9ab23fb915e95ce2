package router

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxNameLength is the longest function name that OpenAI and Gemini accept.
const maxNameLength = 64

// hashLength is the number of hex digits that distinguish a shortened or changed name.
// With 2,000 tools, two of them share 8 digits in one of 2,000 catalogues.
const hashLength = 8

// Names of Winnow's own tools. No other tool is presented under one of them.
const (
	LoadName   = protocol.MetaLoad
	SearchName = protocol.MetaSearch
	CallName   = protocol.MetaCall
	ReadName   = protocol.MetaRead
	ResultName = protocol.MetaResult
	RunName    = protocol.MetaRun
	ProxyName  = protocol.ProxyTool
)

// IsMetaTool reports whether name is the name of one of Winnow's own tools.
func IsMetaTool(name string) bool {
	switch name {
	case LoadName, SearchName, CallName, ReadName, ResultName, RunName, ProxyName:
		return true
	}
	return false
}

// name sets the name of every tool that models see. It is valid for OpenAI, Anthropic and
// Gemini, unique in the catalogue, and depends only on the catalogue and the taken names.
// The first form that is possible is used:
//
//	tool                    if no other tool of the source or the host has the name
//	mcp__server__tool       if one has, or qualified names are requested
//	mcp__server__tool_hash  if that is too long or was changed
//
// A host's own names are kept unchanged (verbatim).
func (c *Catalog) name(qualified bool, others []string) {
	c.byName = make(map[string]int, len(c.Tools))
	short := c.shortNames()
	other := map[string]bool{}
	for _, name := range others {
		other[foldName(name)] = true
		short[foldName(name)]++
	}
	taken := func(name string) bool {
		_, ok := c.byName[name]
		return ok || other[foldName(name)]
	}
	for i := range c.Tools {
		t := &c.Tools[i]
		switch {
		case c.verbatim && !c.Servers[t.Server].Own:
			t.Name = t.ID.Tool
		case !c.verbatim && !qualified && short[foldName(t.ID.Tool)] == 1 && servesBare(t.ID.Tool):
			t.Name = t.ID.Tool
		default:
			t.Name = freeName(QualifiedName(t.ID), t.ID, taken)
		}
		c.byName[t.Name] = i
	}
}

// servesBare reports whether a tool's own name can be sent to models as it is. A name
// that looks qualified cannot, because it would pass for a tool of another server.
func servesBare(name string) bool {
	return legalName(name) && !IsMetaTool(name) && !strings.HasPrefix(foldName(name), qualifiedPrefix)
}

// shortNames counts the tools of each name. Names that differ only in case or in - and _
// count as one, because models confuse them.
func (c *Catalog) shortNames() map[string]int {
	counts := make(map[string]int, len(c.Tools))
	for i := range c.Tools {
		counts[foldName(c.Tools[i].ID.Tool)]++
	}
	return counts
}

// qualifiedPrefix starts the names that contain server and tool.
const qualifiedPrefix = "mcp__"

// QualifiedName returns mcp__server__tool, with a hash of the identity if the name had to
// be cut or changed to be valid.
func QualifiedName(id ToolID) string {
	plain := qualifiedPrefix + id.Server + "__" + id.Tool
	legal := sanitizeName(plain)
	// Two servers may differ only in replaced characters, and `a__b` on `c` is not `b` on
	// `c__a`.
	if legal != plain || len(legal) > maxNameLength || strings.Contains(id.Server, "__") ||
		strings.HasSuffix(id.Server, "_") || strings.HasPrefix(id.Tool, "_") {
		return hashedName(legal, id.key())
	}
	return legal
}

// freeName returns name, or a name derived from it and the identity that is not taken. A
// second hash is needed only if a name was chosen to collide with a first one.
func freeName(name string, id ToolID, taken func(name string) bool) string {
	free := name
	for attempt := 1; taken(free); attempt++ {
		free = hashedName(name, id.key()+strings.Repeat(identitySeparator, attempt))
	}
	return free
}

// hashedName returns name with a hash of key appended, cut to maxNameLength.
func hashedName(name, key string) string {
	sum := sha256.Sum256([]byte(key))
	if most := maxNameLength - hashLength - 1; len(name) > most {
		name = name[:most]
	}
	return name + "_" + hex.EncodeToString(sum[:])[:hashLength]
}

// sanitizeName replaces the characters that some provider refuses. All accept letters,
// digits, _ and -; Gemini requires a letter or _ first.
func sanitizeName(name string) string {
	b := []byte(name)
	out := b[:0:len(b)]
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case nameByte(c):
			out = append(out, c)
		case c < 0x80 || c >= 0xC0: // one _ for each character, whatever its length
			out = append(out, '_')
		}
	}
	return string(out)
}

func legalName(name string) bool {
	if name == "" || len(name) > maxNameLength {
		return false
	}
	for i := 0; i < len(name); i++ {
		if !nameByte(name[i]) {
			return false
		}
	}
	return name[0] == '_' || isLetter(name[0])
}

func nameByte(c byte) bool {
	return isLetter(c) || c >= '0' && c <= '9' || c == '_' || c == '-'
}

func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }

// foldName returns name in lower case with _ for -, because models confuse these.
func foldName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}
