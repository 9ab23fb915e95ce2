package editor

import (
	"maps"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/protocol"
)

// For the tests that drive the face by its wire, over a fake engine.

// Parts are the parts of an engine.
type Parts = parts

// Members are the names of the members that each method's params may have.
var Members = members

// NewOver returns a session over what open opens, in place of an engine.
func NewOver(o Options, open func(h host.Host, p *protocol.InitializeParams) *Parts, g Gateway) *Session {
	s := New(o)
	s.open = func(h host.Host, p *protocol.InitializeParams) (*parts, func() Gateway) {
		return open(h, p), func() Gateway { return g }
	}
	return s
}

// VersionOf stands for what a host sees of tools.
var VersionOf = versionOf

// Answered are the methods that a session over p answers, sorted.
func Answered(p *Parts, g Gateway) []string {
	s := New(Options{})
	methods := slices.AppendSeq(slices.Collect(maps.Keys(s.lifecycleRoutes())), maps.Keys(s.routes(p, g)))
	slices.Sort(methods)
	return methods
}
