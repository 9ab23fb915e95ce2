package wire

import "strings"

// searchTools are the providers' own tools by which a model finds tools that
// are deferred, for the formats that have one: Anthropic's "tool search tool"
// and the "tool search" of OpenAI's Responses.
var searchTools = map[Format]string{
	Messages:  `{"type":"tool_search_tool_bm25_20251119","name":"tool_search_tool_bm25"}`,
	Responses: `{"type":"tool_search"}`,
}

// Defers reports whether the request's format has tools that the provider
// loads when the model searches for them.
func (q *Request) Defers() bool { return searchTools[q.Format] != "" }

// isSearch reports whether a tool of this type is one of searchTools, in any
// version.
func isSearch(kind string) bool { return strings.HasPrefix(kind, "tool_search") }
