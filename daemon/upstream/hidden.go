package upstream

import (
	"encoding/json"
	"fmt"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/daemon/ijson"
)

// hiddenWarning says what was taken out of a server's descriptions.
func hiddenWarning(found hiddentext.Found) string {
	return fmt.Sprintf("hidden text was taken out of it (%s); read what the server says of itself before you trust it", found)
}

// hides is what was found in one tool. err is set where it cannot be taken out.
type hides struct {
	found hiddentext.Found
	err   error
}

// unhide returns a tool without hidden text. Anything but a tool stays as it is.
func (c *collector) unhide(raw json.RawMessage) (json.RawMessage, hides) {
	clean, found, err := hiddentext.Descriptions(raw)
	return clean, hides{found, err}
}

// unhide takes hidden text out of what the server says of itself.
func (h *handshake) unhide() {
	for _, part := range []struct {
		what string
		text *string
	}{
		{"its name", &h.info.Name},
		{"its title", &h.info.Title},
		{"its version", &h.info.Version},
		{"its instructions", &h.instructions},
	} {
		clean, found := hiddentext.Text(*part.text)
		*part.text = clean
		if found.Any() {
			h.listing.warnings = append(h.listing.warnings, part.what+": "+hiddenWarning(found))
		}
	}
}

// cleaner masks the credentials in what one server sends, takes hidden text out
// of it, and tells its log.
type cleaner struct {
	log    *ring
	redact *redactor
}

// result marks what is hidden in a result.
func (c cleaner) result(what string, raw json.RawMessage) json.RawMessage {
	return c.marked(what, c.masked(what, raw))
}

// notice is result for a notification: the resource that one is about is known
// to whoever follows it under its URI.
func (c cleaner) notice(method string, raw json.RawMessage) json.RawMessage {
	if method == mcp.MethodNotificationResourceUpdated {
		return c.marked(method, c.masked(method, raw, "uri"))
	}
	return c.result(method, raw)
}

// marked marks what is hidden.
func (c cleaner) marked(what string, raw json.RawMessage) json.RawMessage {
	clean, found := hiddentext.Contents(raw)
	if !found.Any() {
		return raw
	}
	c.note(what, found)
	return singleNamed(clean)
}

// singleNamed leaves one of the members of an object that have got equal names.
func singleNamed(clean []byte) json.RawMessage {
	single, err := ijson.Normalize(clean)
	if err != nil { // it was I-JSON, and only strings have changed
		return json.RawMessage(`{}`)
	}
	return single
}

// answer takes hidden text out of a list, and marks it in the text of a
// resource or prompt.
func (c cleaner) answer(method string, raw json.RawMessage) (json.RawMessage, error) {
	var member string
	switch mcp.MCPMethod(method) {
	case mcp.MethodResourcesList:
		member = "resources"
	case mcp.MethodResourcesTemplatesList:
		member = "resourceTemplates"
	case mcp.MethodPromptsList:
		member = "prompts"
	default:
		return c.result(method, raw), nil
	}
	return c.list(method, member, raw)
}

// list cleans each entry of a list by itself: one whose name hides text
// is left out. What a request repeats stays, credentials in it too: the server
// knows it under no other name.
func (c cleaner) list(method, member string, raw json.RawMessage) (json.RawMessage, error) {
	raw = c.masked(method, raw, "name", "uri", "uriTemplate", "nextCursor")
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
		return nil, errNotObject
	}
	for i, entry := range entries {
		clean, found, err := hiddentext.Descriptions(entry)
		if err != nil {
			c.log.writeLine(ourPrefix, fmt.Appendf(nil, "%s: entry %d is left out: %v", method, i+1, err))
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

// question takes hidden text out of a form that a person is shown, and
// marks it in what a model is to read.
func (c cleaner) question(method string, raw json.RawMessage) (json.RawMessage, error) {
	if method != string(mcp.MethodElicitationCreate) {
		return c.result(method, raw), nil
	}
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
func (c cleaner) note(what string, found hiddentext.Found) {
	c.log.writeLine(ourPrefix, fmt.Appendf(nil, "%s: hidden text was taken out (%s)", what, found))
}

// shown returns text of a server's for a person: without secrets, and without
// what they would not see.
func shown(r *redactor, text string) string {
	// A secret may be cut by what is hidden.
	text, _ = hiddentext.Text(text)
	return r.text(text)
}
