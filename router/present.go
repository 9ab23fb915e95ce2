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
		Frozen:     t.Frozen(v.Settings),
		Tools:      wireTools(t.Attached),
		MetaTools:  meta,
		Counts:     protocol.AttachedCounts{Scoped: count, Attached: len(t.Attached), Named: t.namedOnly(), Native: t.Model.NativeTools},
		Tokens:     protocol.AttachedTokens{All: tokens, Attached: v.metaTokens(meta) + t.tokens()},
		Warnings:   t.Warnings,
	}
	a.Tokens.Saved = a.Tokens.All - a.Tokens.Attached
	if t.Routing == protocol.AttachDynamic {
		a.Ranker = v.RankerName()
	}
	return a
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
