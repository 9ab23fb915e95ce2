package vscode

import (
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// offeredShare is the share of a request, one fifth, that a setting must save to be
// offered.
const offeredShare = 5

// leanCosts describes the cost of the profile lean. Of the editor's 240 messages of
// ranker/eval, .850 have every tool they need in full instead of .938.
const leanCosts = "in about a tenth more of the tasks the model then loads a tool first"

// offerSavings offers, once each, the settings that would save a fifth of a request with
// these sections and tools.
func (r *Requests) offerSavings(q *request, s *protocol.Settings, sections []protocol.UsageSection, a *protocol.Attachment) {
	if !s.Enabled || s.SearchTurns == 0 || s.Shadow || s.Strategy == protocol.StrategyDispatch || q.params.AllListed {
		return
	}
	total := a.Tokens.Attached
	for _, section := range sections {
		total += section.Tokens
	}
	if s.BuiltInTools == protocol.BuiltInKeep && q.agent && !r.rareOffered.Load() {
		if saved := r.savedByRare(q); saved*offeredShare >= total && !r.rareOffered.Swap(true) {
			r.offer("builtInTools", saved, total, "VS Code's own tools that are rarely needed are",
				"Set winnow.builtInTools to “rare” to name them only: the model loads or calls what it needs.")
		}
	}
	if saved := savedByLean(s, a); saved*offeredShare >= total && !r.leanOffered.Swap(true) {
		r.offer("profile", saved, total, "The profile lean would save",
			"Set winnow.profile to “lean” to attach half as many tools in full and name more of them; "+leanCosts+".")
	}
}

// savedByRare returns the tokens saved by naming VS Code's rarely needed tools.
func (r *Requests) savedByRare(q *request) int {
	saved := 0
	for _, i := range rare(protocol.BuiltInRare, q.offer, q.messages, r.options.Uses()) {
		saved += max(0, r.meter.tool(&q.offer.tools[i])-namedTokens)
	}
	return saved
}

// savedByLean returns the tokens that the profile lean saves of a first request: more
// tools are only named. It is 0 if the user has set how many are attached.
func savedByLean(s *protocol.Settings, a *protocol.Attachment) int {
	standard, lean := protocol.DefaultSettings(), protocol.ProfileSettings(protocol.ProfileLean)
	if s.Profile != protocol.ProfileStandard || s.InitialK != standard.InitialK || s.Named != standard.Named ||
		s.BudgetTokens != standard.BudgetTokens || a.Turn > 1 {
		return 0
	}
	ranked, saved := 0, (standard.Named-lean.Named)*namedTokens
	for i := range a.Tools {
		if a.Tools[i].Reason != protocol.ReasonRanked {
			continue
		}
		if ranked++; ranked > lean.InitialK {
			saved += a.Tools[i].Tokens
		}
	}
	return max(0, saved)
}

// offer offers a setting, unless the user was shown the offer in an earlier run.
func (r *Requests) offer(setting string, saved, total int, what, next string) {
	if r.options.Once(setting) {
		r.options.Tell(protocol.ShowMessageParams{
			Type: protocol.MessageInfo, Setting: "winnow." + setting, Next: next,
			Message: fmt.Sprintf("%s about %d%% of this chat's requests, %.1fk tokens of %.1fk",
				what, saved*100/total, float64(saved)/1000, float64(total)/1000),
		})
	}
}
