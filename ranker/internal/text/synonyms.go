package text

import "sync"

// synonyms lists words that tools and people use for the same act or thing.
// The table is our own: the verbs of REST, SQL, shells and version control
// that name one act, and the abbreviations that developers write. Each line
// is a group; every word of it stands for every other.
//
// WordNet 3.0's synonyms were measured beside it and left out: those of the
// first one or two senses of its verbs and nouns changed recall@5, recall@10
// and nDCG@10 over sixteen sets by at most .001, and an index of words alone
// took up to 8.1 MB instead of 4.7.
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

// Pair says that one stem may stand for another.
type Pair struct{ Stem, Other string }

// SynonymPairs returns every pair of stems that may stand for each other, in
// both directions. The result is made once, from the table above, and must
// not be changed.
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
	return pairs
})
