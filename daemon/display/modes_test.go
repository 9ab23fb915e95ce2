package display

import (
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestModesReport(t *testing.T) {
	has(t, ModesReport(&protocol.ModeListResult{}), "There are no modes.", ".vscode/winnow.json")
	none, some := []string{}, []string{"a_b", "c"}
	has(t, ModesReport(&protocol.ModeListResult{Current: "calm", Modes: []protocol.ModeInfo{
		{Slug: "calm", Name: "Calm", AllowedMcpServers: &some},
		{Slug: "none", Name: "None", AllowedMcpServers: &none},
		{Slug: "most", Name: "Most", BlockedMcpServers: []string{"mail"}},
		{Slug: "open", Name: "Open"},
	}}), "The mode is `calm`.", "| `calm` (current) | Calm | a\\_b, c |", "| `none` | None | none |", "| `most` | Most | all but mail |", "| `open` | Open | all |")
}
