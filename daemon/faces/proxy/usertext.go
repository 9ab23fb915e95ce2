package proxy

import (
	"regexp"
	"strings"
)

// userElements are the elements in which clients put what a person wrote, when they
// put something of their own around it: VS Code, Cursor, and Cline with its
// descendants.
var userElements = regexp.MustCompile(`(?s)<(?:userRequest|user_query|user_message|task|feedback)>(.*?)</(?:userRequest|user_query|user_message|task|feedback)>`)

// clientElements are elements that clients add to what a person wrote: the state of the
// editor, reminders and instructions. They would be ranked by otherwise.
var clientElements = func() []*regexp.Regexp {
	names := []string{
		"system-reminder", "environment_context", "environment_details", "user_instructions", "context",
		"attachments", "attachment", "reminderInstructions", "editorContext", "workspace_info", "environment_info",
		"ide_selection", "ide_opened_file", "local-command-stdout", "session_context",
	}
	all := make([]*regexp.Regexp, len(names))
	for i, name := range names {
		all[i] = regexp.MustCompile(`(?s)<` + name + `(?:\s[^>]*)?>.*?</` + name + `>`)
	}
	return all
}()

// userText returns what a person wrote in a message of a client; empty when all
// of it is the client's own.
func userText(text string) string {
	if !strings.Contains(text, "<") {
		return text
	}
	if found := userElements.FindAllStringSubmatch(text, -1); found != nil {
		parts := make([]string, len(found))
		for i, f := range found {
			parts[i] = strings.TrimSpace(f[1])
		}
		return strings.Join(parts, "\n")
	}
	for _, element := range clientElements {
		text = element.ReplaceAllString(text, "")
	}
	return strings.TrimSpace(text)
}
