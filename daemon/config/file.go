package config

import (
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// File is what one source holds. It is immutable once made.
type File struct {
	Source Source
	// Entries are the server entries in the order of the file.
	Entries []Entry
	// Modes are the modes in the order of the file.
	Modes []Mode
	// Inputs are what ${input:id} may name in this file.
	Inputs []Input
	// Endpoints are the providers of models in the order of the file.
	Endpoints []Endpoint
	// Text is the file as it stands; of a [Lock] only.
	Text []byte
	// Settings is the JSON of that key, with blanks for what is before it in the
	// file, so that places are the same; nil where there is none.
	Settings []byte
	// Problems is everything that is wrong, in the order of the text.
	Problems []Problem
	// Broken is set when the text as a whole could not be understood, so that
	// what was read before is better than what is here.
	Broken bool
}

// Names reports whether the file has an entry of that name.
func (f File) Names(server string) bool {
	return slices.ContainsFunc(f.Entries, func(e Entry) bool { return e.Name == server })
}

// Origin is the place that something was read from.
type Origin struct {
	Source Source
	// Line and Column count from 1, as in [Problem].
	Line, Column int
}

// Entry is one server entry of one file, before files are merged.
type Entry struct {
	Name   string
	Origin Origin
	// Definition has no Transport when the entry only adds policy to a server
	// that another file defines.
	Definition Definition
	Policy     Policy
	// Invalid says why the entry cannot be used; nil when it can. It is among
	// the file's problems too.
	Invalid *Problem
}

// DefinesServer reports whether the entry claims the server's name, even when
// what it says cannot be used.
func (e Entry) DefinesServer() bool { return e.Definition.Transport != "" || e.Invalid != nil }

// Transport is how a server is reached: [Stdio], [HTTP] or [SSE], whatever word
// a file has for it.
type Transport = protocol.ServerType

// The values of [Transport].
const (
	Stdio = protocol.TypeStdio
	HTTP  = protocol.TypeHTTP
	SSE   = protocol.TypeSSE
)

// Definition says how a server is started or reached. Before [Expand] its
// strings may hold variables.
type Definition struct {
	Transport Transport
	Command   string
	Args      []string
	// Cwd is empty for the workspace folder.
	Cwd string
	Env map[string]string
	// UnsetEnv names variables that are taken away, sorted.
	UnsetEnv []string
	// EnvFile is a file of NAME=value lines; Env wins over it.
	EnvFile string
	URL     string
	Headers map[string]string
	OAuth   protocol.OAuthEntry
	// Sandbox is what the program may have; nil is all that the user has.
	Sandbox *protocol.SandboxEntry
	// Share is who uses the same process; empty is what [ShareOf] finds.
	Share protocol.ServerShare
}

// Policy says how a server's tools may be used. What is nil or zero was not
// said.
type Policy struct {
	// Disabled keeps the server from running.
	Disabled *bool
	// Timeout bounds one tool call.
	Timeout time.Duration
	// OnlyAllow, when it is not empty, names the only tools in scope.
	OnlyAllow []string
	// DisabledTools names tools out of scope while OnlyAllow is empty.
	DisabledTools []string
	// Further are the rules of other files that hold besides, where files are
	// merged.
	Further []ToolRule
	// DescriptionOverrides replaces descriptions, by tool.
	DescriptionOverrides map[string]string
	// AlwaysLoad names the tools that every task gets.
	AlwaysLoad *AlwaysLoad
	// AlwaysAllow names the tools that run without asking; "*" is all.
	AlwaysAllow []string
}

// AlwaysLoad is a set of a server's tools: all of them, or those named.
type AlwaysLoad struct {
	All   bool
	Tools []string
}

// Mode limits the servers of a task.
type Mode struct {
	Slug        string
	Name        string
	Description string
	Origin      Origin
	// NoTools is set when the mode has no MCP tools at all: a .roomodes entry
	// without the group `mcp`, or any whose list of servers cannot be read.
	NoTools bool
	// Allowed, when it is not nil, names the only servers in scope; empty means
	// none. It wins over Blocked.
	Allowed *[]string
	// Blocked names servers out of scope while Allowed is nil.
	Blocked []string
	// User is the user's own mode of the slug, whose limits are among those above;
	// nil where there is none, or this is it.
	User *Mode
}

// Input is a value that the user is asked for.
type Input struct {
	ID string
	// Pick offers Options instead of a line of text.
	Pick        bool
	Description string
	Password    bool
	Default     string
	Options     []string
	Origin      Origin
}
