package terminal

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/principal"
	"github.com/winnow-mcp/winnow/protocol"
)

// whyReport is what `winnowd why -json` writes.
type whyReport struct {
	Message string                  `json:"message"`
	Mode    protocol.AttachmentMode `json:"mode"`
	Counts  protocol.AttachedCounts `json:"counts"`
	Tokens  protocol.AttachedTokens `json:"tokens"`
	// Ranker names what ranked; empty when nothing was ranked.
	Ranker   string                   `json:"ranker,omitzero"`
	Warnings []string                 `json:"warnings,omitzero"`
	Tools    []protocol.ExplainedTool `json:"tools"`
}

// Why says which tools a task that begins with a message gets, and why each. A
// tool, named as for [Call], restricts the answer to itself, attached or not.
func Why(ctx context.Context, eo engine.Options, o *Options, message, tool string) error {
	return with(ctx, eo, o, func(ctx context.Context, s *session) error {
		servers, err := s.await(ctx, nil)
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
		return printMissing(o, servers)
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
	open, err := s.engine.Turns.Open(ctx, &protocol.TaskOpenParams{Message: message})
	if err != nil {
		return nil, err
	}
	a, err := open()
	if err != nil {
		return nil, err
	}
	e, err := s.engine.Tasks.Look(principal.Local, a.Task)
	if err != nil {
		return nil, err
	}
	explained, err := s.engine.Inspector.Explain(ctx, e, &protocol.TaskExplainParams{Task: a.Task, Tool: tool})
	if err != nil {
		return nil, err
	}
	tools := explained.Tools
	if tool == "" {
		tools = slices.DeleteFunc(tools, func(t protocol.ExplainedTool) bool { return !t.Attached })
	}
	return &whyReport{message, a.Mode, a.Counts, a.Tokens, a.Ranker, a.Warnings, tools}, nil
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
		return " Routing does not choose: every tool in scope is attached."
	case protocol.AttachDispatch:
		return " None is attached: the model searches and calls."
	}
	return ""
}

// because says why a tool is or is not attached; nothing where all are.
func because(t *protocol.ExplainedTool) string {
	if t.Reason == protocol.ReasonAll && t.Cause == nil {
		return ""
	}
	return t.Sentence
}

// printMissing names the servers whose tools could not be considered.
func printMissing(o *Options, servers []protocol.ServerInfo) error {
	var missing []string
	for i := range servers {
		server := &servers[i]
		if server.Tools == 0 && server.State != protocol.ServerReady && server.State != protocol.ServerDisabled {
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
