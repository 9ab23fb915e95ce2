package holder

import (
	"bytes"
	"encoding/json"
	"time"
)

// revision numbers the protocol between a holder and its guests. A holder that
// meets a newer one makes room for it, and runs what it runs to the end.
const revision = 1

// What a hello may want.
const (
	doOpen = "open"
	doStop = "stop"
	doList = "list"
)

// hello is a guest's first line.
type hello struct {
	Revision int    `json:"revision"`
	Do       string `json:"do"`
	Spec     Spec   `json:"spec,omitzero"`
	// Client says who the guest is, for people.
	Client string `json:"client,omitzero"`
	// Not is the number of the child that the guest has visited before. With Fresh
	// it is ended for all its guests and another one started; without it only where
	// it has stopped answering.
	Not   uint64 `json:"not,omitzero"`
	Fresh bool   `json:"fresh,omitzero"`
	// IdleMs is for how long the child stays without guests, in milliseconds.
	IdleMs int64 `json:"idleMs,omitzero"`
}

// Spec is what a child is started with. Those that want the same but for Name and
// Ambient share it.
type Spec struct {
	// Name is that of the server, for people.
	Name string   `json:"name,omitzero"`
	Path string   `json:"path"`
	Args []string `json:"args"`
	// CommandLine replaces Args on Windows, where it is set.
	CommandLine string   `json:"commandLine,omitzero"`
	Env         []string `json:"env"`
	// Ambient are variables that the child gets besides and that say nothing of
	// it, such as PATH: they are those of the first guest.
	Ambient []string `json:"ambient,omitzero"`
	Dir     string   `json:"dir"`
	// Scope are the folders whose clients share the child; nil for any.
	Scope []string `json:"scope,omitzero"`
	// Modern is set where the child is not spoken to by a handshake: those that
	// are have another one.
	Modern bool `json:"modern,omitzero"`
}

// same returns what is equal for guests that share a child.
func (s Spec) same() []byte {
	s.Name, s.Ambient = "", nil
	return encode(s)
}

// Process is a child as [Client.List] shows it.
type Process struct {
	Server string `json:"server"`
	PID    int    `json:"pid"`
	// Memory is what it holds with its descendants, in bytes; 0 where that is not
	// known.
	Memory int64 `json:"memory,omitzero"`
	// Since is when it was started.
	Since time.Time `json:"since"`
	// Clients are those that use it now.
	Clients []string `json:"clients"`
	// Folders are those whose clients share it; none for all of the user's.
	Folders []string `json:"folders,omitzero"`
}

// welcome is the holder's first line.
type welcome struct {
	Child uint64 `json:"child,omitzero"`
	PID   int    `json:"pid,omitzero"`
	// Error says why the child does not run.
	Error string `json:"error,omitzero"`
	// Leaving: the holder ends, and another is to be started.
	Leaving bool `json:"leaving,omitzero"`
	// Older: the holder is newer than the guest.
	Older bool `json:"older,omitzero"`
	// Processes are all children, where they were asked for.
	Processes []Process `json:"processes,omitzero"`
}

// Methods between holder and guest, beside those of MCP.
const (
	methodStderr = "$/holder/stderr" // {"data": what the child printed}
	methodExited = "$/holder/exited" // {"data": how it ended}
	methodEnd    = "$/holder/end"    // end the child, if nobody else is its guest
)

// message is what has to be known of one of MCP's.
type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
}

// params are those that a holder looks at.
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

// each calls f for a line, or for each message of one that is a batch.
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

// parse reads a line; ok is false for what is no message.
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
	_ = json.Unmarshal(m.Params, &p) // what is of another form says nothing
	return p
}

// with returns an object with a member set at a path. Other values keep their
// bytes.
func with(object []byte, value any, path ...string) []byte {
	members := map[string]json.RawMessage{}
	if json.Unmarshal(object, &members) != nil || members == nil {
		return object
	}
	if len(path) > 1 {
		members[path[0]] = with(members[path[0]], value, path[1:]...)
	} else {
		members[path[0]] = encode(value)
	}
	return encode(members)
}

// encode writes what can be written, on one line.
func encode(v any) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic("holder: " + err.Error())
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
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
