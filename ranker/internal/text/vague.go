package text

// IsVague reports whether a folded word leaves its subject open: "get it going", "and
// now?", "carry on with the rest". A message of such words alone cannot be matched with a
// tool. The list is our own, from English verbs, adverbs and nouns that stand for others.
func IsVague(word string) bool {
	switch word {
	case "get", "gets", "getting", "got", "go", "goes", "gone", "do", "does", "doing", "done", "did",
		"keep", "keeps", "carry", "move", "moving", "along", "ahead", "forward", "proceed", "continue",
		"resume", "begin", "start", "started", "finish", "end", "stop", "wait", "come", "pick", "left", "leave",
		"work", "works", "working", "happen", "happens", "happened", "happening", "fix", "handle", "sort",
		"now", "then", "next", "again", "later", "soon", "today", "once", "before", "after", "already", "yet", "still",
		"here", "there", "this", "that", "these", "those", "it", "its", "one", "ones", "other", "others", "same", "rest",
		"thing", "things", "thingy", "stuff", "bit", "lot", "way", "part", "else", "more", "most", "much", "many", "all", "both",
		"first", "second", "last", "time", "up", "on", "off", "out", "over", "back", "down", "around",
		"ok", "okay", "yes", "yeah", "yep", "no", "nope", "nah", "right", "good", "great", "nice", "cool", "perfect",
		"well", "so", "just", "quick", "quickly", "really", "actually", "maybe", "ready", "morning", "evening", "everyone",
		"where", "were", "what", "how", "why", "who", "when", "which", "whatever", "somehow", "s", "t":
		return true
	}
	return false
}
