package enginetest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// RealisticTools returns n tools of ten servers for benchmarks, of realistic size.
func RealisticTools(n int) []protocol.HostTool {
	tools := make([]protocol.HostTool, n)
	for i := range tools {
		name, description, schema := realisticTool(i)
		tools[i] = protocol.HostTool{
			Server: "server" + strconv.Itoa(i*10/n), Name: name, Description: description, InputSchema: schema,
		}
	}
	return tools
}

// realisticTool returns the i-th tool: a sentence or two, and about six parameters.
func realisticTool(i int) (name, description string, schema json.RawMessage) {
	verbs := []string{"create", "delete", "list", "update", "archive", "search", "export", "merge"}
	nouns := []string{"ticket", "invoice", "branch", "dashboard", "playlist", "recipe", "reservation", "sensor",
		"customer", "shipment", "calendar", "contract", "document", "payment", "release", "workflow"}
	verb, noun := verbs[i%len(verbs)], nouns[i/len(verbs)%len(nouns)]
	round := i / len(verbs) / len(nouns)
	name = fmt.Sprintf("%s_%s_%d", verb, noun, round)
	description = fmt.Sprintf("%s%s a %s in project %d. Use it when the user wants to %s one %s, or several that "+
		"share a label; it returns the %s with its history.", strings.ToUpper(verb[:1]), verb[1:], noun, round, verb, noun, noun)
	schema = fmt.Appendf(nil, `{"type":"object","properties":{"%s_id":{"type":"string","description":"Identifier of the %s"},`+
		`"label":{"type":"string","description":"Only those with this label"},"limit":{"type":"integer","minimum":1,"maximum":100},`+
		`"dry_run":{"type":"boolean","description":"Say what would happen and do nothing"},`+
		`"owner":{"type":"string","description":"Login of the owner"}},"required":["%s_id"]}`, noun, noun, noun)
	return name, description, schema
}
