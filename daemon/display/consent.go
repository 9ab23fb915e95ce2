package display

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
	"github.com/winnow-mcp/winnow/protocol"
)

// maxStart is the most characters of a start in a message.
const maxStart = 120

// Consent returns the next question about what servers start. shorten returns a file's
// display name.
func Consent(p *protocol.ConsentPromptParams, questions []protocol.ConsentQuestion, shorten func(file string) string) protocol.ConsentPromptResult {
	group := nextQuestions(p, questions)
	if len(group) == 0 {
		return protocol.ConsentPromptResult{}
	}
	read := printable(group)
	prompt := protocol.ConsentPrompt{Text: consentText(read, shorten), Show: "Show File"}
	for _, q := range group {
		prompt.Asked = append(prompt.Asked, questionID(&q))
		prompt.Answers = append(prompt.Answers, protocol.ServerConsentParams{File: q.File, Server: q.Server, Hash: q.Hash})
		prompt.Files = append(prompt.Files, q.File)
	}
	if len(read) > 1 {
		for i := range read {
			prompt.Choices = append(prompt.Choices, protocol.ConsentChoice{
				Label: read[i].Server, Description: shorten(read[i].File), Detail: strings.Join(choiceDetail(&read[i]), "; "),
			})
		}
		prompt.Choose = fmt.Sprintf("Choose from %d servers those that may run", len(read))
	}
	prompt.Files = distinct(prompt.Files)
	switch first := &read[0]; {
	case first.Changed:
		prompt.Show, prompt.Changes = "Show Changes", consentChanges(first)
	case len(prompt.Files) > 1:
		prompt.Show = "Show Files"
	}
	return protocol.ConsentPromptResult{Prompt: &prompt}
}

// printable returns questions with bidirectional controls and line ends escaped, so that
// a command looks like what it is.
func printable(group []protocol.ConsentQuestion) []protocol.ConsentQuestion {
	read := slices.Clone(group)
	for i := range read {
		q := &read[i]
		q.Server, q.Starts = hiddentext.PrintableLine(q.Server), hiddentext.PrintableLine(q.Starts)
		q.Parts, q.Rules, q.Changes = printableParts(q.Parts), printableParts(q.Rules), slices.Clone(q.Changes)
		for j := range q.Changes {
			change := &q.Changes[j]
			change.Key = hiddentext.PrintableLine(change.Key)
			change.Before, change.After = hiddentext.PrintableLine(change.Before), hiddentext.PrintableLine(change.After)
		}
	}
	return read
}

func printableParts(parts []protocol.ConsentPart) []protocol.ConsentPart {
	parts = slices.Clone(parts)
	for i := range parts {
		parts[i].Key, parts[i].Text = hiddentext.PrintableLine(parts[i].Key), hiddentext.PrintableLine(parts[i].Text)
	}
	return parts
}

// nextQuestions returns the questions to ask together: all new servers, or a single one
// that has changed or whose rules alone are in question.
func nextQuestions(p *protocol.ConsentPromptParams, questions []protocol.ConsentQuestion) []protocol.ConsentQuestion {
	var found, added, single []protocol.ConsentQuestion
	for _, q := range questions {
		switch {
		case p.Server != "":
			if q.Server == p.Server && q.File == p.File {
				return []protocol.ConsentQuestion{q}
			}
		case q.Declined || slices.Contains(p.Asked, questionID(&q)):
		case q.Changed, q.OnlyRules:
			single = append(single, q)
		case q.OwnFile:
			added = append(added, q)
		default:
			found = append(found, q)
		}
	}
	switch {
	case len(found) > 0:
		return found
	case len(added) > 0:
		return added
	default:
		return single[:min(1, len(single))]
	}
}

// questionID identifies a question, so that it is asked once. Another start of the server
// is another question.
func questionID(q *protocol.ConsentQuestion) string {
	id, _ := json.Marshal([]string{q.File, q.Server, q.Hash})
	return string(id)
}

