package router

import (
	"fmt"
	"math"

	"github.com/winnow-mcp/winnow/protocol"
)

// Routing reports whether tools have to be chosen because too many are in scope: more
// than the threshold, more tokens than the token threshold or the budget, or more than a
// request can hold. With `searchTurns: 0` it is false.
func (v *capacity) Routing(t *Task) bool {
	if v.Settings.SearchTurns == 0 {
		return false
	}
	count, tokens := v.scoped(t)
	return v.many(count, tokens) || v.whole(t, count) > v.requestLimit(t)
}

// many reports whether the user's settings require a choice for this count and token
// cost.
func (v *capacity) many(count, tokens int) bool {
	s := v.Settings
	return count > s.Threshold || v.Catalog.hasBuiltIn() ||
		s.ThresholdTokens > 0 && tokens > s.ThresholdTokens ||
		s.BudgetTokens > 0 && tokens > s.BudgetTokens
}

// whole returns how many tools a request would carry if all tools that the task may have
// were attached. scoped is their number. The count includes the host's own tools,
// mcp_load if it was offered, and tools that stay although they left the scope.
func (v *capacity) whole(t *Task, scoped int) int {
	n := scoped + t.Model.NativeTools + v.extraMetaTools(t)
	if t.LoadOffered {
		n += metaToolCount
	}
	if v.keepsStrangers(t) {
		n += v.inadmissible(t)
	}
	return n
}

// early returns the warning that tools are chosen only because a request has no room for
// all, or "" if that is not the case.
func (v *capacity) early(t *Task) string {
	count, tokens := v.scoped(t)
	s := v.Settings
	if v.many(count, tokens) || v.whole(t, count) <= v.requestLimit(t) {
		return ""
	}
	return fmt.Sprintf("tools are chosen although there are no more than %d (winnow.threshold): the %d in scope and "+
		"%s's own %d are more than the %d that one request holds (winnow.maxTools or the model's own limit)",
		s.Threshold, count, t.host(), t.Model.NativeTools, v.requestLimit(t))
}

// loads reports whether a request has room for mcp_load and one tool that it attaches.
func (v *capacity) loads(t *Task) bool {
	return t.Model.NativeTools+metaToolCount < v.requestLimit(t)
}

// requestLimit returns the most tools in one request of the task.
func (v *capacity) requestLimit(t *Task) int {
	limit := v.Settings.MaxTools
	if t.Model.MaxTools > 0 {
		limit = min(limit, t.Model.MaxTools)
	}
	return limit
}

// tokenRoom returns how many more tokens the task's tools may cost. With `searchTurns: 0`
// there is no limit.
func (v *capacity) tokenRoom(t *Task) int {
	if v.Settings.SearchTurns == 0 || v.Settings.BudgetTokens == 0 {
		return math.MaxInt
	}
	return v.Settings.BudgetTokens - t.tokens()
}

// limit names the limit that keeps a tool out for lack of room.
func (v *capacity) limit(t *Task) string {
	if v.room(t) == 0 {
		return fmt.Sprintf("the limit of %d tools in a request is reached (winnow.maxTools or the model's own limit)",
			v.requestLimit(t))
	}
	return fmt.Sprintf("its tools may cost %d tokens, and cost %d already (winnow.budgetTokens)",
		v.Settings.BudgetTokens, t.tokens())
}

// room returns how many more MCP tools the task may attach. While tools are chosen,
// mcp_load takes a place. With `searchTurns: 0` there is no limit.
func (v *capacity) room(t *Task) int {
	if v.Settings.SearchTurns == 0 {
		return math.MaxInt
	}
	taken := t.Model.NativeTools + len(t.Attached)
	if t.LoadOffered || t.Routing == protocol.AttachDynamic && v.loads(t) {
		taken += metaToolCount
	}
	return max(0, v.requestLimit(t)-taken-v.extraMetaTools(t))
}

// awaits reports whether tools may arrive during the turn. Its requests then have to
// carry mcp_load, because nothing else attaches them before the next message.
func (v *capacity) awaits(t *Task) bool {
	return len(t.Starting) > 0 && v.Settings.SearchTurns > 0 && v.loads(t)
}

// limits returns the warnings about how a request's limit affected the choice.
func (v *capacity) limits(t *Task) []string {
	var said []string
	if early := v.early(t); early != "" {
		said = append(said, early)
	}
	if v.room(t) == 0 && len(t.Attached) == 0 {
		said = append(said, fmt.Sprintf("%s's own %d tools leave no room for others in a request of %d tools "+
			"(winnow.maxTools or the model's own limit); switch some of them off", t.host(), t.Model.NativeTools, v.requestLimit(t)))
	}
	return said
}

// OfferResult returns the task after a result was cut. Its requests carry mcp_result from
// now on, even with routing off. It adds nothing if there is no room or if mcp_call can
// reach the result.
func (v *capacity) OfferResult(t Task) Task {
	if t.ResultOffered || t.Index != "" && (t.Gateway != "" || v.Settings.SearchTurns > 0) {
		return t
	}
	if t.Routing == protocol.AttachDynamic && v.room(&t) == 0 {
		return t
	}
	t.ResultOffered = true
	t.Generation++
	return t
}

// Shapes reports whether results may be cut to a maximum length.
func (v *capacity) Shapes() bool { return v.Settings.Results.MaxChars > 0 }

// Programs reports whether models may run programs of calls: the user enabled them, and
// Winnow may run a tool.
func (v *capacity) Programs() bool {
	return v.Settings.Results.Programs && v.Catalog.HasOwn()
}

// extraMetaTools returns how many of Winnow's own tools the task's requests carry besides
// mcp_load.
func (v *capacity) extraMetaTools(t *Task) int {
	if v.Programs() {
		return t.extraMetaTools() + 1
	}
	return t.extraMetaTools()
}
