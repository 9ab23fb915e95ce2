package text

import (
	"maps"
	"slices"
	"sync"
)

// synonyms lists words that tools and people use for the same act or thing. The table is
// our own: verbs of REST, SQL, shells and version control, and developers' abbreviations.
// Each line is a group whose words are interchangeable.
var synonyms = [...][]string{
	{"create", "make", "add", "new", "insert", "generate", "post"},
	{"delete", "remove", "rm", "erase", "drop", "destroy", "unlink"},
	{"list", "enumerate", "ls", "browse"},
	{"get", "fetch", "retrieve", "obtain", "read"},
	{"search", "find", "lookup", "query"},
	{"update", "edit", "modify", "change", "patch", "set"},
	{"send", "post", "deliver", "dispatch"},
	{"run", "execute", "invoke", "launch"},
	{"start", "launch", "begin", "boot"},
	{"stop", "halt", "terminate", "kill"},
	{"copy", "duplicate", "clone"},
	{"move", "rename", "mv"},
	{"download", "fetch", "pull"},
	{"upload", "push", "put"},
	{"buy", "purchase", "order"},
	{"book", "reserve", "reservation"},
	{"summarise", "summarize", "summary", "digest"},
	{"picture", "image", "photo", "img"},
	{"movie", "film"},
	{"song", "track", "music"},
	{"folder", "directory", "dir"},
	{"repository", "repo"},
	{"pr", "pullrequest"},
	{"database", "db"},
	{"message", "msg"},
	{"screenshot", "capture", "snapshot"},
	{"website", "webpage", "site", "page", "url"},
	{"stock", "share", "ticker"},
	{"job", "employment", "career"},
	{"place", "location"},
	{"trip", "travel", "journey"},
	{"ticket", "issue"},
	{"doc", "document", "docs"},
	{"mail", "email"},
	{"cost", "price"},
	{"compute", "calculate", "calc"},
	{"translate", "translation"},
	{"config", "configuration", "setting"},
	{"info", "information", "detail"},
	{"meeting", "event", "appointment"},
}

// plain maps colloquial words to the words of tools. Unlike a synonym it applies in one
// direction: a request to write does not mean to jot. The table is our own.
var plain = map[string][]string{
	"stick": {"write", "save", "put", "add"}, "jot": {"write", "note", "add"}, "scribble": {"write", "note"},
	"chuck": {"write", "add", "put"}, "stash": {"save", "store"}, "shove": {"write", "put", "move"},
	"save": {"write", "store"}, "store": {"save", "write"}, "remember": {"add", "store", "save"},
	"memorise": {"add", "store", "save"}, "memorize": {"add", "store", "save"}, "recall": {"search", "find"},
	"grab": {"get", "fetch"}, "peek": {"read", "view"}, "glance": {"read", "view"},
	"rid": {"delete", "remove", "clear"}, "ditch": {"delete", "remove"}, "nuke": {"delete", "remove"}, "scrap": {"delete", "remove"},
	"tweak": {"update", "edit"}, "bump": {"update", "edit"}, "touched": {"changed", "modified", "blame"},
	"slow": {"performance"}, "sluggish": {"performance"},
	"snap": {"screenshot"}, "broke": {"error", "failed"}, "broken": {"error", "failed"}, "wrong": {"error"}, "sum": {"add"},
}

// Pair says that a stem may stand for another.
type Pair struct{ Stem, Other string }

// SynonymPairs returns every pair of stems of which the first may stand for the second:
// synonyms in both directions, colloquial words in one. The result is computed once, from
// the tables above, and must not be modified.
var SynonymPairs = sync.OnceValue(func() []Pair {
	var pairs []Pair
	for _, group := range synonyms {
		for _, word := range group {
			for _, other := range group {
				if from, to := Stem(word), Stem(other); from != to {
					pairs = append(pairs, Pair{from, to})
				}
			}
		}
	}
	for _, word := range slices.Sorted(maps.Keys(plain)) {
		for _, other := range plain[word] {
			pairs = append(pairs, Pair{Stem(word), Stem(other)})
		}
	}
	return pairs
})
