package ranker

import "github.com/winnow-mcp/winnow/ranker/signals"

// Weights holds the ranking weights. [DefaultWeights] returns the measured ones. Others
// are for the evaluation, which switches them off one by one.
//
// A score starts from two normalised parts, words and meaning, each between about 0 and
// 1. All others are on their scale.
type Weights struct {
	// Signals holds those of the summands of a score.
	Signals signals.Weights
	// Server to Phrasing say how many plain occurrences of a word one in
	// that field stands for (BM25F, Robertson and others 2004).
	Server, Name, Title, Description, Parameter, ParameterText, Phrasing float64
	// Namesake and Neighbour are the shares of that, and of VectorPhrasing, for a tool
	// that the bank lacks: by the name of a tool in it, and by meaning. Each is lowered
	// by how much the two tools differ.
	Namesake, Neighbour float64
	// K1 and B are BM25's: how soon repetition stops counting, and how much
	// long documents are held back. K1 is below the textbook's 1.2 to 2: in
	// texts as short as a tool's, that a word is there says more than how often.
	K1, B float64
	// Synonym, SynonymOfUnknown and Signal are the weights of words that the message
	// lacks: synonyms of words that some document has, synonyms of words that none has,
	// and words implied by its paths and addresses.
	Synonym, SynonymOfUnknown, Signal float64
	// Pasted is the weight of words in pasted text; at 1, nothing counts as pasted.
	Pasted float64
	// Translated is the weight of words translated from another language.
	Translated float64
	// Feedback is the weight of a word that the names of all of the best tools
	// have and the message lacks; see feedBack.
	Feedback float64

	// VectorName to VectorPhrasing are the weights of those texts' vectors in a
	// document's vector; "name. description" counts 1.
	VectorName, VectorParameters, VectorParameterText, VectorServer, VectorPhrasing float64
	// VectorCommon is the share of the documents at which a token counts 0.7 in vectors,
	// commoner ones less. VectorUnseen is the weight of a token that no document has. See
	// commonness.
	VectorCommon, VectorUnseen float64
	// Meaning is the share of the vectors in the fused score; words have the rest.
	Meaning float64
	// Provider is the share of an embedding provider's vectors within Meaning, if there
	// are any; the built-in ones have the rest.
	Provider float64

	// StepDecay is the factor of each further document of a step, so that every step's
	// best tools precede any step's tenth.
	StepDecay float64

	// Duplicate is the factor of each copy of a tool that ranks higher.
	Duplicate float64

	// Needed is a tool's share of the score of a better one that needs it.
	Needed float64
}

// DefaultWeights returns the product's weights. They were chosen on sixteen public sets
// of messages and tools by macro recall and nDCG. Most are flat around their value, which
// was then rounded. Expect slightly less on other sets. eval/README.md lists what each
// was worth.
func DefaultWeights() Weights {
	return Weights{
		Signals: signals.DefaultWeights(),
		Server:  1, Name: 2, Title: 2, Description: 1, Parameter: 1, ParameterText: 1, Phrasing: 1.5, Namesake: 0.67, Neighbour: 0.33,
		K1: 0.7, B: 0.75,
		Synonym: 0.2, SynonymOfUnknown: 0.5, Signal: 0.5, Pasted: 0.3, Translated: 0.7, Feedback: 0.3,
		VectorName: 0.3, VectorParameters: 0.15, VectorParameterText: 0.3, VectorServer: 0.3, VectorPhrasing: 2.5,
		VectorCommon: 0.03, VectorUnseen: 0.7,
		Meaning: 0.5, Provider: 0.6, StepDecay: 0.85, Duplicate: 0.85, Needed: 0.75,
	}
}
