package chats

import (
	"iter"
	"slices"
	"strings"
)

// Clients put texts of their own around what a person wrote, as elements. These
// lists are all that is known of them.
var (
	// lastElements are those that end a message with what the user wrote: VS
	// Code's agent, that for the Grok family and Cursor, and Ask mode.
	lastElements = []string{"userRequest", "user_query", "prompt"}
	// anyElements hold what the user wrote wherever they stand: Cline with its
	// descendants.
	anyElements = []string{"user_message", "task", "feedback"}
	// lastReminder ends what VS Code's agent says before the user's words.
	lastReminder = "</reminderInstructions>"
	// clientElements are the client's own: the state of the editor, reminders,
	// instructions and memory.
	clientElements = []string{
		"system-reminder", "environment_context", "environment_details", "user_instructions", "context",
		"attachments", "attachment", "reminderInstructions", "editorContext", "workspace_info", "environment_info",
		"ide_selection", "ide_opened_file", "local-command-stdout", "session_context",
		"userMemory", "sessionMemory", "repoMemory",
	}
	// clientTexts begin messages that are the client's as a whole: Codex,
	// Gemini CLI and Qwen Code, and the summaries below.
	clientTexts = []string{"# AGENTS.md instructions", "This is the Gemini CLI. We are setting up the context", "This is the Qwen Code. We are setting up the context"}
	// summaryTexts begin messages that stand for what was said before: Claude
	// Code, Codex, opencode.
	summaryTexts = []string{
		"This session is being continued from a previous conversation",
		"Another language model started to solve this problem", "What did we do so far?",
	}
	// summaryElements hold such a text: VS Code, Gemini CLI and Qwen Code.
	summaryElements = []string{"conversation-summary", "state_snapshot"}
)

// Words returns what a person wrote in a user's message of a client; empty when
// all of it is the client's own.
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

// IsSummary reports whether the text of a user's message says that the client
// has put it in place of messages that were there before.
func IsSummary(text string) bool {
	return begins(text, summaryTexts) || elements(text, summaryElements) != nil
}

func begins(text string, with []string) bool {
	text = strings.TrimSpace(text)
	return slices.ContainsFunc(with, func(prefix string) bool { return strings.HasPrefix(text, prefix) })
}

// lastElement returns the content of the element of the user's that ends a text.
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

// elements returns the contents of elements that have one of the names and no
// attributes, in their order; nil where there are none.
func elements(text string, names []string) []string {
	var all []string
	for e := range each(text, names) {
		if content, ok := strings.CutPrefix(text[e.start:e.stop], "<"+e.name+">"); ok {
			all = append(all, strings.TrimSpace(content))
		}
	}
	return all
}

// without returns a text without the elements of some names. One that does not
// end stays.
func without(text string, names []string) string {
	var kept strings.Builder
	from := 0 // what stands before it is kept, or left out
	for e := range each(text, names) {
		kept.WriteString(text[from:e.start])
		from = e.end
	}
	if from == 0 {
		return text
	}
	return kept.String() + text[from:]
}

// element is where an element stands in a text: its end tag is from stop to end.
type element struct {
	name             string
	start, stop, end int
}

// each yields the outermost elements of some names, from left to right. One that
// does not end is none; its name is not looked for again, so that the time is
// linear in the text.
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

// nameAt returns the name of the element that begins behind a "<"; empty for
// none.
func nameAt(text string) string {
	end := strings.IndexAny(text[:min(len(text), maxName)], "> \t\r\n")
	return text[:max(end, 0)]
}
