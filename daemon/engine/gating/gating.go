// Package gating calls the servers that offer `_tool_gating` about a message before
// anything is attached, if the user lets them see it. The router decides what their
// answers mean for tools.
package gating

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"time"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// Limits of gating.
const (
	// backOff is how long a server that failed or was late is not called.
	backOff = time.Minute
)

// Upstream calls servers. [upstream.Manager] implements it.
type Upstream interface {
	Snapshot() *upstream.Snapshot
	Call(ctx context.Context, r upstream.CallRequest) (*upstream.Result, error)
}

// Asker calls servers about messages. It does not cache answers, because a server's state
// may change between equal messages.
type Asker struct {
	upstream Upstream
	log      *slog.Logger
	now      func() time.Time
	unlisted func(server string)

	// mu guards the following fields. It is not held during a call.
	mu        sync.Mutex
	notBefore map[string]time.Time // end of the back-off, by server
	told      map[string]bool      // servers for which unlisted was called
}

// New returns an Asker. unlisted is called once for each server that offers gating and
// that the user does not let see messages.
func New(u Upstream, log *slog.Logger, now func() time.Time, unlisted func(server string)) *Asker {
	return &Asker{
		upstream: u, log: log, now: now, unlisted: unlisted, notBefore: map[string]time.Time{}, told: map[string]bool{},
	}
}

// Ask calls the servers that the daemon runs about a message of a task, of any source,
// before anything is attached. The claim is nil if the model answers.
func (g *Asker) Ask(ctx context.Context, v *router.View, t *router.Task, message string) (*router.View, *router.Claim) {
	if message == "" {
		return v, nil
	}
	names := g.listed(v.GatingServers(t), v.Settings.Gating.Servers)
	if len(names) == 0 {
		return v, nil
	}
	deadline := time.Duration(v.Settings.Gating.TimeoutMs) * time.Millisecond
	gating := v.ReadGating(t, g.askAll(ctx, names, message, deadline))
	claim := gating.Claim
	if v.Settings.Shadow || t.Unclaimed || v.Settings.Gating.Claims == protocol.ClaimsNever {
		claim = nil
	}
	return v.WithGating(gating), claim
}

// listed returns the servers that the user lets see messages.
func (g *Asker) listed(offering, allowed []string) []string {
	return slices.DeleteFunc(offering, func(name string) bool {
		if slices.Contains(allowed, name) {
			return false
		}
		g.mu.Lock()
		first := !g.told[name]
		g.told[name] = true
		g.mu.Unlock()
		if first {
			g.unlisted(name)
		}
		return true
	})
}

// askAll calls the servers concurrently, until the deadline.
func (g *Asker) askAll(ctx context.Context, names []string, message string, deadline time.Duration) []router.GatingAnswer {
	ctx, cancel := context.WithTimeout(ctx, deadline)
	defer cancel()
	texts := make([]string, len(names))
	snapshot := g.upstream.Snapshot()
	var asked sync.WaitGroup
	for i, name := range names {
		server, ok := snapshot.Server(name)
		if !ok || server.Status.State != upstream.Ready {
			continue // a starting or sleeping server would be late
		}
		asked.Go(func() {
			text, err := failure.Guard(name, func() (string, error) { return g.askServer(ctx, name, message), nil })
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

// askServer returns a server's answer about a message, or "" if it gives none or is in
// back-off.
func (g *Asker) askServer(ctx context.Context, name, message string) string {
	if g.rests(name) {
		return ""
	}
	result, err := g.upstream.Call(ctx, upstream.CallRequest{
		Server: name, Tool: router.GatingName,
		Arguments: codec.Marshal(map[string]string{"message": message}),
	})
	text := ""
	if err == nil {
		text, err = gatingText(result)
	}
	if err != nil {
		// A request that the host cancelled says nothing about the server.
		if !errors.Is(context.Cause(ctx), context.Canceled) {
			g.log.Warn("gating failed; the server is not asked for a while", "server", name, "error", err)
			g.skip(name, g.now().Add(backOff))
		}
		return ""
	}
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
		return "", fmt.Errorf("%s answered something that is no result: %w", router.GatingName, ijson.Words(err))
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

// rests reports whether a server is in back-off.
func (g *Asker) rests(server string) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.now().Before(g.notBefore[server])
}

func (g *Asker) skip(server string, until time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.notBefore[server] = until
}
