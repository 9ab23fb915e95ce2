package text

// IsFiller reports whether a folded word belongs to the form of a request, not to its
// content ("could you please help me find"). Descriptions of tools rarely use such words,
// so an index would take them for informative. The list is our own, from polite English
// requests and pronouns for unnamed things.
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
