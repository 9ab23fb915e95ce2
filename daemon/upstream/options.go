package upstream

import (
	"log/slog"

	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// Options configure a [Manager]. The zero value is valid: no manifest cache, no sign-in,
// no log.
type Options struct {
	// Logger logs events of servers. If nil, nothing is logged.
	Logger *slog.Logger
	// StorageDir is the folder of the manifest cache; it is created when needed. If
	// empty, manifests are not saved, and every start begins without tools.
	StorageDir string
	// Manifests replaces the cache in StorageDir. If nil, StorageDir is used.
	Manifests Manifests
	// ClientVersion is the client version that is sent to servers. The default is
	// "0.0.0".
	ClientVersion string
	// HostEnv holds the host's proxy and CA variables. They are added to the environment
	// of every child: after the minimal default (see process/environ.go), before the
	// entry's own.
	HostEnv map[string]string
	// Unmasked reports whether a server's responses may contain credentials of its
	// configuration. If nil or false, they are masked.
	Unmasked func() bool
	// Network configures connections to HTTP servers.
	Network Network
	// Holder runs the processes of servers for all daemons. It may be nil.
	Holder *holder.Client
	// Client is the name under which people see this client as a user of those processes.
	Client string
	// Hooks reach the user. A nil hook means that its function is not available.
	Hooks Hooks
	// Slept is called with the name of a server that was stopped because it was idle. It
	// may be nil, and must not call the manager.
	Slept func(server string)

	// dial replaces the function that connects. Only tests set it.
	dial wire.DialFunc
}

// withDefaults fills the fields that have a default.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Slept == nil {
		o.Slept = func(string) {}
	}
	if o.ClientVersion == "" {
		o.ClientVersion = "0.0.0"
	}
	return o
}

// NetworkEnv returns the variables of a host's environment by which programs find its
// proxies and certificates, for [Options.HostEnv].
func NetworkEnv(environ func(name string) (string, bool)) map[string]string {
	env := map[string]string{}
	for _, name := range []string{
		"HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "http_proxy", "https_proxy", "no_proxy", "NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE", "SSL_CERT_DIR",
	} {
		if value, ok := environ(name); ok {
			env[name] = value
		}
	}
	return env
}
