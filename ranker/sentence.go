package ranker

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

const (
	// minSaid is the least share of a score at which a part is mentioned.
	minSaid = 0.12
	// maxSaid is the most reasons in a sentence, and maxSaidWords the most words in one.
	maxSaid, maxSaidWords = 3, 4
)

// Sentence explains the parts of a score without figures: what matched in the message
// first, then the highest parts. It is empty if there is nothing to say.
//
//	Its name has “file” and, in other words, “write”; often asked as “save this
//	text as notes.md”; its description says something close.
func Sentence(parts []Part) string {
	reasons := reasonsOf(parts)
	slices.SortStableFunc(reasons, func(a, b reason) int {
		return cmp.Or(cmp.Compare(matched(b), matched(a)), cmp.Compare(b.value, a.value))
	})
	// A part without text, such as a phrasing that is not near, hides no other.
	total, unsaid := 0.0, false
	for _, r := range reasons {
		if r.text != "" {
			total += max(0, r.value)
		} else if r.value > 0 && !r.words {
			unsaid = true
		}
	}
	var clauses []string
	for _, r := range reasons {
		if len(clauses) < maxSaid && r.text != "" && (r.value >= minSaid*total || r.value < -minSaid*total) {
			clauses = append(clauses, r.text)
		}
	}
	switch {
	case len(clauses) == 0 && !unsaid:
		return ""
	case len(clauses) == 0, len(clauses) == 1 && clauses[0] == signals.CloseMeaning:
		return "None of its words is in your message; it was the nearest of what was left."
	}
	text := strings.Join(clauses, "; ")
	if word, _, _ := strings.Cut(text, " "); !strings.ContainsAny(word, "_-.") {
		text = strings.ToUpper(text[:1]) + text[1:] // no name of a tool
	}
	return text + "."
}

// reason is one clause of a sentence, and its value. words reports that it says what
// matched in the message.
type reason struct {
	value float64
	text  string
	words bool
}

// matched orders what matched in the message before the rest.
func matched(r reason) int {
	if r.words {
		return 1
	}
	return 0
}

// reasonsOf returns the text of the parts. The words of all fields are one reason.
func reasonsOf(parts []Part) []reason {
	var reasons []reason
	words := wordReason{}
	for _, p := range parts {
		switch p.Name {
		case fieldServer.String(), fieldName.String(), fieldTitle.String(), fieldDescription.String(),
			fieldParameter.String(), fieldParameterText.String():
			words.add(p)
		case signals.Name.Name:
			words.value += p.Value
		default:
			reasons = append(reasons, reason{value: p.Value, text: partClause(p)})
		}
	}
	if words.value == 0 {
		return reasons
	}
	return append([]reason{{value: words.value, text: words.text(), words: true}}, reasons...)
}

// partClause returns the text of a part that is not a field's.
func partClause(p Part) string {
	switch p.Name {
	case fieldPhrasing.String():
		if p.Said == "" {
			return "" // none is near
		}
		return "often asked as “" + p.Said + "”" + ofTool(p.Tool)
	case otherLanguagePart:
		meanings := make([]string, 0, maxSaidWords)
		for _, word := range p.Words[:min(len(p.Words), maxSaidWords)] {
			meanings = append(meanings, word.Text+" means "+word.Means)
		}
		return "of your words, " + listed(meanings)
	case copyPart:
		return "it counts less because another server has it too"
	}
	return signals.Sentence(&p)
}

// ofTool names the tool of a phrasing, if it is another one.
func ofTool(tool string) string {
	if tool == "" {
		return ""
	}
	return ", of " + tool
}

// wordReason collects the matched words of the fields of a tool.
type wordReason struct {
	value          float64
	fields         []string
	written, other []string // as in the message; in other words
}

func (r *wordReason) add(p Part) {
	r.value += p.Value
	r.fields = append(r.fields, map[string]string{
		fieldServer.String(): "server", fieldName.String(): "name", fieldTitle.String(): "title",
		fieldDescription.String(): "description", fieldParameter.String(): "parameters", fieldParameterText.String(): "parameters",
	}[p.Name])
	for _, word := range p.Words {
		to := &r.written
		switch word.Implied {
		case "", impliedByPasted:
		case impliedByBest:
			continue // shared names of the best tools, not words of the message
		default:
			to = &r.other
		}
		if quoted := "“" + word.Text + "”"; !slices.Contains(*to, quoted) {
			*to = append(*to, quoted)
		}
	}
}

func (r *wordReason) text() string {
	var fields []string
	for _, f := range []string{"name", "title", "description", "parameters", "server"} {
		if slices.Contains(r.fields, f) {
			fields = append(fields, f)
		}
	}
	written, other := firstOf(r.written), firstOf(r.other)
	verb := " has "
	if len(fields) != 1 || fields[0] == "parameters" {
		verb = " have "
	}
	switch text := "its " + listed(fields) + verb; {
	case len(written)+len(other) == 0:
		return ""
	case len(written) == 0:
		return text + listed(other) + ", in other words what you say"
	case len(other) == 0:
		return text + listed(written)
	default:
		return text + listed(written) + " and, in other words, " + listed(other)
	}
}

func firstOf(words []string) []string { return words[:min(len(words), maxSaidWords)] }

// listed puts words into a list: "a", "a and b", "a, b and c".
func listed(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " and " + words[last]
}
