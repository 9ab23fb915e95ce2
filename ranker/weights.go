package ranker

// Weights says how much each signal counts. [DefaultWeights] holds the ones
// that were measured; others are for the evaluation, which switches signals
// off one by one to see what each is worth.
//
// A score starts from two normalised parts that each lie about between 0 and
// 1, words and meaning; everything else is on their scale.
type Weights struct {
	// Server to Phrasing say how many plain occurrences of a word one in
	// that field stands for (BM25F, Robertson and others 2004).
	Server, Name, Title, Description, Parameter, ParameterText, Phrasing float64
	// Namesake and Neighbour are how much of that, and of VectorPhrasing, a tool
	// gets that the bank does not know itself: by the name of one that it knows,
	// and by meaning. Each is lowered by how much the two tools agree.
	Namesake, Neighbour float64
	// K1 and B are BM25's: how soon repetition stops counting, and how much
	// long documents are held back. K1 is below the textbook's 1.2 to 2: in
	// texts as short as a tool's, that a word is there says more than how often.
	K1, B float64
	// Synonym, SynonymOfUnknown and Signal are the weights of words that the
	// message does not have: synonyms of words that some document has, of
	// words that none has, and what its paths and addresses imply.
	Synonym, SynonymOfUnknown, Signal float64
	// Pasted is the weight of words that stand in what was pasted into the message;
	// at 1, nothing counts as pasted.
	Pasted float64
	// Translated is the weight of words that the message has in another language.
	Translated float64
	// Feedback is the weight of a word that the names of all of the best tools
	// have and the message lacks; see feedBack.
	Feedback float64

	// VectorName to VectorPhrasing are the weights of those texts' vectors in a
	// document's vector; "name. description" counts 1.
	VectorName, VectorParameters, VectorParameterText, VectorServer, VectorPhrasing float64
	// VectorCommon is the share of the documents at which a token counts 0.7 in
	// vectors, commoner ones less; VectorUnseen is the weight of a token that no
	// document has. See commonness.
	VectorCommon, VectorUnseen float64
	// Meaning is the share of the vectors in the fused score; words have the
	// rest.
	Meaning float64
	// Provider is the share, within Meaning, of an embedding provider's
	// vectors where there are some; the built-in ones have the rest.
	Provider float64

	// NameCovered is what a name adds of which the message has every word; one
	// that it has in part adds its share. BM25 counts the words that are there,
	// and cannot tell a name that is met from one that says more than was asked.
	NameCovered float64

	// Sentence and Clause are the weights of the best match with one of the
	// message's sentences and with one of its clauses. StepDecay is what each
	// further document of a step keeps of that, so that every step has its
	// best tools in the answer before any has its tenth.
	Sentence, Clause, StepDecay float64

	// Sibling is the weight of the best match among the server's other tools.
	Sibling float64
	// Action is what a tool gains whose verb is of a kind that the message asks
	// for, as a share of what the signals before it come to.
	Action float64
	// Folder is the same for the tools of servers that [Query].Families names.
	Folder float64
	// NamedServer is added to the tools of a server that the message names.
	NamedServer float64
	// Duplicate is what each copy of a tool that already ranks higher keeps
	// of its score.
	Duplicate float64

	// Earlier is the weight of the match with the earlier messages and the
	// names of the tools called, CalledServer is added to the tools of a
	// server whose tools were called.
	Earlier, CalledServer float64
	// Uses is the most that recent use can add.
	Uses float64
	// Remembered is the most that a remembered miss can add, as a share of the
	// best score: enough to be among the first, not enough to come before what
	// fits best.
	Remembered float64
	// Needed is what a tool has of the score of a better one that needs it.
	Needed float64
	// Harm is the share of its score that a tool that destroys keeps when the
	// message only asks to see something.
	Harm float64
}

// DefaultWeights returns the weights that the product ranks with. They were
// chosen on sixteen public sets of messages and tools by macro recall and
// nDCG; most are flat around their value, which was then taken round. Expect a
// little less on other sets. What each was worth is in eval/README.md.
func DefaultWeights() Weights {
	return Weights{
		Server: 1, Name: 2, Title: 2, Description: 1, Parameter: 1, ParameterText: 1, Phrasing: 1.5, Namesake: 0.67, Neighbour: 0.33,
		K1: 0.7, B: 0.75,
		Synonym: 0.2, SynonymOfUnknown: 0.5, Signal: 0.5, Pasted: 0.3, Translated: 0.7, Feedback: 0.3,
		VectorName: 0.3, VectorParameters: 0.15, VectorParameterText: 0.3, VectorServer: 0.3, VectorPhrasing: 2.5,
		VectorCommon: 0.03, VectorUnseen: 0.7,
		Meaning: 0.5, Provider: 0.6,
		NameCovered: 0.2,
		Sentence:    0.4, Clause: 0.4, StepDecay: 0.85,
		Sibling: 0.05, Action: 0.12, Folder: 0.25, NamedServer: 0.25, Duplicate: 0.85,
		Earlier: 0.25, CalledServer: 0.05, Uses: 0.1, Remembered: 0.9, Needed: 0.75, Harm: 0.5,
	}
}

// bm25f returns the part of the weights that an index is built with.
func (w *Weights) bm25f() bm25f {
	return bm25f{
		fields: [fieldCount]float64{
			fieldServer: w.Server, fieldName: w.Name, fieldTitle: w.Title, fieldDescription: w.Description,
			fieldParameter: w.Parameter, fieldParameterText: w.ParameterText, fieldPhrasing: w.Phrasing,
		},
		k1: w.K1, b: w.B, expansionWeight: func(l *expansion) float64 { return l.weight(w) },
	}
}
