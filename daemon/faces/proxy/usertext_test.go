package proxy

import "testing"

func TestUserText(t *testing.T) {
	for name, tt := range map[string]struct{ text, want string }{
		"plain":            {"open the page", "open the page"},
		"comparison":       {"is a < b?", "is a < b?"},
		"VS Code":          {"<context>\nThe date is today.\n</context>\n<userRequest>\nopen the page\n</userRequest>", "open the page"},
		"Claude Code":      {"<system-reminder>Use the todo list.</system-reminder>\nopen the page", "open the page"},
		"Codex":            {"<environment_context>\n<cwd>/x</cwd>\n</environment_context>", ""},
		"Cline":            {"<task>\nopen the page\n</task>\n<environment_details>open tabs: create issue</environment_details>", "open the page"},
		"with attributes":  {`<attachment id="a">issue</attachment>open the page`, "open the page"},
		"unknown elements": {"<div>what is this?</div>", "<div>what is this?</div>"},
	} {
		if got := userText(tt.text); got != tt.want {
			t.Errorf("%s: got %q, want %q", name, got, tt.want)
		}
	}
}
