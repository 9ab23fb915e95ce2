package router

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// ExclusionText says for people what keeps a tool out, as they can find it;
// empty for nothing.
func ExclusionText(x protocol.Exclusion) string {
	switch x.Kind {
	case protocol.ExcludedByServer, protocol.ExcludedByTool:
		return fmt.Sprintf("%s of server %q", x.Key, x.Owner)
	case protocol.ExcludedByMode:
		return fmt.Sprintf("%s of mode %q", x.Key, x.Owner)
	case protocol.ExcludedByTask:
		return "your choice for this task"
	case protocol.ExcludedByGating:
		return fmt.Sprintf("server %q excludes it for this message (%s)", x.Owner, GatingName)
	case protocol.ExcludedByStrategy:
		return x.Key + " is dispatch; mcp_call runs it"
	case protocol.ExcludedByLimit:
		return x.Key + " or the model's own limit is reached"
	case protocol.ExcludedByWindow:
		return "the window of " + x.Key + " turns is over; mcp_load attaches it"
	case protocol.ExcludedByRank:
		return "not among the best " + x.Key
	case protocol.ExcludedAsNew:
		return "it came after this turn began"
	case protocol.ExcludedAsGone:
		return "its server no longer offers it"
	}
	return ""
}
