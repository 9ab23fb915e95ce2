package router

import (
	"github.com/winnow-mcp/winnow/protocol"
)

// Attachment returns what the task's next request should carry, for its host.
func (v *reporting) Attachment(t *Task) protocol.Attachment {
	meta := v.MetaTools(t)
	count, tokens := v.scoped(t)
	a := protocol.Attachment{
		Task:       t.ID,
		Generation: t.Generation,
		Mode:       t.Routing,
		Turn:       t.Turn,
		Frozen:     v.Frozen(t),
		Tools:      wireTools(t.Attached),
		MetaTools:  meta,
		Counts:     v.counts(t, count),
		Tokens:     v.costs(t, tokens, t.tokens(), v.metaTokens(meta)),
		Warnings:   t.Warnings,
	}
	if t.Routing == protocol.AttachDynamic {
		a.Ranker = v.RankerName()
	}
	return a
}

// counts counts the task's tools. scoped is the number that could be attached.
func (v *reporting) counts(t *Task, scoped int) protocol.AttachedCounts {
	kept, named := v.inadmissible(t), 0
	if t.LoadOffered && v.Settings.SearchTurns > 0 { // its description and its answers name them
		named = t.namedOnly()
	}
	return protocol.AttachedCounts{
		Scoped: scoped, Attached: len(t.Attached) - kept, Kept: kept, Named: named, Native: t.Model.NativeTools,
	}
}

// costs compares the cost of the task's tools with that of all tools and with what its
// client would send by itself.
func (v *reporting) costs(t *Task, all, tools, meta int) protocol.AttachedTokens {
	client := all
	if t.Client != nil {
		client = t.Client.Tokens
	}
	attached := tools + meta
	return protocol.AttachedTokens{
		All: all, Attached: attached, Meta: meta, Saved: all - attached, Client: client, ClientSaved: client - attached,
	}
}

// metaTokens returns the cost of Winnow's own tools.
func (v *capacity) metaTokens(meta []protocol.MetaTool) int {
	sum := 0
	for _, m := range meta {
		sum += v.Catalog.metaTokens.tokens(m)
	}
	return sum
}

func wireTools(attached []Attached) []protocol.AttachedTool {
	tools := make([]protocol.AttachedTool, len(attached))
	for i, a := range attached {
		tools[i] = protocol.AttachedTool{
			Name:        a.Name,
			Server:      a.ID.Server,
			Tool:        a.ID.Tool,
			Description: a.Description,
			InputSchema: a.Schema,
			Tokens:      a.Tokens,
			Turn:        a.Turn,
			Reason:      a.Reason,
			Score:       a.Score,
		}
	}
	return tools
}

// MetaTools returns Winnow's own tools that the task's requests carry. The result is
// never nil.
func (v *capacity) MetaTools(t *Task) []protocol.MetaTool {
	meta := []protocol.MetaTool{}
	if t.Gateway != "" {
		meta = append(meta, t.gatewayTools()...)
		if v.Programs() {
			meta = append(meta, runTool())
		}
		return meta
	}
	if t.LoadOffered && v.Settings.SearchTurns > 0 {
		meta = append(meta, t.metaTools()...)
	}
	if t.Index != "" && v.Settings.SearchTurns > 0 {
		meta = append(meta, dispatchTools(t.Index)...)
	}
	if t.ResultOffered {
		meta = append(meta, resultTool())
	}
	if v.Programs() {
		meta = append(meta, runTool())
	}
	return meta
}

// Listed reports whether a gateway's client is shown an attached tool. A tool that a rule
// keeps out is not shown. A tool that is gone is, because its server may return.
func (v *reporting) Listed(t *Task, a *Attached) bool {
	i, ok := v.Catalog.Lookup(a.ID)
	return !ok || v.admits(t, i)
}
