package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
	"github.com/winnow-mcp/winnow/protocol"
)

// The engine stores what the model said in a response as one opaque part, for later
// requests that lack it.

// answer runs the hidden calls of a response, and reports calls and results to the
// engine.
func (h *Handler) answer(ctx context.Context, p *plan, said *wire.Said) (wire.Round, protocol.ConversationNext, error) {
	round := wire.Round{Said: *said}
	report := protocol.ConversationAnswerParams{Task: p.task, Request: p.number, Calls: []string{}, Answers: []protocol.CallAnswer{}}
	part, err := json.Marshal(said)
	if err != nil {
		return round, "", fmt.Errorf("keep what the model said: %w", err)
	}
	for i := range said.Hidden {
		c := &said.Hidden[i]
		text, err := h.load(ctx, p, c)
		if err != nil {
			return round, "", err
		}
		round.Results = append(round.Results, wire.Result{Call: *c, Text: text})
		report.Answers = append(report.Answers, protocol.CallAnswer{Call: callID(p.request.Format, c), Text: text})
		report.Parts = append(report.Parts, protocol.AnswerPart{Call: callID(p.request.Format, c), Part: part})
	}
	for i := range said.Others {
		report.Calls = append(report.Calls, p.calls.next(&said.Others[i]))
	}
	next, err := h.router.Answer(&report)
	if err != nil {
		// The conversation has continued without this response, perhaps in another
		// window. The response is not recorded, but the client still gets it.
		h.log.Info("an answer is not remembered", "task", p.task, "error", err)
		return round, protocol.NextSendLast, nil
	}
	return round, next.Next, nil
}

// load runs a call of mcp_load. The tools that it attaches are in the next request to the
// provider.
func (h *Handler) load(ctx context.Context, p *plan, c *wire.Call) (string, error) {
	arguments := json.RawMessage(c.Arguments)
	if !json.Valid(arguments) {
		arguments = json.RawMessage(`{}`)
	}
	result, err := h.router.Call(ctx, &protocol.ConversationCallParams{Task: p.task, Name: c.Name, Arguments: arguments})
	if err != nil {
		return "", err
	}
	if result.Attachment != nil {
		p.attach(result.Attachment)
	}
	text := ""
	for _, raw := range result.Content {
		var block struct {
			Text string `json:"text"`
		}
		if json.Unmarshal(raw, &block) == nil {
			text += block.Text
		}
	}
	return text, nil
}

// putBack returns the insertions of what the messages of a request lack.
func putBack(q *wire.Request, places []int, internal []protocol.InternalRounds) []wire.Insertion {
	var all []wire.Insertion
	done := map[int64]bool{}
	for _, in := range internal {
		if done[in.ID] || in.Message >= len(places) {
			continue
		}
		done[in.ID] = true // in Responses each call of a response is a message
		var rounds []wire.Round
		for _, r := range in.Rounds {
			rounds = append(rounds, roundsOf(q.Format, r.Parts, r.Answers)...)
		}
		rounds = append(rounds, roundsOf(q.Format, in.Calls, in.Answers)...)
		if len(rounds) > 0 {
			all = append(all, q.PutBack(q.AnswerStart(places[in.Message]), rounds)...)
		}
	}
	slices.SortStableFunc(all, func(a, b wire.Insertion) int { return a.At - b.At })
	return all
}

// roundsOf returns the round in parts made by [Handler.answer]; each part holds all of
// it. It returns none if a part cannot be read, for example one of an older version.
func roundsOf(format wire.Format, parts []json.RawMessage, answers []protocol.CallAnswer) []wire.Round {
	if len(parts) == 0 {
		return nil
	}
	var round wire.Round
	if json.Unmarshal(parts[0], &round.Said) != nil {
		return nil
	}
	for i := range round.Said.Hidden {
		c := &round.Said.Hidden[i]
		at := slices.IndexFunc(answers, func(a protocol.CallAnswer) bool { return a.Call == callID(format, c) })
		if at < 0 {
			return nil
		}
		round.Results = append(round.Results, wire.Result{Call: *c, Text: answers[at].Text})
	}
	return []wire.Round{round}
}
