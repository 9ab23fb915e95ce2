// Package gating asks the servers that offer `_tool_gating` about a message,
// before anything is attached, and remembers what they said. What their answers
// mean for tools is the router's decision.
package gating

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/ijson"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Bounds of gating.
const (
	// backOff is how long a server that failed or was late is not asked.
	backOff = time.Minute
	// maxGatingAnswers bounds the answers that are kept.
	maxGatingAnswers = 256
)

// Upstream is where servers are asked. [upstream.Manager] is.
type Upstream interface {
	Snapshot() *upstream.Snapshot
	Call(ctx context.Context, r upstream.CallRequest) (*upstream.Result, error)
}

// Asker asks servers about messages, and remembers what they said.
type Asker struct {
	upstream Upstream
	log      *slog.Logger
	now      func() time.Time

	// mu guards what follows. It is not held while a server is asked.
	mu        sync.Mutex
	notBefore map[string]time.Time // until when, by server
	answers   map[gatingKey]string
}

// New returns an Asker that remembers nothing.
func New(u Upstream, log *slog.Logger, now func() time.Time) *Asker {
	return &Asker{upstream: u, log: log, now: now, notBefore: map[string]time.Time{}, answers: map[gatingKey]string{}}
}

// gatingKey is a message to one connection of a server.
type gatingKey struct {
	server     string
	generation uint64
	message    [sha256.Size]byte
}

// Ask asks the servers about a message of a task, before anything is attached.
// The claim is nil when the model answers.
func (g *Asker) Ask(ctx context.Context, v *router.View, t *router.Task, message string) (*router.View, *router.Claim) {
	if t.Source != protocol.OwnSource || message == "" {
		return v, nil
	}
	names := v.GatingServers(t)
	if len(names) == 0 {
		return v, nil
	}
	deadline := time.Duration(v.Settings.Gating.TimeoutMs) * time.Millisecond
	gating := v.ReadGating(t, g.askAll(ctx, names, message, deadline))
	claim := gating.Claim
	if v.Settings.Shadow || v.Settings.Gating.Claims == protocol.ClaimsNever {
		claim = nil
	}
	return v.WithGating(gating), claim
}

// askAll asks the servers side by side, until the deadline.
func (g *Asker) askAll(ctx context.Context, names []string, message string, deadline time.Duration) []router.GatingAnswer {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	texts := make([]string, len(names))
	snapshot := g.upstream.Snapshot()
	var asked sync.WaitGroup
	for i, name := range names {
		server, ok := snapshot.Server(name)
		if !ok || server.Status.State != upstream.Ready {
			continue // one that starts, or lazily waits, would be late
		}
		asked.Go(func() {
			key := gatingKey{name, server.Status.Generation, sha256.Sum256([]byte(message))}
			text, err := failure.Guard(name, func() (string, error) { return g.askServer(ctx, key, message), nil })
			if err != nil {
				g.log.Error("gating failed", "server", name, "error", err)
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

// askServer returns what a server says about a message; empty when it says
// nothing, or is not to be asked yet.
func (g *Asker) askServer(ctx context.Context, key gatingKey, message string) string {
	if text, known := g.recall(key, g.now()); known {
		return text
	}
	result, err := g.upstream.Call(ctx, upstream.CallRequest{
		Server: key.server, Tool: router.GatingName,
		Arguments: codec.Marshal(map[string]string{"message": message}),
	})
	text := ""
	if err == nil {
		text, err = gatingText(result)
	}
	if err != nil {
		// A host that gave the request up says nothing about the server.
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			g.log.Warn("gating failed; the server is not asked for a while", "server", key.server, "error", err)
			g.skip(key.server, g.now().Add(backOff))
		}
		return ""
	}
	g.keep(key, text)
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
// is not to be asked yet.
func (g *Asker) recall(key gatingKey, now time.Time) (text string, known bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if text, known = g.answers[key]; known {
		return text, true
	}
	return "", now.Before(g.notBefore[key.server])
}

func (g *Asker) keep(key gatingKey, text string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.answers) >= maxGatingAnswers {
		clear(g.answers)
	}
	g.answers[key] = text
}

func (g *Asker) skip(server string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notBefore[server] = until
}
