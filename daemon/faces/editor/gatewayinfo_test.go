package editor

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

// TestVersionOf: the version is another one when a tool is, and only then.
func TestVersionOf(t *testing.T) {
	t.Parallel()
	tool := func(name, description string) protocol.ToolInfo {
		return protocol.ToolInfo{Server: "files", Tool: name, Description: description, InScope: true}
	}
	version := func(tools ...protocol.ToolInfo) string {
		v, err := versionOf(tools)
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
	first := version(tool("read", "Reads."))
	if again := version(tool("read", "Reads.")); again != first || len(first) != 12 {
		t.Errorf("got %q, then %q of the same", first, again)
	}
	for name, other := range map[string]string{
		"no tool":           version(),
		"a description":     version(tool("read", "Reads a file.")),
		"one more":          version(tool("read", "Reads."), tool("write", "")),
		"one out of scope":  version(protocol.ToolInfo{Server: "files", Tool: "read", Description: "Reads."}),
		"names cut another": version(protocol.ToolInfo{Server: "filesread", Description: "Reads.", InScope: true}),
	} {
		if other == first {
			t.Errorf("%s: the version is %q still", name, other)
		}
	}
}
