package router

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// maxNameLength is the longest function name that OpenAI and Gemini take.
const maxNameLength = 64

// hashLength is how many hex digits tell a shortened or changed name from
// others; with 2,000 tools two of them share 8 digits once in 2,000 catalogues.
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

// IsMetaTool reports whether name is one of Winnow's own tools.
func IsMetaTool(name string) bool {
	switch name {
	case LoadName, SearchName, CallName, ReadName, ResultName, RunName, ProxyName:
		return true
	}
	return false
}

// name gives every tool the name that models see. It is legal for
// OpenAI, Anthropic and Gemini, unique in the catalogue and depends on nothing
// but the catalogue. The first form that serves is taken:
//
//	tool                    where no other tool of the source has the name, nor of the host
//	mcp__server__tool       where one has, or qualified names are asked for
//	mcp__server__tool_hash  where that is too long or had to be changed
//
// A host's own names are kept as they are (verbatim).
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

// servesBare reports whether a tool's own name can be sent to models as it is.
// Names that look qualified cannot: they would pass for a tool of another
// server.
func servesBare(name string) bool {
	return legalName(name) && !IsMetaTool(name) && !strings.HasPrefix(foldName(name), qualifiedPrefix)
}

// shortNames counts the tools of each name. Names that differ only in case,
// or in - and _, count as one: models swap these.
func (c *Catalog) shortNames() map[string]int {
	counts := make(map[string]int, len(c.Tools))
	for i := range c.Tools {
		counts[foldName(c.Tools[i].ID.Tool)]++
	}
	return counts
}

// qualifiedPrefix begins the names that hold server and tool.
const qualifiedPrefix = "mcp__"

// QualifiedName returns mcp__server__tool, with a hash of the identity where
// that had to be cut or changed to be legal.
func QualifiedName(id ToolID) string {
	plain := qualifiedPrefix + id.Server + "__" + id.Tool
	legal := sanitizeName(plain)
	// Two servers may differ only in what was replaced, and `a__b` on `c` is
	// not `b` on `c__a`.
	if legal != plain || len(legal) > maxNameLength || strings.Contains(id.Server, "__") ||
		strings.HasSuffix(id.Server, "_") || strings.HasPrefix(id.Tool, "_") {
		return hashedName(legal, id.key())
	}
	return legal
}

// freeName returns name, or one made of it and of the identity that is not
// taken. A second hash is needed only when somebody chose a name to collide
// with a first one.
func freeName(name string, id ToolID, taken func(name string) bool) string {
	free := name
	for attempt := 1; taken(free); attempt++ {
		free = hashedName(name, id.key()+strings.Repeat(identitySeparator, attempt))
	}
	return free
}

// hashedName returns name, cut so that a hash of key fits behind it.
func hashedName(name, key string) string {
	sum := sha256.Sum256([]byte(key))
	if most := maxNameLength - hashLength - 1; len(name) > most {
		name = name[:most]
	}
	return name + "_" + hex.EncodeToString(sum[:])[:hashLength]
}

// sanitizeName replaces what some provider refuses. All of them take letters,
// digits, _ and -; Gemini wants a letter or _ first.
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

// foldName returns name without what models get wrong: case, and - for _.
func foldName(name string) string {
	return strings.ReplaceAll(strings.ToLower(name), "-", "_")
}
