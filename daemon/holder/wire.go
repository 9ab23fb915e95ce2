package holder

import (
	"bytes"
	"encoding/json"
)

// revision numbers the protocol between a holder and its guests. A holder that
// meets a newer one makes room for it, and runs what it runs to the end.
const revision = 1

// What a hello may want.
const (
	doOpen = "open"
	doStop = "stop"
)

// hello is a guest's first line.
type hello struct {
	Revision int    `json:"revision"`
	Do       string `json:"do"`
	Spec     Spec   `json:"spec,omitzero"`
	// Not is the number of a child that the guest has lost, and does not want
	// back.
	Not uint64 `json:"not,omitzero"`
	// Idle is for how long the child stays without guests, in milliseconds.
	IdleMs int64 `json:"idleMs,omitzero"`
}

// Spec is what a child is started with.
type Spec struct {
	Path string   `json:"path"`
	Args []string `json:"args"`
	Env  []string `json:"env"`
	Dir  string   `json:"dir"`
	// Modern is set where the child is not spoken to by a handshake: those that
	// are have another one.
	Modern bool `json:"modern,omitzero"`
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
	} `json:"_meta"`
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
