package chats

import (
	"fmt"
	"strings"
	"testing"
)

func TestWords(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"plain":             {"open the page", "open the page"},
		"comparison":        {"is a < b?", "is a < b?"},
		"VS Code":           {"<context>\nThe date is today.\n</context>\n<userRequest>\nopen the page\n</userRequest>", "open the page"},
		"Claude Code":       {"<system-reminder>Use the todo list.</system-reminder>\nopen the page", "open the page"},
		"Codex":             {"<environment_context>\n<cwd>/x</cwd>\n</environment_context>", ""},
		"Cline":             {"<task>\nopen the page\n</task>\n<environment_details>open tabs: create issue</environment_details>", "open the page"},
		"with attributes":   {`<attachment id="a">issue</attachment>open the page`, "open the page"},
		"Ask mode":          {"<attachments>a <userRequest> of old</attachments>\n<prompt>\nopen the page\n</prompt>\n", "open the page"},
		"Cursor":            {"<user_query>\nopen the page\n</user_query>", "open the page"},
		"a prompt in words": {"what does <prompt>x</prompt> mean here", "what does <prompt>x</prompt> mean here"},
		"elements in words": {"<userRequest>why is <context>this</context> here?</userRequest>", "why is <context>this</context> here?"},
		"a reminder before": {"<reminderInstructions>be <userRequest> brief</reminderInstructions>\nopen the page", "open the page"},
		"VS Code's memory":  {"<userMemory>likes tea</userMemory><repoMemory>x</repoMemory>open the page", "open the page"},
		"VS Code's summary": {"<conversation-summary>we opened pages</conversation-summary>", ""},
		"Claude's summary":  {"This session is being continued from a previous conversation that ran out of context.\nIt was about pages.", ""},
		"Gemini CLI":        {"This is the Gemini CLI. We are setting up the context for our chat.\nToday's date is Monday.", ""},
		"several answers":   {"<feedback>one</feedback>\n<feedback>two</feedback>", "one\ntwo"},
		"unknown elements":  {"<div>what is this?</div>", "<div>what is this?</div>"},
	} {
		if got := Words(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}

// What a client puts in place of what was said is told from words.
func TestIsSummary(t *testing.T) {
	for text, want := range map[string]bool{
		"<conversation-summary>x</conversation-summary>\n<userRequest>go on</userRequest>":      true,
		"<state_snapshot><overall_goal>x</overall_goal></state_snapshot>":                       true,
		"This session is being continued from a previous conversation that ran out of context.": true,
		"Another language model started to solve this problem and produced a summary.":          true,
		"What did we do so far?":                           true,
		"what did we do so far about the page?":            false,
		"explain <state_snapshot> to me":                   false,
		"why does it say: This session is being continued": false,
	} {
		if got := IsSummary(text); got != want {
			t.Errorf("%q: got %v, want %v", text, got, want)
		}
	}
}

// BenchmarkWords_unclosed measures elements that are opened often and never closed:
// the time for a byte has to be the same for each size.
//
//	go test ./daemon/engine/chats -run '^$' -bench Words
func BenchmarkWords_unclosed(b *testing.B) {
	for _, kibibytes := range []int{64, 256, 1024} {
		b.Run(fmt.Sprintf("%dKiB", kibibytes), func(b *testing.B) {
			text := strings.Repeat("<context><task>", kibibytes<<10/15)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				Words(text)
			}
		})
	}
}
