package text

import "strings"

// minAnswerCues is the least strength of the cues that a request is for words.
const minAnswerCues = 2

// AsksForWords reports whether a request, given by the folded words of its sentences, can
// be answered by a language model alone: an explanation, a definition, a comparison, a
// name, a rewording, a few lines of code. It uses the phrasing of such requests, whatever
// their subject.
func AsksForWords(words []string) bool {
	strength := 0
	for i, word := range words {
		strength += answerWords[word]
		if i > 0 {
			strength += answerPairs[words[i-1]+" "+word]
		}
		if i > 1 {
			strength += answerPairs[strings.Join(words[i-2:i+1], " ")]
		}
	}
	return strength >= minAnswerCues
}

// answerWords are cues of one word with their strength: 2 alone is enough, 1 is not. The
// list is our own.
var answerWords = map[string]int{
	"regex": 2, "regexp": 2, "eli5": 2, "rephrase": 2, "reword": 2, "wording": 1, "proofread": 1, "paraphrase": 2,
	"pros": 1, "cons": 1, "explain": 1, "explanation": 1, "meaning": 1, "mean": 1, "means": 1, "define": 1,
	"difference": 1, "differences": 1, "diff": 1, "versus": 1, "vs": 1, "refactor": 1, "rewrite": 1, "simplify": 1,
	"idiomatic": 2, "readable": 1, "readability": 2, "docstring": 2, "docstrings": 2, "jsdoc": 2, "pseudocode": 2,
	"analogy": 2, "joke": 2, "poem": 2, "haiku": 1, "synonym": 2, "grammar": 2, "tone": 1, "shorter": 1, "clearer": 1,
	"algorithm": 1, "complexity": 1, "syntax": 1, "operator": 1, "closure": 1, "lambda": 1, "loop": 1, "boolean": 1,
	"snippet": 1, "oneliner": 2, "sentence": 1, "sentences": 1, "paragraph": 1, "function": 1, "method": 1,
	"variable": 1, "class": 1, "switch": 1, "code": 1, "example": 1, "word": 1,
	"css": 1, "div": 1, "flexbox": 2, "typescript": 1, "javascript": 1, "python": 1, "rust": 1, "java": 1, "kotlin": 1, "react": 1, "pandas": 1,
	"bash": 1, "types": 1, "behaviour": 1, "behavior": 1, "async": 1, "await": 1,
}

// answerPairs are cues of two or three words.
var answerPairs = map[string]int{
	"what does": 1, "what do": 1, "why does": 1, "why do": 1, "why is": 1, "whats a": 1, "what is": 1, "how does": 1,
	"how do i": 1, "how do you": 1, "how to": 1, "how can i": 1, "the difference": 1, "difference between": 1,
	"diff between": 1, "when should": 2, "should i": 1, "better to": 1, "pros and cons": 1, "big o": 2, "like im": 2,
	"like i m": 2, "in plain": 1, "no code": 2, "an example": 1, "better name": 2, "good name": 2, "name for": 1,
	"names for": 1, "write a": 1, "write an": 1, "write me": 1, "write unit": 2, "unit tests": 1, "table driven": 1,
	"help me word": 2, "help me write": 1, "help me phrase": 2, "make this": 1, "turn this": 2, "turn these": 1, "convert this": 1,
	"rewrite this": 1, "this function": 1, "this method": 1, "this class": 1, "this code": 2, "this snippet": 1,
	"this into": 1, "the function": 1, "comment above": 2, "have selected": 2, "is there a": 1,
	"in this": 1, "without changing": 2, "add types": 2, "do again": 1, "the comment": 1, "line by line": 2, "step by step": 1,
}
