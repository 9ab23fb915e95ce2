package holder

import (
	"encoding/json"
	"time"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// revision is the version of the protocol between a holder and its guests. A holder that
// meets a newer one lets it start another holder, and serves its own children to their
// end.
const revision = 1

// The values of hello.Do.
const (
	doOpen = "open"
	doStop = "stop"
	doList = "list"
)

// hello is the first line of a guest.
type hello struct {
	Revision int    `json:"revision"`
	Do       string `json:"do"`
	Spec     Spec   `json:"spec,omitzero"`
	// Client is the guest's name, for people.
	Client string `json:"client,omitzero"`
	// Not is the number of the child that the guest visited last. With Fresh it is ended
	// for all guests and another one started; otherwise only if it does not respond.
	Not   uint64 `json:"not,omitzero"`
	Fresh bool   `json:"fresh,omitzero"`
	// IdleMs is how long the child is kept without guests, in milliseconds.
	IdleMs int64 `json:"idleMs,omitzero"`
}

// Spec describes a child. Guests whose specs differ only in Name and Ambient share it.
type Spec struct {
	// Name is the server's name, for people.
	Name string   `json:"name,omitzero"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	// CommandLine, if set, replaces Args on Windows.
	CommandLine string   `json:"commandLine,omitzero"`
	Env         []string `json:"env"`
	// Ambient are environment variables that do not identify the child, such as PATH. The
	// first guest's are used.
	Ambient []string `json:"ambient,omitzero"`
	Dir     string   `json:"dir"`
	// Scope are the folders whose clients share the child; nil means any.
	Scope []string `json:"scope,omitzero"`
	// Modern is set if the child is used without a handshake. Such a child is not shared
	// with guests that use one.
	Modern bool `json:"modern,omitzero"`
}

// same returns the encoding that is equal for guests that share a child.
func (s Spec) same() []byte {
	s.Name, s.Ambient = "", nil
	return encode(s)
}

// Process is a child as [Client.List] shows it.
type Process struct {
	Server string `json:"server"`
	PID    int    `json:"pid"`
	// Memory is the memory of the child and its descendants in bytes; 0 if unknown.
	Memory int64 `json:"memory,omitzero"`
	// Since is when it was started.
	Since time.Time `json:"since"`
	// Clients are the clients that use it now.
	Clients []string `json:"clients"`
	// Folders are the folders whose clients share it; empty for all of the user's.
	Folders []string `json:"folders,omitzero"`
}

// welcome is the first line of the holder.
type welcome struct {
	Child uint64 `json:"child,omitzero"`
	PID   int    `json:"pid,omitzero"`
	// Error is why the child does not run.
	Error string `json:"error,omitzero"`
	// Leaving: the holder ends; start another one.
	Leaving bool `json:"leaving,omitzero"`
	// Older: the holder is newer than the guest.
	Older bool `json:"older,omitzero"`
	// Processes are all children, if requested.
	Processes []Process `json:"processes,omitzero"`
}

// Methods between holder and guest, in addition to MCP's.
const (
	methodStderr = "$/holder/stderr" // {"data": output of the child}
	methodExited = "$/holder/exited" // {"data": cause of the exit}
	methodEnd    = "$/holder/end"    // end the child if it has no other guest
)

// message holds the used members of an MCP message.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// params holds the used members of params.
type params struct {
	RequestID     json.RawMessage `json:"requestId"`
	ProgressToken json.RawMessage `json:"progressToken"`
	URI           string          `json:"uri"`
	Data          string          `json:"data"`
	Meta          struct {
		ProgressToken json.RawMessage `json:"progressToken"`
		// Subscription is the id of the request that a notification belongs to.
		Subscription json.RawMessage `json:"io.modelcontextprotocol/subscriptionId"`
	} `json:"_meta"`
}

// each calls f for a line, or for each message of a batch.
func each(line []byte, f func(line []byte)) {
	var batch []json.RawMessage
	if len(line) == 0 || line[0] != '[' || json.Unmarshal(line, &batch) != nil {
		f(line)
		return
	}
	for _, one := range batch {
		f(one)
	}
}

// parse decodes a line; ok is false if it is not a message.
func parse(line []byte) (m message, ok bool) {
	if json.Unmarshal(line, &m) != nil {
		return message{}, false
	}
	if string(m.ID) == "null" {
		m.ID = nil
	}
	return m, m.Method != "" || m.ID != nil
}

func (m message) read() (p params) {
	_ = json.Unmarshal(m.Params, &p) // params of another form are ignored
	return p
}

// with returns an object with a member set at a path. Other values keep their bytes.
func with(object []byte, value any, path ...string) []byte {
	return ijson.Edit(object, func(members map[string]json.RawMessage) {
		if len(path) > 1 {
			members[path[0]] = with(members[path[0]], value, path[1:]...)
		} else {
			members[path[0]] = encode(value)
		}
	})
}

// encode encodes a value on one line. It panics if that fails.
func encode(v any) []byte {
	line, err := ijson.Encode(v)
	if err != nil {
		panic("holder: " + err.Error())
	}
	return line
}

func notice(method string, params any) []byte {
	return encode(map[string]any{"jsonrpc": "2.0", "method": method, "params": params})
}

func result(id json.RawMessage, value any) []byte {
	return encode(map[string]any{"jsonrpc": "2.0", "id": id, "result": value})
}

func refusal(id json.RawMessage, text string) []byte {
	const internal = -32603
	return encode(map[string]any{"jsonrpc": "2.0", "id": id, "error": map[string]any{"code": internal, "message": text}})
}