func consentText(group []protocol.ConsentQuestion, shorten func(string) string) string {
	first := &group[0]
	switch {
	case first.OnlyRules:
		return rulesText(first, shorten)
	case first.Changed:
		return changedText(first, shorten) + insteadText(group) + " May Winnow run it as it is now?"
	}
	var names, files []string
	starts, before, servers, them := "", "", fmt.Sprintf("%d MCP servers", len(group)), "them"
	for _, q := range group {
		names, files = append(names, q.Server), append(files, shorten(q.File))
		if q.AllowedByFile {
			before = " You have allowed this file before; Winnow now asks about each server, and again when one changes."
		}
	}
	if len(group) == 1 {
		starts, servers, them = " It starts: "+first.Starts+".", "an MCP server", "it"
		if rules := listedRules(first.Rules); rules != "" {
			starts += " Its rules: " + rules + "."
		}
	}
	text := "Winnow found %s (%s) in %s, which another client may run too."
	if first.OwnFile {
		text = "Since you trusted this workspace, %s (%s) came into %s."
	}
	return fmt.Sprintf(text, servers, few(names), few(distinct(files))) + starts + insteadText(group) + before + " May Winnow run " + them + "?"
}

// rulesText asks about the rules of an entry, and shows each.
func rulesText(q *protocol.ConsentQuestion, shorten func(string) string) string {
	verb := "has rules for"
	if q.Changed {
		verb = "has other rules than you allowed for"
	}
	return fmt.Sprintf("%s %s the MCP server %s: %s. Until you agree, your own rules hold. May these count?",
		shorten(q.File), verb, q.Server, listedRules(q.Rules))
}

// listedRules shows each rule. It cuts long texts of a rule, but never the list.
func listedRules(rules []protocol.ConsentPart) string {
	said := make([]string, len(rules))
	for i, part := range rules {
		said[i] = part.Key + " " + excerpt(part.Text, maxStart)
	}
	return strings.Join(said, "; ")
}

// choiceDetail shows what one of several servers starts, and its rules.
func choiceDetail(q *protocol.ConsentQuestion) []string {
	detail := []string{q.Starts}
	if q.Instead {
		detail = append(detail, "instead of your other server of that name")
	}
	if rules := listedRules(q.Rules); rules != "" {
		detail = append(detail, rules)
	}
	return detail
}

// changedText describes the changes, the first of several in full.
func changedText(q *protocol.ConsentQuestion, shorten func(string) string) string {
	what := ""
	if len(q.Changes) > 0 {
		first := q.Changes[0]
		what = ": " + first.Key + " " + howChanged(first.Before, first.After)
	}
	if more := len(q.Changes) - 1; more > 0 {
		what += fmt.Sprintf(", and %d more", more)
	}
	return fmt.Sprintf("The MCP server %s in %s is not what you allowed%s.", q.Server, shorten(q.File), what)
}

func howChanged(before, after string) string {
	switch {
	case before == after:
		return "has another value"
	case before == "":
		return "is new, " + excerpt(after, maxStart)
	case after == "":
		return "is gone, it was " + excerpt(before, maxStart)
	default:
		return "is " + excerpt(after, maxStart) + ", it was " + excerpt(before, maxStart)
	}
}

func insteadText(group []protocol.ConsentQuestion) string {
	var names []string
	for _, q := range group {
		if q.Instead {
			names = append(names, q.Server)
		}
	}
	if len(names) == 0 {
		return ""
	}
	if len(names) > 1 {
		return " They would run instead of your other servers of those names (" + few(names) + ")."
	}
	return " It would run instead of your other server of that name (" + few(names) + ")."
}

// consentChanges shows what was allowed beside what would start now.
func consentChanges(q *protocol.ConsentQuestion) *protocol.ConsentChanges {
	before, after := slices.Clone(q.Parts), q.Parts
	for _, change := range q.Changes {
		was := protocol.ConsentPart{Key: change.Key, Text: change.Before}
		if change.Before == change.After { // hidden, or shown only by size
			was.Text += " (another value)"
		}
		at := slices.IndexFunc(before, func(part protocol.ConsentPart) bool { return part.Key == change.Key })
		switch {
		case at < 0:
			before = append(before, was)
		case change.Before == "":
			before = slices.Delete(before, at, at+1)
		default:
			before[at] = was
		}
	}
	return &protocol.ConsentChanges{
		Title:  q.Server + ": what you allowed ↔ what would start",
		Before: partsText(before), After: partsText(after),
	}
}

func partsText(parts []protocol.ConsentPart) string {
	var text strings.Builder
	for _, part := range parts {
		fmt.Fprintf(&text, "%s: %s\n", part.Key, part.Text)
	}
	return text.String()
}

// few lists up to four names; of more, it counts the rest.
func few(names []string) string {
	if len(names) <= 4 {
		return listed(names, len(names))
	}
	return listed(names, 3)
}
