package router

import (
	"slices"
	"strings"
	"unicode"

	"github.com/winnow-mcp/winnow/protocol"
)

// Bounds on what is said of a tool that is only named.
const (
	maxNamedWords = 10
	maxNamedAbout = 80 // bytes
	// The lines cost at most this part of what they save, by an estimate.
	namedShare    = 10
	bytesPerToken = 4
)

// namesNext returns how many of the tools behind those that a message attaches
// are to be named in the description of mcp_load: those of the first message
// that is routed, as the description says the same from then on.
func (v *attaching) namesNext(t *Task) int {
	if t.LoadOffered && t.Window > 1 {
		return 0
	}
	return v.Settings.Named
}

// name returns the task with the first n of the picks that it does not attach
// named in the description of mcp_load, in the order of their names. Those are
// fewer where their lines would cost more than a tenth of what they save: of the
// tools in scope that the task does not attach.
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
	slices.SortFunc(t.Named, func(a, b Named) int { return strings.Compare(a.Name, b.Name) })
	return t
}

// nameAnswered returns the task after an answer of mcp_load has named tools.
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

// about returns the first words of what the description of one of the tools says it
// is for: at most ten of its first sentence that is neither an aside, nor an
// order to the model, nor what its server says of the tools beside it too; of the very
// first, where all are.
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

// described is the description of a tool on one line, without what it names before:
// "Tool name: x Description: Does y" does y.
func described(tool *Tool) string {
	text := strings.Join(strings.Fields(tool.Text()), " ")
	if named, description, ok := strings.Cut(text, "Description: "); ok && len(named) < maxNamedAbout {
		return description
	}
	return text
}

// isShared reports whether a tool beside this one of its server says the same
// sentence: it is about the server then.
func isShared(tools []Tool, tool int, sentence string) bool {
	for _, other := range []int{tool - 1, tool + 1} {
		if other >= 0 && other < len(tools) && tools[other].Server == tools[tool].Server &&
			strings.HasPrefix(described(&tools[other]), sentence) {
			return true
		}
	}
	return false
}

// minAbout is how many words a sentence has at least that says what is done with
// what.
const minAbout = 2

// isOrnament reports whether a character says nothing at the beginning of a
// sentence: a mark of emphasis, a pictogram.
func isOrnament(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("([\"'`/$", r)
}

// withoutAside drops what stands before a sentence: ornaments, and what is in
// brackets, such as "(Alpha, limited availability)" or "[beta]".
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

// isCondition reports whether a sentence says when to use a tool, and not for what.
func isCondition(sentence string) bool {
	word, _, _ := strings.Cut(sentence, " ")
	return word == "When" || word == "If"
}

// shouts reports whether a sentence orders the model about: it has a word in
// capitals by which one does.
func shouts(sentence string) bool {
	for word := range strings.FieldsFuncSeq(sentence, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch word {
		case "MUST", "ALWAYS", "NEVER", "IMPORTANT", "MANDATORY", "WARNING", "REQUIRED", "CRITICAL", "REJECT", "DEPRECATED", "NOTE", "CAUTION":
			return true
		}
	}
	return false
}

// wireNamed returns the named tools as they are sent.
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
