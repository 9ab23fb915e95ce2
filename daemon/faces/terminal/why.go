package terminal

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// whyReport is the output of `winnowd why -json`.
type whyReport struct {
	Message string                  `json:"message"`
	Mode    protocol.AttachmentMode `json:"mode"`
	Counts  protocol.AttachedCounts `json:"counts"`
	Tokens  protocol.AttachedTokens `json:"tokens"`
	// Ranker is the ranker used; empty if nothing was ranked.
	Ranker   string                   `json:"ranker,omitzero"`
	Warnings []string                 `json:"warnings,omitzero"`
	Tools    []protocol.ExplainedTool `json:"tools"`
}

// Why writes which tools a task that begins with a message gets, and the reason for each.
// If tool is set, named as for [Call], only that tool is reported, attached or not.
func Why(ctx context.Context, eo engine.Options, o *Options, message, tool string) error {
	eo.Asleep = !o.Start
	return with(ctx, eo, o, func(ctx context.Context, s *session) error {
		servers, err := s.known(ctx)
		if err != nil {
			return err
		}
		report, err := s.why(ctx, message, tool)
		if err != nil {
			return err
		}
		if o.JSON {
			return codec.Write(o.Out, report)
		}
		if err := printWhy(o, report, tool != ""); err != nil {
			return err
		}
		return errors.Join(s.printUnknown(servers), printMissing(o, servers))
	})
}

func (s *session) why(ctx context.Context, message, tool string) (*whyReport, error) {
	if tool != "" {
		found, err := s.find(tool)
		if err != nil {
			return nil, err
		}
		tool = found.Name
	}
	a, err := s.open(ctx, message)
	if err != nil {
		return nil, err
	}
	tools, err := s.explain(ctx, a.Task, tool)
	if err != nil {
		return nil, err
	}
	report := &whyReport{message, a.Mode, a.Counts, a.Tokens, a.Ranker, a.Warnings, tools}
	if a.Mode == protocol.AttachAll && s.engine.Settings.Load().Enabled {
		// Rank the tools even if all are attached.
		if err := s.chooseAlways(); err != nil {
			return nil, err
		}
		if a, err = s.open(ctx, message); err != nil {
			return nil, err
		}
		ranked, err := s.explain(ctx, a.Task, tool)
		if err != nil {
			return nil, err
		}
		report.Ranker = a.Ranker
		report.rank(ranked)
	}
	if tool == "" {
		report.Tools = slices.DeleteFunc(report.Tools, func(t protocol.ExplainedTool) bool { return !t.Attached })
	}
	slices.SortStableFunc(report.Tools, func(a, b protocol.ExplainedTool) int {
		return cmp.Compare(cmp.Or(a.Rank, math.MaxInt), cmp.Or(b.Rank, math.MaxInt))
	})
	return report, nil
}

// explain returns the explanations of a task's tools, or of one tool.
func (s *session) explain(ctx context.Context, task, tool string) ([]protocol.ExplainedTool, error) {
	e, err := s.engine.Tasks.Look(principal.Local, task)
	if err != nil {
		return nil, err
	}
	explained, err := s.engine.Inspector.Explain(ctx, e, &protocol.TaskExplainParams{Task: task, Tool: tool})
	return explained.Tools, err
}

// rank sets the ranks that the tools would have if some had to be chosen.
func (r *whyReport) rank(ranked []protocol.ExplainedTool) {
	of := map[string]*protocol.ExplainedTool{}
	for i := range ranked {
		of[ranked[i].Name] = &ranked[i]
	}
	for i := range r.Tools {
		t := &r.Tools[i]
		if one := of[t.Name]; one != nil {
			t.Rank, t.Score, t.Parts, t.Why = one.Rank, one.Score, one.Parts, one.Why
		}
	}
}

// open opens a task that begins with a message.
func (s *session) open(ctx context.Context, message string) (protocol.Attachment, error) {
	open, err := s.engine.Turns.Open(ctx, &protocol.TaskOpenParams{Message: message})
	if err != nil {
		return protocol.Attachment{}, err
	}
	return open()
}

// chooseAlways sets the threshold to 0, so that tools are always chosen.
func (s *session) chooseAlways() error {
	settings := map[string]json.RawMessage{}
	if raw := s.Initialize.Settings; len(raw) > 0 {
		if err := json.Unmarshal(raw, &settings); err != nil {
			return err
		}
	}
	settings["threshold"] = json.RawMessage("0")
	raw, err := json.Marshal(settings)
	if err != nil {
		return err
	}
	s.engine.ChangeSettings(&protocol.DidChangeSettingsParams{Settings: raw})
	return s.engine.Settle(context.WithoutCancel(s.engine.Life()))
}

func printWhy(o *Options, r *whyReport, one bool) error {
	p := printer{w: o.Out}
	p.line("%d of %s attached, %d of %d tokens.%s", r.Counts.Attached, plural(r.Counts.Scoped, "tool"),
		r.Tokens.Attached, r.Tokens.All, modeNote(r.Mode))
	for _, warning := range r.Warnings {
		p.line("%s", warning)
	}
	if len(r.Tools) == 0 {
		return p.err
	}
	p.line("")
	table := tabwriter.NewWriter(o.Out, 0, 0, 2, ' ', 0)
	p.w = table
	for i := range r.Tools {
		t := &r.Tools[i]
		p.line("%s\t%s\t%d\t%s", t.Tool, t.Server, t.Tokens, because(t))
		if one {
			for _, part := range t.Parts {
				p.line("  %s\t\t%.3f\t%s", part.Name, part.Value, part.Detail)
			}
		}
	}
	if p.err != nil {
		return p.err
	}
	return table.Flush()
}

func modeNote(mode protocol.AttachmentMode) string {
	switch mode {
	case protocol.AttachAll:
		return " Every tool in scope is attached; this is how they rank."
	case protocol.AttachDispatch:
		return " None is attached: the model searches and calls."
	}
	return ""
}

// because returns why a tool is or is not attached; if all are, why it ranks there.
func because(t *protocol.ExplainedTool) string {
	if t.Reason == protocol.ReasonAll && t.Cause == nil {
		return t.Why
	}
	return t.Sentence
}

// printMissing writes the servers whose tools were not considered.
func printMissing(o *Options, servers []protocol.ServerInfo) error {
	var missing []string
	for i := range servers {
		server := &servers[i]
		if server.Tools == 0 && !slices.Contains([]protocol.ServerState{protocol.ServerReady, protocol.ServerDisabled, protocol.ServerConfigured, protocol.ServerKnown}, server.State) {
			missing = append(missing, fmt.Sprintf("%s (%s)", server.Name, server.State))
		}
	}
	if len(missing) == 0 {
		return nil
	}
	p := printer{w: o.Out}
	p.line("\nNot considered: %s. winnowd doctor says why.", strings.Join(missing, ", "))
	return p.err
}
