package upstream

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/protocol"
)

// State is the state of a server; the package documentation describes each. A server that
// waits for the user has no state of its own here: it has a [Hold].
type State = protocol.ServerState

// The states that this package sets.
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

// canFollow reports whether state from may be followed by state to. A state may follow
// itself, because the other fields of a status may change.
func canFollow(from, to State) bool {
	resting := []State{Configured, Known, Disabled, Stopped}
	after := map[State][]State{
		Starting: {Ready, SignedOut, Failed},
		Ready:    {Starting, Failed},
	}
	if from != Starting && from != Ready {
		after[from] = []State{Starting}
	}
	// A resting state may follow any state: the user or the configuration decides.
	return from == to || slices.Contains(resting, to) || slices.Contains(after[from], to)
}

// Status describes a server without its tools.
type Status struct {
	State State
	// Error is the cause of a failed or signedOut state, or says that a starting server
	// does not answer. It is free of secrets and written for the user. It is empty in
	// other states.
	Error string
	// Next is what the user can do about it; may be empty.
	Next string
	// Missing is the environment variable that Error says is missing; empty where
	// it says of none.
	Missing string
	// RetryAt is when a failed server is started again; zero if it is not.
	RetryAt time.Time
	// Generation is the number of connection attempts since NewManager.
	Generation uint64
	// Era is the protocol era in use or remembered.
	Era Era
	// ProtocolVersion is the MCP revision in use, "" when not connected.
	ProtocolVersion string
	// StartedAt is when the present connection became ready.
	StartedAt time.Time
	// StartTook is the duration of that start, from the attempt to the listed tools.
	StartTook time.Duration
	// FirstUse is how long the first call of a lazy server waited for it; zero if no call
	// waited.
	FirstUse time.Duration
	// PID is the process id of a running stdio server, else 0.
	PID int
	// Warnings describe tolerated faults of the server, such as duplicate tool names or
	// reached limits, in order of occurrence and free of secrets.
	Warnings []string
}

// ServerSnapshot is the state of one server at one moment. It is immutable: readers must
// not change anything in it.
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
	// Instructions are the server's instructions for a model.
	Instructions string
	// Capabilities is the server's capabilities as JSON.
	Capabilities json.RawMessage
	Info         Info
}

// Offers reports whether the server declares a capability, such as `resources`.
func (s ServerSnapshot) Offers(capability string) bool {
	var declared map[string]json.RawMessage
	return json.Unmarshal(s.Capabilities, &declared) == nil && declared[capability] != nil
}

// Available reports whether a call can succeed: the server is ready, is being started, or
// would be started by the call.
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

// mayRun reports whether the view allows a connection; see [wants.mayRun].
func (s ServerSnapshot) mayRun() bool {
	return s.Hold.Kind == "" && s.Status.State != Disabled && s.Status.State != Stopped
}

// Snapshot is the state of all servers at one moment, in the order of the configuration.
type Snapshot struct {
	// Version is incremented with each change.
	Version uint64
	Servers []ServerSnapshot
}

// Server returns the server with the given name.
func (s *Snapshot) Server(name string) (ServerSnapshot, bool) {
	for i := range s.Servers {
		if s.Servers[i].Name == name {
			return s.Servers[i], true
		}
	}
	return ServerSnapshot{}, false
}
