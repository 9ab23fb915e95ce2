package router

import (
	"github.com/winnow-mcp/winnow/protocol"
)

// Attachment tells a host what the task's next request should carry.
func (v *View) Attachment(t *Task) protocol.Attachment {
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
		Tokens:     v.costs(t, tokens, v.metaTokens(meta)+t.tokens()),
		Warnings:   t.Warnings,
	}
	if t.Routing == protocol.AttachDynamic {
		a.Ranker = v.RankerName()
	}
	return a
}

// counts counts the task's tools, of which scoped could be attached.
func (v *View) counts(t *Task, scoped int) protocol.AttachedCounts {
	kept := v.inadmissible(t)
	return protocol.AttachedCounts{
		Scoped: scoped, Attached: len(t.Attached) - kept, Kept: kept, Named: t.namedOnly(), Native: t.Model.NativeTools,
	}
}

// costs compares what the task's tools cost with all of them, and with what its
// client would send by itself.
func (v *View) costs(t *Task, all, attached int) protocol.AttachedTokens {
	client := all
	if t.Client != nil {
		client = t.Client.Tokens
	}
	return protocol.AttachedTokens{
		All: all, Attached: attached, Saved: all - attached, Client: client, ClientSaved: client - attached,
	}
}

// tokens is the cost of the attached tools.
func (t *Task) tokens() int {
	sum := 0
	for i := range t.Attached {
		sum += t.Attached[i].Tokens
	}
	return sum
}

func (v *View) metaTokens(meta []protocol.MetaTool) int {
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
