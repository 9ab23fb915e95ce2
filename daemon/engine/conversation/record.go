package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
)

// recordVersion is the form of a record. One of another form is refused, not
// guessed at.
const recordVersion = 1

// maxRecord is the most bytes of a record. A conversation that is longer is not
// kept: afterwards it begins as a new task.
const maxRecord = 4_000_000

// Record is what a later process has to know so that a conversation goes on as
// it was, byte for byte.
//
// It holds words of the user's and the model's: in Title and State the messages
// that are ranked by, and the descriptions and schemas of the attached tools;
// in Internal what the model wrote in rounds that its client never saw, and
// Winnow's answers. Of calls that the client ran it holds neither arguments nor
// results.
type Record struct {
	Version  int                 `json:"version"`
	Title    string              `json:"title,omitempty"`
	Known    Known               `json:"known"`
	Request  int64               `json:"request"`
	Internal []Internal          `json:"internal,omitempty"`
	State    *protocol.TaskState `json:"state"`
	// Summary describes the task; absent where nobody did.
	Summary *protocol.TaskSummary `json:"summary,omitempty"`
}

// Encode returns the record as text; nil for one that is too long to keep.
func (r Record) Encode() ([]byte, error) {
	r.Version = recordVersion
	if r.State != nil && r.State.Messages != nil {
		state := *r.State
		state.Messages = nil // Known says as much
		r.State = &state
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false) // what a model has seen stays as it was
	if err := encoder.Encode(r); err != nil {
		return nil, fmt.Errorf("encode a conversation: %w", err)
	}
	if data.Len() > maxRecord {
		return nil, nil
	}
	return data.Bytes(), nil
}

// DecodeRecord reads a record.
func DecodeRecord(data []byte) (Record, error) {
	var r Record
	if err := json.Unmarshal(data, &r); err != nil {
		return Record{}, fmt.Errorf("decode a conversation: %w", err)
	}
	if r.Version != recordVersion || r.State == nil {
		return Record{}, fmt.Errorf("decode a conversation: it is of version %d, and this is version %d", r.Version, recordVersion)
	}
	return r, nil
}

// maxTitle is the most characters of a title.
const maxTitle = 80

// Title returns what a conversation is called that begins with a message: its
// beginning, on one line.
func Title(message string) string {
	title := strings.Join(strings.Fields(message), " ")
	if utf8.RuneCountInString(title) > maxTitle {
		title = string([]rune(title)[:maxTitle])
	}
	return title
}
