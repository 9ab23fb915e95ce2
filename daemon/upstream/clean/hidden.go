package clean

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// ErrNotObject is returned for a response that is not the prescribed object.
var ErrNotObject = errors.New("its answer is not the object that MCP prescribes")

// HiddenWarning returns the warning for text removed from descriptions.
func HiddenWarning(found hiddentext.Found) string {
	return fmt.Sprintf("hidden text was taken out of it (%s); read what the server says of itself before you trust it", found)
}

// Cleaner masks credentials in the data of one server, removes hidden text from it, and
// logs both to the server's log.
type Cleaner struct {
	log    *Ring
	redact *Redactor
}

func NewCleaner(log *Ring, redact *Redactor) Cleaner { return Cleaner{log, redact} }

// Result masks credentials and marks hidden text in a result or other text for a model.
// Members named in exact keep their values, because requests refer to them by that value.
func (c Cleaner) Result(what string, raw json.RawMessage, exact ...string) json.RawMessage {
	return c.marked(what, c.masked(what, raw, exact...))
}

// marked marks hidden text.
func (c Cleaner) marked(what string, raw json.RawMessage) json.RawMessage {
	clean, found := hiddentext.Contents(raw)
	if !found.Any() {
		return raw
	}
	c.note(what, found)
	return SingleNamed(clean)
}

// SingleNamed removes duplicate members of objects; the names may have become equal.
func SingleNamed(clean []byte) json.RawMessage {
	single, err := ijson.Normalize(clean)
	if err != nil { // it was I-JSON, and only strings have changed
		return json.RawMessage(`{}`)
	}
	return single
}

// List cleans each entry of a list. An entry whose name hides text is left out. Members
// that requests repeat keep their values, even if these hold credentials. Resources are
// identified by their URI, so their names are cleaned.
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

// Form removes hidden text from a form for the user.
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

// note logs the hidden text that was removed.
func (c Cleaner) note(what string, found hiddentext.Found) {
	c.log.WriteLine(OurPrefix, fmt.Appendf(nil, "%s: hidden text was taken out (%s)", what, found))
}

// Shown returns a server's text for a person, without secrets and hidden text.
func Shown(r *Redactor, text string) string {
	// Hidden characters may split a secret, so they are removed first.
	text, _ = hiddentext.Text(text)
	return r.Text(text)
}
