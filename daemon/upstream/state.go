package upstream

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// State is where a server stands; the package documentation describes each.
// What waits for the user is no state here: such a server is held.
type State = protocol.ServerState

// The states that a server can enter here.
const (
	Configured = protocol.ServerConfigured
	Known      = protocol.ServerKnown
	Starting   = protocol.ServerStarting
	Ready      = protocol.ServerReady
	SignedOut  = protocol.ServerSignedOut
	Failed     = protocol.ServerFailed
	Disabled   = protocol.ServerDisabled
	Stopped    = protocol.ServerStopped
)

// canFollow reports whether a server in state from may enter state to. Staying
// in a state is always permitted: a status has more fields than its state.
func canFollow(from, to State) bool {
	resting := []State{Configured, Known, Disabled, Stopped}
	after := map[State][]State{
		Starting: {Ready, SignedOut, Failed},
		Ready:    {Starting, Failed},
	}
	if from != Starting && from != Ready {
		after[from] = []State{Starting}
	}
	// Any state may be left for a resting one: the user or a file decides that.
	return from == to || slices.Contains(resting, to) || slices.Contains(after[from], to)
}

// Status is what can be said about a server beside its tools.
type Status struct {
	State State
	// Error is the cause of a failed or signedOut state, or says of a starting server
	// that it does not answer; free of secrets, in words for the user; empty
	// otherwise.
	Error string
	// Next is what the user can do about it; may be empty.
	Next string
	// Missing is the environment variable that Error says is missing; empty where
	// it says of none.
	Missing string
	// RetryAt is when a failed server is started again; zero when it is not.
	RetryAt time.Time
	// Generation counts connection attempts since the manager was made.
	Generation uint64
	// Era is the protocol era in use or remembered.
	Era Era
	// ProtocolVersion is the MCP revision in use, "" when not connected.
	ProtocolVersion string
	// StartedAt is when the present connection became ready.
	StartedAt time.Time
	// StartTook is how long that took, from the attempt to the listed tools.
	StartTook time.Duration
	// FirstUse is how long the first call of a lazy server waited for it;
	// zero when no call has waited.
	FirstUse time.Duration
	// PID is the child process of a running stdio server.
	PID int
	// Warnings are things the server did that were tolerated: duplicate tool
	// names, limits reached. Sorted as they occurred, free of secrets.
	Warnings []string
}

// ServerSnapshot is one server at one moment. It is immutable: nothing in it
// may be changed by whoever reads it.
type ServerSnapshot struct {
	Name      string
	Transport Transport
	// Hold repeats [Config.Hold], Share and ShareWhy [Config.Sharing].
	Hold     Hold
	Share    protocol.ServerShare
	ShareWhy string
	Status   Status
	// Tools are in the server's own order. They are kept while the server is
	// not connected.
	Tools []Tool
	// Instructions are what the server tells a model about itself.
	Instructions string
	// Capabilities is the JSON of the server's capabilities.
	Capabilities json.RawMessage
	Info         Info
}

// Offers reports whether the server declares a capability, such as `resources`.
func (s ServerSnapshot) Offers(capability string) bool {
	var declared map[string]json.RawMessage
	return json.Unmarshal(s.Capabilities, &declared) == nil && declared[capability] != nil
}

// Available reports whether a call has a chance now: the server is ready, or
// is being started, or will be by the call.
func (s ServerSnapshot) Available() bool {
	switch s.Status.State {
	case Ready, Starting:
		return true
	case Configured, Known:
		return s.Hold.Kind == ""
	default:
		return false
	}
}

// mayRun reports whether what is shown allows a connection; see [wants.mayRun].
func (s ServerSnapshot) mayRun() bool {
	return s.Hold.Kind == "" && s.Status.State != Disabled && s.Status.State != Stopped
}

// Snapshot is all servers at one moment, in the order of the configuration.
type Snapshot struct {
	// Version grows by one with each change.
	Version uint64
	Servers []ServerSnapshot
}

// Server returns the server of that name.
func (s *Snapshot) Server(name string) (ServerSnapshot, bool) {
	for i := range s.Servers {
		if s.Servers[i].Name == name {
			return s.Servers[i], true
		}
	}
	return ServerSnapshot{}, false
}
