package ranker_test

import (
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
)

func TestCorpus_Wants(t *testing.T) {
	t.Parallel()
	corpus := ranker.NewCorpus([]ranker.Document{
		{ID: "debugger/continue", Server: "debugger", Name: "continue"},
		{ID: "sentry/explain_issue", Server: "sentry", Name: "explain_issue"},
		{ID: "redis/get", Server: "redis", Name: "get", Parameters: []ranker.Parameter{{Name: "key", Required: true}}},
		{ID: "redis/set", Server: "redis", Name: "set", Parameters: []ranker.Parameter{{Name: "key", Required: true}}},
		{ID: "google-maps-mcp/carry_on", Server: "google-maps-mcp", Name: "carry_on"},
	}, nil)
	tests := map[ranker.Wants][]string{
		ranker.WantsNothing: {
			"get it going", "and now?", "where were we", "hi", "thanks, that did it", "ok let's do the next one", "und jetzt?", "", "…",
		},
		ranker.WantsWords: {
			"explain the difference between a thread and a process", "what does this code do", "regex for a phone number",
			"give me a better name for this variable", "what is the difference between maps and google", "was bedeutet der Unterschied zwischen let und const?",
			"rewrite this sentence so it sounds friendlier",
		},
		ranker.WantsTools: {
			"continue", "then continue please", // the name of a tool
			"carry on", "carry_on please", // the name of a tool, of several words
			"what does sentry mean with this difference",        // the name of a server
			"what does google maps mean with this difference",   // of several words
			"explain the difference between main.go and old.go", // files
			"create an issue", "stick the todo list into a file", "who touched this line last",
		},
	}
	for want, messages := range tests {
		for _, message := range messages {
			if got := corpus.Wants(message); got != want {
				t.Errorf("Wants(%q) = %v, want %v", message, got, want)
			}
		}
	}
}
