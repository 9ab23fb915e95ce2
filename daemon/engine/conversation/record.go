package conversation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
)

// recordVersion is the format of a record. Any other format is refused.
const recordVersion = 1

// maxRecord is the most bytes of a record. A longer conversation is not stored, and
// continues as a new task in a later process.
const maxRecord = 4_000_000

// Record is what a later process needs to continue a conversation unchanged, byte for
// byte.
//
// It contains words of the user and the model. Title and State hold the messages used for
// ranking and the descriptions and schemas of the attached tools. Internal holds what the
// model wrote in rounds that its client never saw, and Winnow's answers. Of calls that
// the client ran, it contains neither arguments nor results.
type Record struct {
	Version  int                 `json:"version"`
	Title    string              `json:"title,omitempty"`
	Known    Known               `json:"known"`
	Request  int64               `json:"request"`
	Internal []Internal          `json:"internal,omitempty"`
	State    *protocol.TaskState `json:"state"`
	// Summary describes the task; may be nil.
	Summary *protocol.TaskSummary `json:"summary,omitempty"`
}

// Encode returns the record as JSON, or nil if it is longer than maxRecord.
func (r Record) Encode() ([]byte, error) {
	r.Version = recordVersion
	if r.State != nil && r.State.Messages != nil {
		state := *r.State
		state.Messages = nil // Known holds the equivalent
		r.State = &state
	}
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetEscapeHTML(false) // what a model has seen must not change
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

// Title returns the title of a conversation that begins with message: its beginning, on
// one line.
func Title(message string) string {
	title := strings.Join(strings.Fields(message), " ")
	if utf8.RuneCountInString(title) > maxTitle {
		title = string([]rune(title)[:maxTitle])
	}
	return title
}
