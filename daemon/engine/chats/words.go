package chats

import (
	"iter"
	"slices"
	"strings"
)

// Clients wrap texts of their own around the user's words, as elements. All that is known
// of them is in these lists.
var (
	// lastElements end a message with the user's words: VS Code's agent, its variant for
	// the Grok family and Cursor, and Ask mode.
	lastElements = []string{"userRequest", "user_query", "prompt"}
	// anyElements contain the user's words anywhere: Cline and its forks.
	anyElements = []string{"user_message", "task", "feedback"}
	// lastReminder ends what VS Code's agent writes before the user's words.
	lastReminder = "</reminderInstructions>"
	// clientElements are the client's own: editor state, reminders, instructions and
	// memory.
	clientElements = []string{
		"system-reminder", "environment_context", "environment_details", "user_instructions", "context",
		"attachments", "attachment", "reminderInstructions", "editorContext", "workspace_info", "environment_info",
		"ide_selection", "ide_opened_file", "local-command-stdout", "session_context",
		"userMemory", "sessionMemory", "repoMemory",
	}
	// clientTexts start messages that are entirely the client's: Codex, Gemini CLI and
	// Qwen Code.
	clientTexts = []string{"# AGENTS.md instructions", "This is the Gemini CLI. We are setting up the context", "This is the Qwen Code. We are setting up the context"}
	// summaryTexts start summaries of earlier messages: Claude Code, Codex, opencode.
	summaryTexts = []string{
		"This session is being continued from a previous conversation",
		"Another language model started to solve this problem", "What did we do so far?",
	}
	// summaryElements contain such a summary: VS Code, Gemini CLI and Qwen Code.
	summaryElements = []string{"conversation-summary", "state_snapshot"}
)

// Words returns what a person wrote in a user's message, or "" if all of it is the
// client's.
func Words(text string) string {
	if begins(text, clientTexts) || begins(text, summaryTexts) {
		return ""
	}
	if !strings.Contains(text, "<") {
		return strings.TrimSpace(text)
	}
	tail := text
	if i := strings.LastIndex(text, lastReminder); i >= 0 {
		tail = text[i+len(lastReminder):]
	}
	for _, in := range []string{tail, text} {
		if words, ok := lastElement(in); ok {
			return words
		}
	}
	if words := elements(text, anyElements); words != nil {
		return strings.Join(words, "\n")
	}
	return strings.TrimSpace(without(without(tail, clientElements), summaryElements))
}

// IsSummary reports whether the text of a user's message is a client's summary that
// replaces earlier messages.
func IsSummary(text string) bool {
	return begins(text, summaryTexts) || elements(text, summaryElements) != nil
}

func begins(text string, with []string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// lastElement returns the content of the user's element that ends a text.
func lastElement(text string) (content string, ok bool) {
	text = strings.TrimSpace(text)
	for _, name := range lastElements {
		inner, ok := strings.CutSuffix(text, "</"+name+">")
		if !ok {
			continue
		}
		if _, content, ok := strings.Cut(inner, "<"+name+">"); ok {
			return strings.TrimSpace(content), true
		}
	}
	return "", false
}

// elements returns the contents of the elements with one of the names and no attributes,
// in their order, or nil if there are none.
func elements(text string, names []string) []string {
	var all []string
	for e := range each(text, names) {
		if content, ok := strings.CutPrefix(text[e.start:e.stop], "<"+e.name+">"); ok {
			all = append(all, strings.TrimSpace(content))
		}
	}
	return all
}

// without returns a text without the elements of some names. Unclosed elements stay.
func without(text string, names []string) string {
	var kept strings.Builder
	from := 0 // what precedes it is kept or removed already
	for e := range each(text, names) {
		kept.WriteString(text[from:e.start])
		from = e.end
	}
	if from == 0 {
		return text
	}
	return kept.String() + text[from:]
}

// element is the position of an element in a text; its end tag spans stop to end.
type element struct {
	name             string
	start, stop, end int
}

// each yields the outermost elements of some names, in order. An unclosed element is
// skipped and its name is not searched again, so that the time is linear in the text.
func each(text string, names []string) iter.Seq[element] {
	return func(yield func(element) bool) {
		unclosed := map[string]bool{}
		for at := 0; ; at++ {
			next := strings.IndexByte(text[at:], '<')
			if next < 0 {
				return
			}
			at += next
			name := nameAt(text[at+1:])
			if !slices.Contains(names, name) || unclosed[name] {
				continue
			}
			end := "</" + name + ">"
			stop := strings.Index(text[at:], end)
			if stop < 0 {
				unclosed[name] = true
				continue
			}
			e := element{name, at, at + stop, at + stop + len(end)}
			if !yield(e) {
				return
			}
			at = e.end - 1
		}
	}
}

// maxName bounds the name of an element of [clientElements].
const maxName = 24

// nameAt returns the name of the element that starts after a "<", or "".
func nameAt(text string) string {
	end := strings.IndexAny(text[:min(len(text), maxName)], "> \t\r\n")
	return text[:max(end, 0)]
}
