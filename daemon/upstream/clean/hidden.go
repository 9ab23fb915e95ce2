package clean

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// ErrNotObject is returned for an answer of another form.
var ErrNotObject = errors.New("its answer is not the object that MCP prescribes")

// HiddenWarning says what was taken out of a server's descriptions.
func HiddenWarning(found hiddentext.Found) string {
	return fmt.Sprintf("hidden text was taken out of it (%s); read what the server says of itself before you trust it", found)
}

// Cleaner masks the credentials in what one server sends, takes hidden text out
// of it, and tells its log.
type Cleaner struct {
	log    *Ring
	redact *Redactor
}

func NewCleaner(log *Ring, redact *Redactor) Cleaner { return Cleaner{log, redact} }

// Result marks what is hidden in a result, or in other text that a model reads.
// The members exact keep credentials: whoever follows what they name knows it
// under no other name.
func (c Cleaner) Result(what string, raw json.RawMessage, exact ...string) json.RawMessage {
	return c.marked(what, c.masked(what, raw, exact...))
}

// marked marks what is hidden.
func (c Cleaner) marked(what string, raw json.RawMessage) json.RawMessage {
	clean, found := hiddentext.Contents(raw)
	if !found.Any() {
		return raw
	}
	c.note(what, found)
	return SingleNamed(clean)
}

// SingleNamed leaves one of the members of an object that have got equal names.
func SingleNamed(clean []byte) json.RawMessage {
	single, err := ijson.Normalize(clean)
	if err != nil { // it was I-JSON, and only strings have changed
		return json.RawMessage(`{}`)
	}
	return single
}

// List cleans each entry of a list by itself: one whose name hides text
// is left out. What a request repeats stays, credentials in it too: the server
// knows it under no other name. A resource is known by its URI, and its name is for
// people.
func (c Cleaner) List(method, member string, raw json.RawMessage) (json.RawMessage, error) {
	exact := []string{"uri", "uriTemplate", "nextCursor"}
	if !strings.HasPrefix(method, "resources/") {
		exact = append(exact, "name")
	}
	raw = c.masked(method, raw, exact...)
	clean, found, err := hiddentext.Descriptions(raw)
	if err == nil {
		if found.Any() {
			c.note(method, found)
		}
		return clean, nil
	}
	var answer map[string]json.RawMessage
	var entries, kept []json.RawMessage
	if json.Unmarshal(raw, &answer) != nil || json.Unmarshal(answer[member], &entries) != nil {
		return nil, ErrNotObject
	}
	for i, entry := range entries {
		clean, found, err := hiddentext.Descriptions(entry)
		if err != nil {
			c.log.WriteLine(OurPrefix, fmt.Appendf(nil, "%s: entry %d is left out: %v", method, i+1, err))
			continue
		}
		if found.Any() {
			c.note(method, found)
		}
		kept = append(kept, clean)
	}
	if kept == nil {
		kept = []json.RawMessage{}
	}
	if answer[member], err = json.Marshal(kept); err != nil {
		return nil, fmt.Errorf("%s: %w", method, err)
	}
	return json.Marshal(answer)
}

// Form takes hidden text out of a form that a person is shown.
func (c Cleaner) Form(method string, raw json.RawMessage) (json.RawMessage, error) {
	raw = c.masked(method, raw)
	clean, found, err := hiddentext.Descriptions(raw)
	if err != nil {
		return nil, fmt.Errorf("%s is not asked: %w", method, err)
	}
	if found.Any() {
		c.note(method, found)
	}
	return clean, nil
}

// note writes down what was hidden in what the server sent.
func (c Cleaner) note(what string, found hiddentext.Found) {
	c.log.WriteLine(OurPrefix, fmt.Appendf(nil, "%s: hidden text was taken out (%s)", what, found))
}

// Shown returns text of a server's for a person: without secrets, and without
// what they would not see.
func Shown(r *Redactor, text string) string {
	// A secret may be cut by what is hidden.
	text, _ = hiddentext.Text(text)
	return r.Text(text)
}
