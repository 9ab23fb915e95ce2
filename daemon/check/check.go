package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/display"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// Options configures [Run].
type Options struct {
	Offer Offer
	// Messages are those of MessagesFrom. If there are none, the bank's are used, which
	// has some for known servers.
	Messages     []Message
	MessagesFrom string
	// Budget is the most tokens of all tools together; 0 means any number.
	Budget int
	// Baseline is the report of an earlier run; may be nil.
	Baseline *Report
}

// checker is the state of one run.
type checker struct {
	o *Options
	f *field
	r *Report
	// tools holds the server's readable tools, by ordinal in both catalogues.
	tools []router.Tool
	// leaner holds the tools without what can be omitted.
	leaner   []json.RawMessage
	messages []Message
	needs    []need
	// alone and among hold the ranks of the needs.
	alone, among []int
	// said counts, for each word, the phrasings of other servers' tools that contain it.
	said      map[string]int
	phrasings int
}

// fromBank is [Messages].From for messages of the bank.
const fromBank = "bank"

// Run checks what a server offers. It returns an error if the server has no tools or the
// binary is damaged.
func Run(o *Options) (*Report, error) {
	if len(o.Offer.Tools) == 0 {
		return nil, errors.New("the server has no tools")
	}
	f, err := newField(&o.Offer)
	if err != nil {
		return nil, err
	}
	c := &checker{o: o, f: f, tools: f.tools(), messages: o.Messages, r: &Report{
		Format: Format, Findings: []Finding{},
		Server:   Server{Name: o.Offer.Name, Version: o.Offer.Version, Source: o.Offer.Source, Tools: len(f.tools())},
		Messages: Messages{From: o.MessagesFrom, Others: len(f.among.Tools) - len(f.tools())},
	}}
	if len(c.messages) == 0 {
		if c.messages, err = f.said(); err != nil {
			return nil, err
		}
		c.r.Messages.From = ""
		if len(c.messages) > 0 {
			c.r.Messages.From = fromBank
		}
	}
	c.r.Messages.Count = len(c.messages)
	c.costs()
	c.spare()
	c.rank()
	c.names()
	c.schemas()
	c.texts()
	c.found()
	c.own()
	c.since()
	slices.SortStableFunc(c.r.Findings, func(a, b Finding) int {
		return slices.Index(Levels(), a.Level) - slices.Index(Levels(), b.Level)
	})
	return c.r, nil
}

// costs counts the tokens.
func (c *checker) costs() {
	s := &c.r.Server
	for i := range c.tools {
		t := &c.tools[i]
		one := Tool{
			Name: t.Definition.Name, Description: c.f.count(t.Description), Schema: c.f.count(string(t.Schema)),
			Tokens: c.f.count(string(router.PresentedJSON(t.Definition.Name, t.Description, t.Schema))), Text: t.Description, Parameters: map[string]bool{},
		}
		for _, p := range t.Parameters {
			one.Parameters[p.Name] = one.Parameters[p.Name] || p.Required
		}
		s.Tokens += one.Tokens
		if out := object(t.Raw).OutputSchema; len(out) > 0 {
			s.OutputSchemas += c.f.count(string(out))
		}
		c.r.Tools = append(c.r.Tools, one)
	}
	s.Instructions = c.f.count(c.o.Offer.Instructions)
	for _, warning := range c.f.alone.Servers[0].Warnings {
		c.find("server-warning", "", warning, nil)
	}
	if over := s.Tokens - c.o.Budget; c.o.Budget > 0 && over > 0 {
		c.find("over-budget", "", fmt.Sprintf("the tools cost %d tokens, %d more than the budget of %d", s.Tokens, over, c.o.Budget), do("See the column of what can be spared, and the longest descriptions."))
	}
}

// find adds a finding at its rule's level.
func (c *checker) find(rule, tool, text string, fix *Fix) {
	c.findAt(levelOf(rule), rule, tool, text, fix)
}

func (c *checker) findAt(level Level, rule, tool, text string, fix *Fix) {
	c.r.Findings = append(c.r.Findings, Finding{Rule: rule, Level: level, Tool: tool, Text: text, Fix: fix})
}

// nameOf returns the name of a Tool object.
func nameOf(raw json.RawMessage) string { return ijson.Text(object(raw).Name) }

// since compares with the baseline.
func (c *checker) since() {
	then := c.o.Baseline
	if then == nil {
		return
	}
	s := &Since{Version: then.Server.Version, Tokens: then.Server.Tokens, Among: then.Messages.Among}
	c.r.Since = s
	before := map[string]*Tool{}
	for i := range then.Tools {
		before[then.Tools[i].Name] = &then.Tools[i]
	}
	for i := range c.r.Tools {
		now := &c.r.Tools[i]
		old := before[now.Name]
		delete(before, now.Name)
		if old == nil {
			s.Added = append(s.Added, now.Name)
			continue
		}
		if old.Text != now.Text || !maps.Equal(old.Parameters, now.Parameters) || old.Schema != now.Schema {
			s.Changed = append(s.Changed, now.Name)
		}
		c.stricter(old, now)
		if more := now.Tokens - old.Tokens; 10*more >= old.Tokens && more > 0 {
			c.find("dearer", now.Name, fmt.Sprintf("%d tokens, %d more than in %s", now.Tokens, more, s.name()), &Fix{Do: "Look at what was added.", Tokens: -more})
		}
		if then.Messages.From == c.r.Messages.From && old.Among.Messages == now.Among.Messages && now.Among.Ten < old.Among.Ten {
			c.find("worse-found", now.Name, fmt.Sprintf("among the first ten by %d of %s, and by %d in %s", now.Among.Ten, display.Count(now.Among.Messages, "message"), old.Among.Ten, s.name()),
				do("Compare the two descriptions; its siblings' may have changed too."))
		}
	}
	s.Gone = slices.Sorted(maps.Keys(before))
	for _, name := range s.Gone {
		c.find("gone", name, "was there in "+s.name()+"; what names it in prompts, rules and locks does so in vain", do("Keep it for a release, with a description that names the new one."))
	}
}

// stricter reports parameters whose absence makes a former call fail now.
func (c *checker) stricter(old, now *Tool) {
	var lost, required []string
	for _, name := range slices.Sorted(maps.Keys(old.Parameters)) {
		if _, there := now.Parameters[name]; !there {
			lost = append(lost, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(now.Parameters)) {
		if now.Parameters[name] && !old.Parameters[name] {
			required = append(required, name)
		}
	}
	if len(lost) > 0 {
		c.find("stricter", now.Name, "has no parameter "+strings.Join(lost, ", ")+" any more", do("Take it still, and say in its description what replaces it."))
	}
	if len(required) > 0 {
		c.find("stricter", now.Name, "requires "+strings.Join(required, ", ")+" now", do("Give it a default."))
	}
}
