package router

import (
	"fmt"
	"math"
	"slices"

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
	return count > s.Threshold ||
		s.ThresholdTokens > 0 && tokens > s.ThresholdTokens ||
		s.BudgetTokens > 0 && tokens > s.BudgetTokens
}

// whole is how many tools a request would carry if all that the task may have,
// scoped in number, were attached: with the host's own, and with mcp_load where
// it was offered, and with those that stay although they left the scope.
func (v *capacity) whole(t *Task, scoped int) int {
	n := scoped + t.Model.NativeTools + t.extraMetaTools()
	if t.LoadOffered {
		n += metaToolCount
	}
	if v.keepsStrangers(t) {
		n += v.inadmissible(t)
	}
	return n
}

// keepsStrangers reports whether the task keeps attached what a rule keeps out
// by now, or what is gone. While tools are chosen it does, for the sake of the
// prompt cache; where all are attached nothing was promised.
func (v *admission) keepsStrangers(t *Task) bool {
	return v.Settings.SearchTurns > 0 && t.Routing != protocol.AttachAll
}

// inadmissible counts the attached tools that a rule keeps out by now, or that are
// gone.
func (v *admission) inadmissible(t *Task) int {
	n := 0
	for i := range t.Attached {
		if tool, ok := v.Catalog.Lookup(t.Attached[i].ID); !ok || !v.admits(t, tool) {
			n++
		}
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

// scoped returns the number and the cost of the tools that the task may have.
func (v *admission) scoped(t *Task) (count, tokens int) {
	count, tokens = v.Scope.Count, v.Scope.Tokens
	for n, ref := range t.Choices.Disabled {
		if slices.Contains(t.Choices.Disabled[:n], ref) {
			continue
		}
		if i, ok := v.Catalog.Lookup(ToolID(ref)); ok && v.Scope.Admits(i) {
			count--
			tokens -= v.Catalog.Tools[i].Tokens
		}
	}
	return count, tokens
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
	return max(0, v.requestLimit(t)-taken-t.extraMetaTools())
}
