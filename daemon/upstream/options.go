package upstream

import (
	"log/slog"

	"github.com/winnow-mcp/winnow/daemon/holder"
	"github.com/winnow-mcp/winnow/daemon/upstream/wire"
)

// Options configure a [Manager]. The zero value works: no manifest cache, no
// sign-in, no log.
type Options struct {
	// Logger receives what happens to servers. nil discards.
	Logger *slog.Logger
	// StorageDir is the folder of the manifest cache; it is created when
	// needed. "" keeps manifests in no file, so that every start begins
	// without tools.
	StorageDir string
	// Manifests keeps manifests in the place of that folder; nil is the folder.
	Manifests Manifests
	// ClientVersion is what servers are told as our version.
	ClientVersion string
	// HostEnv is added to the environment of every child, between the minimal
	// default (see defaultEnvNames) and the entry's own: the host's proxy and
	// CA variables.
	HostEnv map[string]string
	// Unmasked, when it returns true, leaves credentials that a server has got from
	// its configuration in what it sends; nil masks them.
	Unmasked func() bool
	// Network configures connections to HTTP servers.
	Network Network
	// Holder, which may be nil, runs the processes of servers for all daemons.
	Holder *holder.Client
	// Client says to people who uses these processes.
	Client string
	// Hooks reach out to the user. A nil hook means that it cannot be done.
	Hooks Hooks
	// Slept, which may be nil, is told of a server that was stopped because nothing
	// used it. It may not call the manager.
	Slept func(server string)

	// dial replaces the way to connect; only tests set it.
	dial wire.DialFunc
}

// withDefaults replaces what is nil by something that answers.
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
