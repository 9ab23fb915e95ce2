package ranker

import (
	"strings"
	"testing"
)

const (
	testTrace = "TypeError: Cannot read properties of undefined (reading 'currency')\n" +
		"    at formatAmount (/srv/app/dist/lib/money.js:31:22)\n" +
		"    at Array.map (<anonymous>)\n" +
		"    at renderInvoice (/srv/app/dist/routes/invoices.js:112:30)\n" +
		"    at process.processTicksAndRejections (node:internal/process/task_queues:95:5)\n" +
		"    at async handle (/srv/app/dist/server.js:48:12) request=9b1f tenant=north node=v22.11.0\n"
	testMail = "From: Ann <ann@example.com>\nSubject: the room\n\nHi team,\n" +
		"could you tell me whether the room is free on Friday? We need the big one, since twelve people come, and the\n" +
		"screen has to work this time. The last time we sat there for half an hour and nobody knew how to turn it on.\n" +
		"There was a cable missing as well, so please ask the desk to put one there before we come.\n" +
		"Also, is there coffee? Best, Ann\n"
)

func TestSplitPasted(t *testing.T) {
	t.Parallel()
	csv := strings.Repeat("2026-11-04,Hamburg,135,5436.48,5,\n", 20)
	notes := strings.Repeat("The certificate of the payments proxy ran out, and the alert went to a channel that was archived.\n", 4)
	for _, test := range []struct{ name, message, want string }{
		{"request before a trace", "file a bug for this\n\n" + testTrace, "file a bug for this"},
		{"request behind a trace", testTrace + "\nhow often did that happen since yesterday", "how often did that happen since yesterday"},
		{"behind, without an empty line", "add these rows\n" + csv + "then make the date column bold please", "add these rows then make the date column bold please"},
		{"both sides", "run this\n\n" + testTrace + "\nand tell me what it says", "run this and tell me what it says"},
		{"request before a mail", "say yes to this\n\n" + testMail, "say yes to this"},
		{"request behind a mail", testMail + "\n--\nanswer that it is free", "answer that it is free"},
		{"notes that the request points at", "post the text below\n\n" + notes, "post the text below"},
		{"JSON", `{"app":"cart","status":{"message":"Deployment of the cart exceeded its deadline and was stopped"},"more":"` +
			strings.Repeat("x", 300) + "\"}\n\napply it again", "apply it again"},
		{"compiler output", strings.Repeat("src/main.go:14:2: the package is imported and not used here\n", 8) + "\nwhat is still broken?", "what is still broken?"},
		{"a line of a form behind a trace", "file a bug for this\n\n" + testTrace + "\nEnvironment: staging with cookies allowed\nRunbook: none", "file a bug for this"},
		{"a further item", "write these down as comments\n\nTest: the cart\n" + csv + "\n6. The mail arrives in the language of the shop", "write these down as comments"},
		{"a quotation", "put this on that line\n\n" + testTrace + "\n\"On error we should return, not continue.\"", "put this on that line"},
		{"a request with a label", "this came in\n\n" + testTrace + "\nQuestion: what did the logs say?", "this came in Question: what did the logs say?"},
		{"a program's complaint", "xcodebuild: error: Failed to build project Shop with scheme Shop.\n" + testTrace + "\ncompile again for the phone", "compile again for the phone"},
		{"Japanese", "この内容を登録してください。\n\n" + testTrace, "この内容を登録してください。"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			request, context := splitPasted(test.message)
			if got := strings.Join(strings.Fields(request), " "); got != test.want {
				t.Errorf("request %q, want %q", got, test.want)
			}
			if len(context) < minContext {
				t.Errorf("context %q, want what was pasted", context)
			}
		})
	}
}

func TestSplitPasted_AllIsRequest(t *testing.T) {
	t.Parallel()
	paragraph := "Book a table for the team at the place by the river, eight people, on Friday at seven in the evening."
	for name, message := range map[string]string{
		"empty":       "",
		"short":       "file a bug for this\n\nTypeError: x",
		"one line":    strings.Repeat(paragraph+" ", 10),
		"all trace":   testTrace + testTrace,
		"paragraphs":  strings.Repeat(paragraph+"\n\n", 6),
		"goes on":     "What is new in this?\n\n" + paragraph + " Can you?\n\n" + strings.Repeat(paragraph, 3) + "\n\nThen pay.",
		"empty lines": strings.Repeat("\n", 2_000),
	} {
		if request, context := splitPasted(message); request != message || context != "" {
			t.Errorf("%s: request %q, context %q; want all of it as the request", name, request, context)
		}
	}
}

// A log names many things; what the person asks for comes first all the same.
func TestRank_PastedTextIsNoRequest(t *testing.T) {
	t.Parallel()
	c := NewCorpus(office(t), nil, WithEmbedder(testConcepts))
	log := strings.Repeat("2026-11-21 04:00:00 ERROR query failed: delete file, merge document, read contents of file\n", 30)
	for _, message := range []string{"create an issue for the team\n\n" + log, log + "\ncreate an issue for the team"} {
		if got := ids(c, c.Ranker(Auto).Rank(Query{Text: message, Limit: 1})); got != "jira.createIssue" {
			t.Errorf("%.40q finds %q first, want jira.createIssue", message, got)
		}
	}
}

// What a paste mentions is evidence: of two that fit the request, that of the
// product in the log comes first.
func TestRank_PastedTextIsEvidence(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "sentry.search: Search errors", "bugsnag.search: Search errors"), nil)
	for server, other := range map[string]string{"sentry": "bugsnag", "bugsnag": "sentry"} {
		message := "search for errors like these\n\n" + strings.Repeat("\tat report("+server+".js:11:2)\n", 20)
		found := c.Ranker(Auto).Rank(Query{Text: message, Explain: true})
		if len(found) == 0 || c.Document(found[0].Doc).Server != server {
			t.Errorf("a log of %s finds %s first, want %s", server, other, server)
		}
		for _, m := range found {
			if got := sumOfParts(m.Parts); got != m.Score {
				t.Errorf("parts add up to %v, score is %v", got, m.Score)
			}
		}
	}
}
