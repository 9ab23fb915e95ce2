package router

import (
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on the description of a tool that is only named.
const (
	maxNamedWords = 10
	maxNamedAbout = 80 // bytes
	// The lines cost at most 1/namedShare of the tokens that they save, as estimated.
	namedShare    = 10
	bytesPerToken = 4
)

// namesNext returns how many of the tools ranked after the attached ones are to be named
// in the description of mcp_load. Only the first routed message names any, because the
// description must not change afterwards.
func (v *attaching) namesNext(t *Task) int {
	if t.LoadOffered && t.Window > 1 {
		return 0
	}
	return v.Settings.Named
}

// name returns the task with the first n picks that it does not attach named in the
// description of mcp_load, in the order of their names. It names fewer if their lines
// would cost more than a tenth of what they save: the tools in scope that the task does
// not attach; or if they would use up what the request saves, see affordable.
func (v *attaching) name(t Task, picks []pick, n int) Task {
	t.Named = nil
	_, scope := v.scoped(&t)
	room := (scope - t.tokens()) / namedShare * bytesPerToken
	for _, p := range picks {
		tool := &v.Catalog.Tools[p.tool]
		if v.attaches(&t, tool) || slices.ContainsFunc(t.Named, func(n Named) bool { return n.ID == tool.ID }) {
			continue
		}
		named := Named{ID: tool.ID, Name: v.nameIn(&t, tool), About: v.Catalog.whose(tool) + about(v.Catalog.Tools, p.tool)}
		if room -= named.size(); len(t.Named) == n || room < 0 {
			break
		}
		t.Named = append(t.Named, named)
	}
	t.Named = byName(t.Named[:v.affordable(t)])
	return t
}

// byName returns the named tools in the order in which mcp_load names them.
func byName(named []Named) []Named {
	return slices.SortedFunc(slices.Values(named), func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
}

// affordable returns how many of the named tools, best first, the task can name if its
// client hides tools behind groups. Their lines cost at most half of what a request
// without them saves of what the client would send by itself, nothing if that is nothing;
// the rest is left for tools that are loaded.
func (v *attaching) affordable(t Task) int {
	named := t.Named
	if t.Client == nil || len(named) == 0 {
		return len(named)
	}
	t.LoadOffered = true
	cost := func(n int) int {
		t.Named = byName(named[:n])
		return t.tokens() + v.metaTokens(v.MetaTools(&t))
	}
	n, none := len(named), cost(0)
	room := max(0, t.Client.Tokens-none) / 2
	for {
		lines := cost(n) - none
		if lines <= room {
			return n
		}
		n = min(n-1, n*room/lines) // at 0 names the lines cost nothing
	}
}

// nameAnswered returns the task after an answer of mcp_load named tools.
func (v *attaching) nameAnswered(t Task, tools []int) Task {
	for _, i := range tools {
		tool := &v.Catalog.Tools[i]
		if t.nameOf(tool.ID) == "" {
			t.Named = append(slices.Clip(t.Named), Named{
				ID: tool.ID, Name: v.nameIn(&t, tool), About: v.Catalog.whose(tool) + about(v.Catalog.Tools, i), Answered: true,
			})
		}
	}
	return t
}

// about returns at most ten words of a tool's description that say what it is for. They
// are from the first sentence that is not an aside, an order to the model, or repeated by
// the server's neighbouring tools. If all sentences are such, they are from the very
// first.
func about(tools []Tool, tool int) string {
	text := described(&tools[tool])
	sentence := firstSentence(text)
	for rest := text; rest != ""; {
		whole := firstSentence(rest)
		rest = strings.TrimSpace(strings.TrimPrefix(rest, whole))
		first := withoutAside(whole)
		if len(strings.Fields(first)) >= minAbout && !shouts(first) && !isCondition(first) && !isShared(tools, tool, whole) {
			sentence = first
			break
		}
	}
	words := strings.Fields(sentence)
	short := strings.Join(words[:min(len(words), maxNamedWords)], " ")
	return strings.TrimRight(cut(short, maxNamedAbout), ".,:; ")
}

// described returns a tool's description on one line, without a label before it: "Tool
// name: x Description: Does y" becomes "Does y".
func described(tool *Tool) string {
	text := strings.Join(strings.Fields(tool.Text()), " ")
	if named, description, ok := strings.Cut(text, "Description: "); ok && len(named) < maxNamedAbout {
		return description
	}
	return text
}

// isShared reports whether a neighbouring tool of the same server has the same sentence,
// which then describes the server.
func isShared(tools []Tool, tool int, sentence string) bool {
	for _, other := range []int{tool - 1, tool + 1} {
		if other >= 0 && other < len(tools) && tools[other].Server == tools[tool].Server &&
			strings.HasPrefix(described(&tools[other]), sentence) {
			return true
		}
	}
	return false
}

// minAbout is the fewest words of a sentence that says what a tool does with what.
const minAbout = 2

// isOrnament reports whether a character has no meaning at the beginning of a sentence,
// such as a mark of emphasis or a pictogram.
func isOrnament(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("([\"'`/$", r)
}

// withoutAside removes ornaments and a bracketed aside from the beginning of a sentence,
// such as "(Alpha, limited availability)" or "[beta]".
func withoutAside(sentence string) string {
	sentence = strings.TrimLeftFunc(sentence, isOrnament)
	for open, end := range map[string]string{"(": ")", "[": "]"} {
		if strings.HasPrefix(sentence, open) {
			_, rest, _ := strings.Cut(sentence, end)
			return strings.TrimLeftFunc(rest, isOrnament)
		}
	}
	return sentence
}

// isCondition reports whether a sentence says when to use a tool, rather than what for.
func isCondition(sentence string) bool {
	word, _, _ := strings.Cut(sentence, " ")
	return word == "When" || word == "If"
}

// shouts reports whether a sentence is an order to the model: it contains a capitalized
// word such as MUST.
func shouts(sentence string) bool {
	for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "MUST", "ALWAYS", "NEVER", "IMPORTANT", "MANDATORY", "WARNING", "REQUIRED", "CRITICAL", "REJECT", "DEPRECATED", "NOTE", "CAUTION":
			return true
		}
	}
	return false
}

// wireNamed returns the named tools in their wire form.
func wireNamed(named []Named) []protocol.NamedTool {
	var tools []protocol.NamedTool
	for i := range named {
		n := &named[i]
		tools = append(tools, protocol.NamedTool{
			Name: n.Name, Server: n.ID.Server, Tool: n.ID.Tool, About: n.About, Answered: n.Answered,
		})
	}
	return tools
}

// readNamed is the inverse of wireNamed.
func readNamed(tools []protocol.NamedTool) []Named {
	var named []Named
	for _, n := range tools {
		named = append(named, Named{
			ID: ToolID{Server: n.Server, Tool: n.Tool}, Name: n.Name, About: n.About, Answered: n.Answered,
		})
	}
	return named
}
