package router

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestView_NamedBuiltIn: a tool of the host's own is named once, where a message
// wants it and there is no place for it, and not where the task may not have it.
func TestView_NamedBuiltIn(t *testing.T) {
	t.Parallel()
	own := ServerInput{Name: "VS Code", BuiltIn: true, Tools: []json.RawMessage{rawTool("own", "Shows a picture of a zebra or of some other animal in the editor."), rawTool("off", "Something.")}}
	v := viewOf(catalogOf(numbered("s", 0, 100), own), tiers(2, 5))
	task := v.Open(Opening{ID: "t", Message: strings.Repeat(words(0, 2), 4) + "zebra", Choices: protocol.TaskChoices{Disabled: []protocol.ToolRef{{Server: "VS Code", Tool: "off"}}}})
	names := namedIn(t, v, &task)
	if unique := slices.Compact(slices.Clone(names)); len(unique) < len(names) {
		t.Errorf("named twice: %q", names)
	}
	if slices.Contains(names, "off") {
		t.Errorf("named although it is off: %q", names)
	}
}
