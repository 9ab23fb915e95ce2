package router

import (
	"fmt"
	"math"

	"github.com/winnow-mcp/winnow/protocol"
)

// Routing reports whether the tools in scope are so many that they have to be
// chosen from: more than the threshold, dearer than the token threshold or the
// budget, or more than one request can hold. `searchTurns: 0` says no to all of it.
func (v *capacity) Routing(t *Task) bool {
	if v.Settings.SearchTurns == 0 {
		return false
	}
	count, tokens := v.scoped(t)
	return v.many(count, tokens) || v.whole(t, count) > v.requestLimit(t)
}

// many reports whether the user's settings want tools chosen from so many that
// cost so much.
func (v *capacity) many(count, tokens int) bool {
	s := v.Settings
	return count > s.Threshold || v.Catalog.hasBuiltIn() ||
		s.ThresholdTokens > 0 && tokens > s.ThresholdTokens ||
		s.BudgetTokens > 0 && tokens > s.BudgetTokens
}

// whole is how many tools a request would carry if all that the task may have,
// scoped in number, were attached: with the host's own, and with mcp_load where
// it was offered, and with those that stay although they left the scope.
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

// early says that tools are chosen although they are few and cheap, since a
// request has no room for all of them; empty when that is not so.
func (v *capacity) early(t *Task) string {
	count, tokens := v.scoped(t)
	s := v.Settings
	if v.many(count, tokens) || v.whole(t, count) <= v.requestLimit(t) {
		return ""
	}
	return fmt.Sprintf("tools are chosen although there are no more than %d (winnow.threshold): the %d in scope and "+
		"the %d of the host's own are more than the %d that one request holds (winnow.maxTools or the model's own limit)",
		s.Threshold, count, t.Model.NativeTools, v.requestLimit(t))
}

// loads reports whether a request has a place for mcp_load and one for a tool
// that it could attach.
func (v *capacity) loads(t *Task) bool {
	return t.Model.NativeTools+metaToolCount < v.requestLimit(t)
}

// requestLimit is the most tools in one request of the task.
func (v *capacity) requestLimit(t *Task) int {
	limit := v.Settings.MaxTools
	if t.Model.MaxTools > 0 {
		limit = min(limit, t.Model.MaxTools)
	}
	return limit
}

// tokenRoom is how many more tokens the task's tools may cost. With
// `searchTurns: 0` nothing is limited.
func (v *capacity) tokenRoom(t *Task) int {
	if v.Settings.SearchTurns == 0 || v.Settings.BudgetTokens == 0 {
		return math.MaxInt
	}
	return v.Settings.BudgetTokens - t.tokens()
}

// limit says which limit keeps a tool that found no room out of the task.
func (v *capacity) limit(t *Task) string {
	if v.room(t) == 0 {
		return fmt.Sprintf("the limit of %d tools in a request is reached (winnow.maxTools or the model's own limit)",
			v.requestLimit(t))
	}
	return fmt.Sprintf("its tools may cost %d tokens, and cost %d already (winnow.budgetTokens)",
		v.Settings.BudgetTokens, t.tokens())
}

// room is how many more MCP tools the task may attach. While tools are chosen,
// mcp_load takes a place of its own. With `searchTurns: 0` nothing is limited.
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

// awaits reports whether tools may come during the turn, for which a request has
// to carry mcp_load: nothing else would bring them before the next message.
func (v *capacity) awaits(t *Task) bool {
	return len(t.Starting) > 0 && v.Settings.SearchTurns > 0 && v.loads(t)
}

// limits says what the limit of a request has to do with what was chosen.
func (v *capacity) limits(t *Task) []string {
	var said []string
	if early := v.early(t); early != "" {
		said = append(said, early)
	}
	if v.room(t) == 0 && len(t.Attached) == 0 {
		said = append(said, fmt.Sprintf("the host's own %d tools leave no room for others in a request of %d tools "+
			"(winnow.maxTools or the model's own limit); switch some of them off", t.Model.NativeTools, v.requestLimit(t)))
	}
	return said
}

// OfferResult returns the task after a result was cut: its requests carry
// mcp_result from now on, with routing off too. Without room, or where mcp_call
// reaches it, none is added.
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

// Shapes reports whether results may be cut.
func (v *capacity) Shapes() bool { return v.Settings.Results.MaxChars > 0 }

// Programs reports whether models may run programs of calls: the user wants it, and
// there is a tool that Winnow runs.
func (v *capacity) Programs() bool {
	return v.Settings.Results.Programs && v.Catalog.HasOwn()
}

// extraMetaTools is how many tools of Winnow's own, besides mcp_load, the task's
// requests carry.
func (v *capacity) extraMetaTools(t *Task) int {
	if v.Programs() {
		return t.extraMetaTools() + 1
	}
	return t.extraMetaTools()
}
