package text

// IsFiller reports whether a folded word belongs to how a person asks, not to
// what they ask for ("could you please help me find"). Descriptions of tools
// hardly use such words, so that an index takes them for rare and telling.
// The list is our own, from the polite forms of English requests and the
// pronouns for what one leaves unnamed.
func IsFiller(word string) bool {
	switch word {
	case "please", "kindly", "thank", "thanks", "hi", "hello", "hey",
		"want", "wants", "wanted", "wanna", "need", "needs", "needed", "would", "could", "should", "must", "shall",
		"can", "may", "might", "like", "likes", "wish", "hope", "hoping", "love", "let", "lets",
		"help", "helps", "able", "assist", "know", "tell", "give", "show", "sure", "make",
		"try", "trying", "going", "gonna", "plan", "planning", "looking", "look",
		"everything", "anything", "something", "nothing",
		"interested", "curious", "wonder", "wondering", "also", "us", "m", "ve", "re", "ll", "d":
		return true
	}
	return false
}
