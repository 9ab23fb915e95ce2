package wire

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"time"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/protocol"
)

// Transport is how a server is reached.
type Transport = protocol.ServerType

const (
	// Stdio is a child process that speaks over its stdin and stdout.
	Stdio = protocol.TypeStdio
	// SSE is the HTTP transport of MCP 2024-11-05: one event stream, and POSTs.
	SSE = protocol.TypeSSE
	// HTTP is streamable HTTP. A server that refuses it in the way the
	// specification describes is tried with SSE, as VS Code does.
	HTTP = protocol.TypeHTTP
)

// Defaults of the fields of [Config] that are zero.
const (
	DefaultTimeout      = 60 * time.Second
	DefaultStartTimeout = 60 * time.Second
	// DefaultMaxMessageBytes leaves room for a large screenshot or document.
	// A message is held about four times while it is decoded.
	DefaultMaxMessageBytes = 32 << 20
)

// Config says how one server is reached and run. Variables are expanded
// already, except ${input:ID}, which is asked for through [Hooks.Input] at the
// moment the server is started.
type Config struct {
	// Name identifies the server to the user and in every call. It is unique
	// within one Apply.
	Name string
	// Transport defaults to Stdio when Command is set and to HTTP otherwise.
	Transport Transport

	// Command is the program of a Stdio server, looked up in the PATH the
	// child will see.
	Command string
	// Absent: Command was not found when the user agreed to it. It is not looked
	// for, as another program than was agreed to may be there by now.
	Absent bool
	Args   []string
	// Env is added to the minimal environment described at [Dialer.HostEnv].
	Env map[string]string
	// Cwd is the child's directory; empty means the daemon's own.
	Cwd string
	// Sandbox is what the child may have, with absolute paths; nil is all that
	// the user has. Where there can be no sandbox the server does not start.
	Sandbox *protocol.SandboxEntry

	// Sharing says who uses the child's process.
	Sharing Sharing

	// URL is the endpoint of an HTTP or SSE server.
	URL string
	// Headers are sent with every request to URL's origin.
	Headers map[string]string
	// OAuth holds what the user registered by hand; usually empty. Discovery
	// and registration find what is left empty.
	OAuth protocol.OAuthEntry

	// Disabled lists the server without starting it.
	Disabled bool
	// Hold, when it has a kind, lists the server without starting it; its text
	// is shown as what the user can do.
	Hold Hold
	// Lazy delays the start of a server whose tools are known from an earlier
	// run until its first call.
	Lazy bool
	// Asleep delays the start of any server until its first call, or until it is
	// restarted.
	Asleep bool
	// Idle is after how long without a request a server that is known to keep no
	// state is stopped, until its next call. 0 is never.
	Idle time.Duration
	// Timeout bounds one tool call. 0 means DefaultTimeout.
	Timeout time.Duration
	// StartTimeout bounds one attempt to start the server and list its tools.
	// 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// MaxMessageBytes bounds one message from the server; a longer one fails
	// the call it answers. 0 means DefaultMaxMessageBytes.
	MaxMessageBytes int
}

// ProcessKey tells apart the processes that a [Sharing] gives a server.
func (s Sharing) ProcessKey() string {
	return fmt.Sprintf("%s %q", s.With, s.Dir)
}

// Sharing says who uses the same process of a server. The zero value is the client
// alone.
type Sharing struct {
	With protocol.ServerShare
	// Why says why, to the user.
	Why string
	// Known: its entry says so, or the server is known. Another one may keep a state.
	Known bool
	// Folders are those whose clients share it, with [protocol.ShareFolder].
	Folders []string
	// Dir, where it is not empty, is the child's directory in the place of
	// [Config.Cwd], from which its program is found all the same.
	Dir string
	// Idle is for how long the process stays that no client uses.
	Idle time.Duration
}

// Hash identifies what the server is: the fields that decide which process or
// endpoint answers, and not those that only say how it is used. It keys the
// manifest cache and tells whether a change of configuration needs a restart.
// Inputs enter it by name, not by value.
func (c Config) Hash() string {
	c = c.WithDefaults()
	identity := struct {
		Transport Transport
		Command   string
		Args      []string
		Env       map[string]string
		Cwd       string
		URL       string
		Headers   map[string]string
		OAuth     protocol.OAuthEntry
		Sandbox   *protocol.SandboxEntry `json:",omitempty"`
	}{c.Transport, c.Command, c.Args, c.Env, c.Cwd, c.URL, c.Headers, c.OAuth, c.Sandbox}
	// Maps of strings are marshalled in key order and cannot fail.
	encoded, err := json.Marshal(identity)
	if err != nil {
		panic("upstream: hash of a configuration: " + err.Error())
	}
	sum := sha256.Sum256(encoded)
	return hex.EncodeToString(sum[:16])
}

// WithDefaults fills the fields that are zero and makes nil and empty
// collections equal.
func (c Config) WithDefaults() Config {
	if c.Transport == "" {
		c.Transport = HTTP
		if c.Command != "" {
			c.Transport = Stdio
		}
	}
	if c.Timeout <= 0 {
		c.Timeout = DefaultTimeout
	}
	if c.StartTimeout <= 0 {
		c.StartTimeout = DefaultStartTimeout
	}
	if c.MaxMessageBytes <= 0 {
		c.MaxMessageBytes = DefaultMaxMessageBytes
	}
	if len(c.Args) == 0 {
		c.Args = nil
	}
	if len(c.Env) == 0 {
		c.Env = nil
	}
	if len(c.Headers) == 0 {
		c.Headers = nil
	}
	if len(c.OAuth.Scopes) == 0 {
		c.OAuth.Scopes = nil
	}
	return c
}

// validate reports what makes the configuration impossible to start.
func (c Config) validate() error {
	switch c.Transport {
	case Stdio:
		if c.Command == "" {
			return errors.New(`the entry has no "command"`)
		}
	case SSE, HTTP:
		if c.URL == "" {
			return errors.New(`the entry has no "url"`)
		}
		if u, err := url.Parse(c.URL); err != nil || u.Host == "" || (u.Scheme != "http" && u.Scheme != "https") {
			return errors.New(`"url" is not an http or https address`)
		}
	default:
		return fmt.Errorf("%q is not a transport; use stdio, http or sse", c.Transport)
	}
	return nil
}

// Hold is what keeps a server from starting. The kind is the caller's own word,
// empty for none, and the text is for the user.
type Hold struct{ Kind, Text string }

// Settings are what may hold secrets.
func (c Config) Settings() clean.Settings {
	return clean.Settings{Env: c.Env, Headers: c.Headers, Args: c.Args, URL: c.URL, ClientSecret: c.OAuth.ClientSecret}
}
