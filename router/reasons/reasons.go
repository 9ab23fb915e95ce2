// Package reasons makes the sentences of causes: the one place in Go where a
// [protocol.Cause] is worded. It decides nothing.
package reasons

import (
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// texts are [protocol.CauseTexts], which do not change.
var texts = protocol.CauseTexts()

// Text words a cause as [protocol.CauseTexts] does; empty for the zero cause,
// which is none.
func Text(c protocol.Cause) string {
	return strings.NewReplacer("{owner}", c.Owner, "{key}", c.Key, "{text}", c.Text).Replace(texts[c.Kind])
}

// Wire returns a cause as it is sent: nil for none.
func Wire(c protocol.Cause) *protocol.Cause {
	if c.Kind == "" {
		return nil
	}
	return &c
}
