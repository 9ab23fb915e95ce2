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
	// HTTP is streamable HTTP. If a server refuses it as the specification describes, SSE
	// is tried, as VS Code does.
	HTTP = protocol.TypeHTTP
)

// Defaults for the zero fields of [Config].
const (
	DefaultTimeout      = 60 * time.Second
	DefaultStartTimeout = 60 * time.Second
	// DefaultMaxMessageBytes has room for a large screenshot or document. Decoding a
	// message takes about four times its size in memory.
	DefaultMaxMessageBytes = 32 << 20
)

// Config is the configuration of one server. Variables are already expanded, except
// ${input:ID}, which [Hooks.Input] resolves when the server is started.
type Config struct {
	// Name identifies the server to the user and in every call. It is unique
	// within one Apply.
	Name string
	// Transport defaults to Stdio when Command is set and to HTTP otherwise.
	Transport Transport

	// Command is the program of a Stdio server, looked up in the child's PATH.
	Command string
	// Absent: Command was not found when the user approved it. It is not looked up again,
	// because a program found now is not the approved one.
	Absent bool
	Args   []string
	// Env is added to the minimal environment described at [Dialer.HostEnv].
	Env map[string]string
	// Cwd is the child's working directory. If empty, it is the daemon's.
	Cwd string
	// Sandbox is the access of the child, with absolute paths. If nil, the child runs
	// without a sandbox. If no sandbox is possible, the server does not start.
	Sandbox *protocol.SandboxEntry

	// Sharing says who uses the child's process.
	Sharing Sharing

	// URL is the endpoint of an HTTP or SSE server.
	URL string
	// Headers are sent with every request to URL's origin.
	Headers map[string]string
	// OAuth holds what the user registered by hand; usually empty. Empty fields are
	// filled by discovery and registration.
	OAuth protocol.OAuthEntry

	// Disabled lists the server without starting it.
	Disabled bool
	// Hold, if its kind is not empty, lists the server without starting it. Its text is
	// shown as the user's next step.
	Hold Hold
	// Lazy delays the start until the first call if the tools are known from an earlier
	// run.
	Lazy bool
	// Asleep delays the start until the first call or restart, even if the tools are not
	// known.
	Asleep bool
	// Idle is the time without a request after which a server without state is stopped
	// until its next call. 0 means never.
	Idle time.Duration
	// Timeout bounds one tool call. 0 means DefaultTimeout.
	Timeout time.Duration
	// StartTimeout bounds one attempt to start the server and list its tools.
	// 0 means DefaultStartTimeout.
	StartTimeout time.Duration
	// MaxMessageBytes bounds one message from the server. A longer one fails its call. 0
	// means DefaultMaxMessageBytes.
	MaxMessageBytes int
}

// ProcessKey returns a key that differs between the processes of a server.
func (s Sharing) ProcessKey() string {
	return fmt.Sprintf("%s %q", s.With, s.Dir)
}

// Sharing says which clients share the process of a server. In the zero value each client
// has its own.
type Sharing struct {
	With protocol.ServerShare
	// Why is the reason, for the user.
	Why string
	// Known: With comes from the entry, or the server is in Winnow's list of known
	// servers. Otherwise the server may keep state.
	Known bool
	// Folders are the folders that share it, with [protocol.ShareFolder].
	Folders []string
	// Dir, if not empty, replaces [Config.Cwd] as the child's directory. The program is
	// still looked up from Cwd.
	Dir string
	// Idle is how long the process is kept without a client.
	Idle time.Duration
}

// Hash returns a hash of the fields that identify the process or endpoint. Fields that
// only say how the server is used are left out. It is the key in the manifest cache; a
// changed hash requires a restart. Inputs enter it by name, not by value.
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

// WithDefaults returns c with zero fields set to their defaults and empty collections set
// to nil.
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

// validate returns an error if the server cannot be started with this configuration.
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

// Hold is the reason why a server is not started. Kind is chosen by the caller, empty for
// no hold; Text is for the user.
type Hold struct{ Kind, Text string }

// Settings returns the fields that may hold secrets.
func (c Config) Settings() clean.Settings {
	return clean.Settings{Env: c.Env, Headers: c.Headers, Args: c.Args, URL: c.URL, ClientSecret: c.OAuth.ClientSecret}
}
