package check

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/daemon/hiddentext"
)

// printer writes lines and stores the first error.
type printer struct {
	w   io.Writer
	err error
}

func (p *printer) line(format string, args ...any) {
	if p.err == nil {
		_, p.err = fmt.Fprintln(p.w, strings.TrimRight(hiddentext.Printable(fmt.Sprintf(format, args...)), " "))
	}
}

// WriteText writes the report for a person.
func (r *Report) WriteText(w io.Writer) error {
	p := &printer{w: w}
	s := &r.Server
	p.line("%s: %s, %s tokens, of which no model needs %s", strings.TrimSpace(s.Name+" "+s.Version), display.Count(s.Tools, "tool"), display.Number(s.Tokens), display.Number(s.Spare))
	if s.Instructions+s.OutputSchemas > 0 {
		p.line("Some clients send more: %s of instructions, %s of output schemas.", display.Count(s.Instructions, "token"), display.Number(s.OutputSchemas))
	}
	p.line("OpenAI's strict mode takes %d of the %s as they are.", s.Strict, display.Count(s.Tools, "schema"))
	r.writeMessages(p)
	r.writeSince(p)
	p.line("")
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	t := &printer{w: table, err: p.err}
	head := "TOOL\tTOKENS\tTEXT\tSCHEMA\tSPARE"
	if r.Messages.Count > 0 {
		head += "\tFIRST ALONE\tFIRST 10 OF ALL"
	}
	t.line("%s", head)
	for i := range r.Tools {
		one := &r.Tools[i]
		row := fmt.Sprintf("%s\t%d\t%d\t%d\t%d", one.Name, one.Tokens, one.Description, one.Schema, one.Spare)
		if one.Alone.Messages > 0 {
			row += fmt.Sprintf("\t%d of %d\t%d of %d", one.Alone.First, one.Alone.Messages, one.Among.Ten, one.Among.Messages)
		} else if r.Messages.Count > 0 {
			row += "\t-\t-"
		}
		t.line("%s", row)
	}
	if err := errors.Join(t.err, table.Flush()); err != nil {
		return err
	}
	p.line("")
	if len(r.Findings) == 0 {
		p.line("Nothing is found.")
		return p.err
	}
	p.line("%s, %s, %s", display.Count(r.Count(Error), "error"), display.Count(r.Count(Warning), "warning"), display.Count(r.Count(Note), "note"))
	for i := range r.Findings {
		f := &r.Findings[i]
		p.line("\n%s  %s  %s", f.Level, f.Rule, f.Tool)
		p.line("  %s", f.Text)
		for _, line := range f.Fix.lines() {
			p.line("  → %s", line)
		}
	}
	return p.err
}

// writeMessages reports how tools are found.
func (r *Report) writeMessages(p *printer) {
	m := &r.Messages
	switch {
	case m.Count == 0:
		p.line("No messages are known for these tools: they are looked for by their own first sentences. -messages takes yours.")
		return
	case m.From == fromBank:
		p.line("By %s that Winnow's authors wrote for such tools; -messages takes yours.", display.Count(m.Count, "message"))
	default:
		p.line("By %s of %s.", display.Count(m.Count, "message"), m.From)
	}
	p.line("  among its own tools:          %s", m.Alone)
	p.line("  and %s of others: %s", display.Count(m.Others, "tool"), m.Among)
	if m.Lean != m.Among {
		p.line("  the same, without the tokens that no model needs: %s", m.Lean)
	}
}

func (r *Report) writeSince(p *printer) {
	s := r.Since
	if s == nil {
		return
	}
	p.line("Since %s: %d tools added, %d gone, %d changed; %+d tokens.", s.name(), len(s.Added), len(s.Gone), len(s.Changed), r.Server.Tokens-s.Tokens)
	if s.Among.Messages > 0 {
		p.line("  ranks then: %s", s.Among)
	}
}

// String reports how often a tool was found.
func (r Ranks) String() string {
	return fmt.Sprintf("first %s, first five %s, first ten %s", display.Percent(r.First, r.Messages), display.Percent(r.Five, r.Messages), display.Percent(r.Ten, r.Messages))
}

// counts is String for one tool, without percentages.
func (r *Ranks) counts() string {
	if r.Messages == 1 {
		if r.Median > deepest {
			return fmt.Sprintf("beyond rank %d", deepest)
		}
		return fmt.Sprintf("rank %d", r.Median)
	}
	return fmt.Sprintf("first by %d, among ten by %d of %d", r.First, r.Ten, r.Messages)
}

// lines describes the fix and its effect. f may be nil.
func (f *Fix) lines() []string {
	if f == nil {
		return nil
	}
	all := []string{f.Do}
	if f.Line != "" {
		all = append(all, "    "+f.Line)
	}
	tried := ""
	if f.Before != nil && f.After != nil {
		tried = fmt.Sprintf("Tried: %s → %s", f.Before.counts(), f.After.counts())
		if f.HeldOut {
			tried += " (each message with a line made of the others)"
		}
	}
	if f.Tokens != 0 {
		tried = strings.TrimPrefix(fmt.Sprintf("%s; %+d tokens", tried, f.Tokens), "; ")
	}
	if tried != "" {
		all = append(all, tried+".")
	}
	return all
}
