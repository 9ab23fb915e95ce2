package wire

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/upstream/clean"
	"github.com/winnow-mcp/winnow/daemon/upstream/fault"
)

// TestLastWords: what servers print before they end, as those of the npm registry
// word it.
func TestLastWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ printed, line, missing string }{
		{"", "", ""},
		{"starting\nno database", "no database", ""},
		{"Error: BRAVE_API_KEY environment variable is required", "", "BRAVE_API_KEY"},
		{"GITHUB_PERSONAL_ACCESS_TOKEN environment variable not set", "", "GITHUB_PERSONAL_ACCESS_TOKEN"},
		{"Please set SLACK_BOT_TOKEN and SLACK_TEAM_ID environment variables", "", "SLACK_BOT_TOKEN"},
		{"Missing required environment variable: GITHUB_TOKEN", "", "GITHUB_TOKEN"},
		{"Error: Either FIRECRAWL_API_KEY or FIRECRAWL_API_URL must be provided", "", "FIRECRAWL_API_KEY"},
		{"KeyError: 'NOTION_TOKEN'", "KeyError: 'NOTION_TOKEN'", ""},
		{
			"file:///srv/index.js:10\n    throw new Error(\"no key\");\n\nError: no key\n    at file:///srv/index.js:10:9\n\nNode.js v22.1.0",
			"Error: no key", "",
		},
		{
			"Error: API_KEY is not set\n    at file:///srv/index.js:10:9\n\nNode.js v22.1.0",
			"Error: API_KEY is not set", "API_KEY",
		},
		{"Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'\n  code: 'ERR_MODULE_NOT_FOUND'\n}", "Error [ERR_MODULE_NOT_FOUND]: Cannot find package 'zod'", ""},
	} {
		line, missing := lastWords(strings.Split(c.printed, "\n"))
		if c.line == "" {
			c.line = c.printed
		}
		if line != c.line || missing != c.missing {
			t.Errorf("%q: %q, missing %q; want %q, missing %q", c.printed, line, missing, c.line, c.missing)
		}
	}
}

// TestDeathError: the cause comes first, and a variable that is missing before all.
func TestDeathError(t *testing.T) {
	t.Parallel()
	redact := &clean.Redactor{}
	redact.Add("hunter2")
	ended := errors.New("it exited: exit status 1")
	for printed, want := range map[string]string{
		"":                                  "it exited: exit status 1",
		"no database":                       "no database (printed before it exited: exit status 1)",
		"no user hunter2":                   "no user [redacted] (printed before it exited: exit status 1)",
		"Error: GITHUB_TOKEN is not set":    "GITHUB_TOKEN is missing: Error: GITHUB_TOKEN is not set (printed before it exited: exit status 1)",
		"GITHUB_TOKEN is missing":           "GITHUB_TOKEN is missing (printed before it exited: exit status 1)",
		"Error: GITHUB_TOKEN is missing.":   "GITHUB_TOKEN is missing (printed before it exited: exit status 1)",
		"No MY_GITHUB_TOKEN is missing":     "MY_GITHUB_TOKEN is missing (printed before it exited: exit status 1)",
		strings.Repeat("x", 2*longestWords): strings.Repeat("x", longestWords) + " (printed before it exited: exit status 1)",
	} {
		r := &clean.Ring{}
		r.WriteLine(clean.OurPrefix, []byte(clean.StartLine+" (attempt 1)"))
		if _, err := io.WriteString(r, printed); err != nil {
			t.Fatal(err)
		}
		err := deathError(ended, r, redact)
		if err.Error() != want {
			t.Errorf("%q: %q, want %q", printed, err, want)
		}
		if !errors.As(err, new(*exitedError)) {
			t.Errorf("%q: %T is no end of a child", printed, err)
		}
		var known *fault.Failure
		if named := strings.Contains(want, "GITHUB_TOKEN"); errors.As(err, &known) != named || named && !strings.Contains(known.Next, `GITHUB_TOKEN a value under "env"`) {
			t.Errorf("%q: next step %+v", printed, known)
		}
	}
}
