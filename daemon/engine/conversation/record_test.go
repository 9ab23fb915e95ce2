package conversation

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func record(t *testing.T) Record {
	t.Helper()
	h := dialogue("s u1")
	return Record{
		Version: recordVersion, Title: "the beans", Known: h.Known("chat"), Request: 7,
		Internal: answered(t, "s u1", loaded(), Answer{}),
		State: &protocol.TaskState{
			Version: 1, Task: "t", Turn: 1, Window: 1, Routing: protocol.AttachDynamic,
			Tools: []protocol.AttachedTool{{Name: "x", InputSchema: json.RawMessage(`{"description":"a < b & c"}`)}},
		},
	}
}

// TestRecord: what is decoded is what was encoded, byte for byte.
func TestRecord(t *testing.T) {
	t.Parallel()
	want := record(t)
	given := want
	want.Known.history = History{} // it is as long as the conversation, and End says as much
	state := *want.State
	state.Messages = digests("s u1")
	given.State = &state
	data, err := given.Encode()
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRecord(data)
	if err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, %v; want %+v", got, err, want)
	}
	if state.Messages == nil {
		t.Error("encoding changed the state that it was given")
	}
}

func TestRecord_tooLong(t *testing.T) {
	t.Parallel()
	r := record(t)
	r.State.Message = strings.Repeat("x", maxRecord)
	if data, err := r.Encode(); data != nil || err != nil {
		t.Errorf("got %d bytes, %v; want none", len(data), err)
	}
}

func TestDecodeRecord_refuses(t *testing.T) {
	t.Parallel()
	good, err := record(t).Encode()
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{
		"cut off":         good[:len(good)/2],
		"another version": bytes.Replace(good, []byte(`"version":1`), []byte(`"version":99`), 1),
		"no task":         []byte(`{"version":1}`),
		"no object":       []byte(`[]`),
	} {
		if r, err := DecodeRecord(data); err == nil {
			t.Errorf("%s: got %+v, want an error", name, r)
		}
	}
}

func TestTitle(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"":                              "",
		" read\n the  beans ":           "read the beans",
		strings.Repeat("ä", maxTitle+9): strings.Repeat("ä", maxTitle),
	} {
		if got := Title(message); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
