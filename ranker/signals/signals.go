// Package signals holds the named summands of a fused score, one file each. From plain
// facts of one tool and one message it computes the value, and gives the weight, the
// sentence for a person and, in a comment, the last measured worth.
//
// To add one: add a file, its field in [Facts], its place in [All], a test with the
// arithmetic in a comment, and the evaluation before and after. Package ranker collects
// the facts; this package has no index, query or other tool.
//
// What a signal is worth was measured by leaving it out, in points of R@5, nDCG@10
// and all@30 (positive: what it brings): e the 240 messages written in an editor,
// among 1,387 tools; m the makers' own 276, among 1,075 others; p the macro mean of
// the sixteen public sets. Figures in brackets are 95 % intervals.
package signals

import (
	"math"
	"slices"
)

// Facts holds the data of one tool for one message.
type Facts struct {
	// Words and Meaning are the two parts of how well the tool fits the message:
	// its words' BM25 and its vector's similarity, each normalised and multiplied by
	// its share.
	Words, Meaning float64
	// NameCovered is the share of its name's words, by rarity, that the message has, from
	// 0 to 1.
	NameCovered float64
	// Step is how well it fits its best step of the message, on the scale of Words plus
	// Meaning.
	Step float64
	// Sibling is how well the best other tool of its server fits.
	Sibling float64
	// Earlier is how well it fits the task's earlier messages and calls.
	Earlier float64
	// Uses is the number of its recent uses in this workspace.
	Uses float64
	// Remembered is the similarity of the message to one that the tool was fetched for,
	// from 0 to 1, times the best score without it.
	Remembered float64
	// Needed is the score to which a better tool that needs this one lifts it.
	Needed float64
	// IsAsked reports that its verb is of a requested kind, InFolder that the folder
	// supports its server, IsNamed that the message names its server, IsCalled that the
	// task called a tool of its server, and IsHarm that it destroys something although
	// the message only asks to see.
	IsAsked, InFolder, IsNamed, IsCalled, IsHarm bool
	// Evidence is set for explanations only.
	Evidence *Evidence
}

// Evidence is the basis of the facts, for a person to read.
type Evidence struct {
	Server, Action, Folder, Step, Earlier string
	// Similarity is that of the vectors, scaled from the average tool's to the nearest's,
	// 0 to 1.
	Similarity float64
	// NeededBy is the better tool that needs this one, and NeededFor the purpose; without
	// NeededBy, it is the whole reason.
	NeededBy, NeededFor string
}

// Part is one named summand of a score.
type Part struct {
	// Name is the name of the signal, such as "name" or "recent use".
	Name  string
	Value float64
	// Detail names what matched, for a person to read.
	Detail string
	// Words holds the matching words, if the part is based on words.
	Words []Word
	// Said is the phrasing, or the part of the message, that fits best.
	Said string
	// Tool is the better tool that needs this one, for Purpose; or the tools that a
	// phrasing of another tool belongs to.
	Tool, Purpose string
}

// Word is a word that a document and a message have in common.
type Word struct {
	// Text is the word as in the message or, if the message only implies it, as in the
	// document.
	Text string
	// Implied says what implies a word that the message does not have, such as "synonym";
	// otherwise empty.
	Implied string
	// Means is the English word if Text is in another language.
	Means string
}

// Signal is one named summand.
type Signal struct {
	// Name is its name in explanations.
	Name string
	// Weight is the factor of Value, unless [Weights] replaces it.
	Weight float64
	// Value returns a tool's value. sum is the total of the preceding signals.
	Value func(f *Facts, sum float64) float64
	// Detail completes a part from the evidence; nil if the name is enough.
	Detail func(e *Evidence, f *Facts, p *Part)
	// Sentence returns the text of a part without figures; nil if the matching words are
	// shown instead.
	Sentence func(p *Part) string
}

// Count is the number of signals.
const Count = len(All)

// All lists the signals in the order in which they are summed and explained. A signal
// that is a share of the sum applies to those before it.
var All = [...]*Signal{
	&words, &Meaning, &Name, &step, &action, &folder, &sibling, &named, &earlier, &called, &uses, &remembered, &needed, &harm,
}

// Weights holds the weight of each signal, in the order of [All]. A signal with weight 0
// is omitted.
type Weights [Count]float64

// DefaultWeights returns the product's weights.
func DefaultWeights() (w Weights) {
	for i, s := range All {
		w[i] = s.Weight
	}
	return w
}

// Of returns a pointer to the weight of a signal by name. It panics if there is none.
func (w *Weights) Of(name string) *float64 {
	return &w[slices.IndexFunc(All[:], func(s *Signal) bool { return s.Name == name })]
}

// Values holds what each signal adds to one tool's score.
type Values [Count]float64

// Score computes the score, which is exactly the sum of the values.
func (w *Weights) Score(f *Facts) (score float64, values Values) {
	for i, s := range All {
		if w[i] != 0 {
			values[i] = Round(w[i] * s.Value(f, score))
			score += values[i]
		}
	}
	return score, values
}

// Part explains the value of a signal.
func (s *Signal) Part(f *Facts, value float64) Part {
	p := Part{Name: s.Name, Value: value}
	if s.Detail != nil {
		s.Detail(f.Evidence, f, &p)
	}
	return p
}

// Sentence returns the text of a signal's part, or "" for any other part.
func Sentence(p *Part) string {
	for _, s := range All {
		if s.Name == p.Name && s.Sentence != nil {
			return s.Sentence(p)
		}
	}
	return ""
}

// grid is the step that scores and their parts are rounded to, 2⁻¹⁶. Sums of multiples of
// it are exact in float64 below 2³⁶, so parts add up to their score exactly, in any
// order. The last bits of math.Log or of a fused multiply-add, which differ between
// processors, do not affect the order of an answer.
const grid = 1.0 / (1 << 16)

// Round returns the multiple of 2⁻¹⁶ nearest to x, the higher of two.
func Round(x float64) float64 { return math.Floor(x/grid+0.5) * grid }

// when returns 1 if holds is true, else 0.
func when(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// says returns a Sentence with a constant text.
func says(text string) func(*Part) string { return func(*Part) string { return text } }

// detail is a Sentence that returns the part's detail.
func detail(p *Part) string { return p.Detail }

// itsServer is the Detail that names the tool's server.
func itsServer(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Server }
