package daemon

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/ijson"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Bounds of gating.
const (
	// gatingRest is how long a server that failed or was late is not asked.
	gatingRest = time.Minute
	// maxGatingAnswers bounds the answers that are kept.
	maxGatingAnswers = 256
)

// gates asks servers about messages, and remembers what they said. The zero
// value is ready.
type gates struct {
	// mu guards what follows. It is not held while a server is asked.
	mu      sync.Mutex
	resting map[string]time.Time // until when, by server
	answers map[gatingKey]string
}

// gatingKey is a message to one connection of a server.
type gatingKey struct {
	server     string
	generation uint64
	message    [sha256.Size]byte
}

// gate asks the servers about a message, before anything is attached. The
// claim is nil when the model answers.
func (s *Server) gate(ctx context.Context, v *router.View, t *router.Task, message string) (*router.View, *router.Claim) {
	if t.Source != ownSource || message == "" {
		return v, nil
	}
	names := v.GatingServers(t)
	if len(names) == 0 {
		return v, nil
	}
	deadline := time.Duration(v.Settings.Gating.TimeoutMs) * time.Millisecond
	gating := v.Gate(t, s.askGates(ctx, names, message, deadline))
	claim := gating.Claim
	if v.Settings.Shadow || v.Settings.Gating.Claims == protocol.ClaimsNever {
		claim = nil
	}
	return v.WithGating(gating), claim
}

// askGates asks the servers side by side, until the deadline.
func (s *Server) askGates(ctx context.Context, names []string, message string, deadline time.Duration) []router.GatingAnswer {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	texts := make([]string, len(names))
	snapshot := s.workspace.manager.Snapshot()
	var asked sync.WaitGroup
	for i, name := range names {
		server, ok := snapshot.Server(name)
		if !ok || server.Status.State != upstream.Ready {
			continue // one that starts, or lazily waits, would be late
		}
		asked.Go(func() {
			key := gatingKey{name, server.Status.Generation, sha256.Sum256([]byte(message))}
			text, err := guardServer(name, func() (string, error) { return s.askGate(ctx, key, message), nil })
			if err != nil {
				s.log.Error("gating failed", "server", name, "error", err)
			}
			texts[i] = text
		})
	}
	asked.Wait()
	var answers []router.GatingAnswer
	for i, text := range texts {
		if text != "" {
			answers = append(answers, router.GatingAnswer{Server: names[i], Text: text})
		}
	}
	return answers
}

// askGate returns what a server says about a message; empty when it says
// nothing, or rests.
func (s *Server) askGate(ctx context.Context, key gatingKey, message string) string {
	if text, known := s.gates.recall(key, s.options.Now()); known {
		return text
	}
	result, err := s.workspace.manager.Call(ctx, upstream.CallRequest{
		Server: key.server, Tool: router.GatingName,
		Arguments: json.RawMessage(mustMarshal(map[string]string{"message": message})),
	})
	text := ""
	if err == nil {
		text, err = gatingText(result)
	}
	if err != nil {
		// A host that gave the request up says nothing about the server.
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			s.log.Warn("gating failed; the server is not asked for a while", "server", key.server, "error", err)
			s.gates.rest(key.server, s.options.Now().Add(gatingRest))
		}
		return ""
	}
	s.gates.keep(key, text)
	return text
}

// gatingText returns the text of an answer.
func gatingText(r *upstream.Result) (string, error) {
	var wire struct {
		Content []struct {
			Text string `json:"text"`
		} `json:"content"`
	}
	if err := json.Unmarshal(r.Raw, &wire); err != nil {
		return "", fmt.Errorf("%s answered something that is no result: %w", router.GatingName, err)
	}
	if r.IsError || len(wire.Content) == 0 {
		return "", fmt.Errorf("%s answered no verdicts", router.GatingName)
	}
	verdicts, err := ijson.Normalize([]byte(wire.Content[0].Text))
	if err != nil {
		return "", fmt.Errorf("%s answered no verdicts: %w", router.GatingName, err)
	}
	return string(verdicts), nil
}

// recall returns what is known without asking: an answer, or that the server
// rests.
func (g *gates) recall(key gatingKey, now time.Time) (text string, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if text, known = g.answers[key]; known {
		return text, true
	}
	return "", now.Before(g.resting[key.server])
}

func (g *gates) keep(key gatingKey, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.answers == nil || len(g.answers) >= maxGatingAnswers {
		g.answers = map[gatingKey]string{}
	}
	g.answers[key] = text
}

func (g *gates) rest(server string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.resting == nil {
		g.resting = map[string]time.Time{}
	}
	g.resting[server] = until
}

// answerByClaim runs the tool that claims a message, when it may. Whatever
// goes wrong, the model answers.
func (s *Server) answerByClaim(ctx context.Context, e *taskEntry, a *protocol.Attachment, claim *router.Claim) {
	if claim == nil {
		return
	}
	id := claim.Tool.ID
	if !claim.Unasked(s.workspace.settings.Load().Gating.Claims) {
		allowed, err := s.workspace.host.confirmClaim(ctx, protocol.ClaimConfirmParams{
			Task: e.id, Server: id.Server, Tool: id.Tool, Arguments: claim.Arguments,
		})
		if err != nil || !allowed {
			s.log.Debug("claim not confirmed", "server", id.Server, "tool", id.Tool, "error", err)
			return
		}
	}
	result, err := s.runClaim(ctx, e, claim)
	if err != nil || result.IsError {
		a.Warnings = append(a.Warnings, fmt.Sprintf(
			"server %q claimed the message and its tool %q failed; the model answers", id.Server, id.Tool))
		return
	}
	// The call is part of the task's state now.
	if v, t, err := s.viewOf(e); err == nil {
		warnings := a.Warnings
		*a = v.Attachment(&t)
		a.Warnings = warnings
	}
	result.Attachment = nil
	a.Claim = &protocol.Claim{Server: id.Server, Tool: id.Tool, Arguments: claim.Arguments, Result: *result}
}

// runClaim runs the tool of a claim. The caller holds the task's lane.
func (s *Server) runClaim(ctx context.Context, e *taskEntry, claim *router.Claim) (*protocol.TaskCallResult, error) {
	d := decision{id: claim.Tool.ID, tool: claim.Tool, arguments: claim.Arguments, scope: "claim " + e.id}
	result, err := s.runTool(ctx, e, d, toolCall{})
	if err != nil {
		return nil, err
	}
	return result, s.shape(e, result, func() error { return s.offerResult(e, result) })
}
