package ranker

import (
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/ranker/internal/text"
)

// action is a set of kinds of actions.
type action uint8

// The kinds.
const (
	looksUp action = 1 << iota
	makes
	alters
	takesAway
)

// use is where a verb indicates an action.
type use uint8

// The uses.
const (
	// inName: as part of a tool's name.
	inName use = 1 << iota
	// inRequest: in a message, as what the tool has to do.
	inRequest
	// plainly: in a message by itself. The others are often a noun or an adjective: "the
	// status of the open log".
	plainly
)

const everywhere = inName | inRequest | plainly

// verb is the meaning of a folded word as an action.
type verb struct {
	kind action
	use  use
	// before holds, for an ambiguous word, the following words with which it is of the
	// kind other.
	before []string
	other  action
}

// verbs holds the words for actions, including those of requests. Each has one kind,
// except for those that depend on the following word: "drop a note" makes one and "drop
// the table" removes it, "tell the team" says something and "tell me" asks.
var verbs = verbTable([]verbRow{
	{looksUp, everywhere, "list show find search get read view check lookup fetch count describe"},
	{looksUp, inName | inRequest, "query status"},
	{looksUp, inRequest | plainly, "what which who whose when where why how see look is are did does has was"},
	{looksUp, inRequest, "any anything"},
	{looksUp, plainly, "display explain summarise summarize compare do were have"},
	{makes, everywhere, "create make add insert write send post publish upload deploy book"},
	{makes, inName | inRequest, "new generate append open reply start run log"},
	{makes, inRequest | plainly, "tell"},
	{makes, inRequest, "stick put draft save ship roll boot spin"},
	{makes, plainly, "install order buy pay"},
	{alters, everywhere, "update edit change modify rename move replace set merge close disable"},
	{alters, inName | inRequest, "patch enable assign upsert mark reschedule approve"},
	{alters, inRequest, "bump push turn switch flip convert fix"},
	{alters, plainly, "clean reset stop empty undo unsubscribe unassign"},
	{takesAway, everywhere, "delete deletes deleting deleted remove removes removing rm erase drop destroy purge wipe truncate " +
		"uninstall terminate kill revoke cancel clear discard prune unlink trash"},
	{takesAway, inRequest | plainly, "rid nuke"},
	{takesAway, inRequest, "throw"},
}, []twofold{
	{"drop", makes, "a an some me us him her them"},
	{"tell", looksUp, "me us"},
})

// verbRow is a list of words of one kind and use, separated by spaces.
type verbRow struct {
	kind  action
	use   use
	words string
}

// twofold is a word that is of the kind other before some words.
type twofold struct {
	word   string
	other  action
	before string
}

func verbTable(rows []verbRow, meanings []twofold) map[string]verb {
	table := map[string]verb{}
	for _, row := range rows {
		for _, word := range strings.Fields(row.words) {
			if _, twice := table[word]; twice {
				panic("ranker: the verb " + word + " is in two rows")
			}
			table[word] = verb{kind: row.kind, use: row.use}
		}
	}
	for _, m := range meanings {
		v := table[m.word]
		v.other, v.before = m.other, strings.Fields(m.before)
		table[m.word] = v
	}
	return table
}

// verbFor returns the kind of a verb for a use, or 0 for any other word.
func verbFor(word string, u use) action {
	if v := verbs[word]; v.use&u != 0 {
		return v.kind
	}
	return 0
}

// eachAction calls yield for the kind of each verb of a text, and the uses in which the
// verb has it.
func eachAction(s string, tokenizer *text.Tokenizer, yield func(kind action, uses use)) {
	var last verb
	end := func(next string) {
		kind := last.kind
		if slices.Contains(last.before, next) {
			kind = last.other
		}
		if kind != 0 {
			yield(kind, last.use)
		}
	}
	tokenizer.Each(s, func(bytes []byte, form text.Form) {
		if form != text.Whole {
			end(string(bytes))
			last = verbs[string(bytes)]
		}
	})
	end("")
}

// asks returns the kinds of action of a message: those of verbs that are used in requests,
// and those that are verbs by themselves.
func asks(message string, tokenizer *text.Tokenizer) (requested, plain action) {
	eachAction(message, tokenizer, func(kind action, uses use) {
		if uses&inRequest != 0 {
			requested |= kind
		}
		if uses&plainly != 0 {
			plain |= kind
		}
	})
	return requested, plain
}

// isBeing reports whether a folded word is a form of "to be".
func isBeing(word string) bool {
	switch word {
	case "is", "are", "am", "was", "were":
		return true
	}
	return false
}

// String describes a single kind, or returns "".
func (a action) String() string {
	switch a {
	case looksUp:
		return "it looks something up, as you ask"
	case makes:
		return "it makes something, as you ask"
	case alters:
		return "it changes something, as you ask"
	case takesAway:
		return "it takes something away, as you ask"
	}
	return ""
}
