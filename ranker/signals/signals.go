// Package signals holds the named summands of a fused score, a file each: from
// plain facts of one tool and one message its value, its weight, what it says to a
// person, and, above it, what it was worth when it was last measured.
//
// To add one: a file, its member of [Facts], its place in [All], a test with the
// arithmetic in a comment, and the evaluation before and after. Package ranker
// gathers the facts; nothing here knows an index, a query or another tool.
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

// Facts is what is known of one tool for one message.
type Facts struct {
	// Words and Meaning are the two parts of how well the tool fits the message:
	// its words' BM25 and its vector's similarity, each normalised and multiplied by
	// its share.
	Words, Meaning float64
	// NameCovered is the share of its name's words, by rarity, that the message has,
	// 0 to 1.
	NameCovered float64
	// Step is how well it fits the one step of the message that it fits best, on the
	// scale of Words plus Meaning.
	Step float64
	// Sibling is how well the best other tool of its server fits.
	Sibling float64
	// Earlier is how well it fits the task's earlier messages and calls.
	Earlier float64
	// Uses is how often it was used lately in this workspace.
	Uses float64
	// Remembered is how alike the message is to one that the tool was fetched for by
	// hand, 0 to 1, times the best score without that.
	Remembered float64
	// Needed is the score to which a better tool that needs this one lifts it.
	Needed float64
	// IsAsked: its verb is of a kind that the message asks for. InFolder: the folder
	// speaks for its server. IsNamed: the message names its server. IsCalled: the
	// task called a tool of its server. IsHarm: it destroys something, and the
	// message only asks to see.
	IsAsked, InFolder, IsNamed, IsCalled, IsHarm bool
	// Evidence is filled in for an explanation only.
	Evidence *Evidence
}

// Evidence is what the facts rest on, for a person to read.
type Evidence struct {
	Server, Action, Folder, Step, Earlier string
	// Similarity is that of the vectors, from that of the average tool to that of
	// the nearest, 0 to 1.
	Similarity float64
	// NeededBy is the better tool that needs this one, NeededFor what for; without
	// the former the latter is the whole reason.
	NeededBy, NeededFor string
}

// Part is one named summand of a score.
type Part struct {
	// Name says which signal it is, such as "name" or "recent use".
	Name  string
	Value float64
	// Detail names what matched, for a person to read.
	Detail string
	// Words are those that matched, of a part that rests on words.
	Words []Word
	// Said is the phrasing, or the part of the message, that fits best.
	Said string
	// Tool is the better tool that needs this one, for Purpose; or, of a
	// phrasing that is another tool's, which tools it is said of.
	Tool, Purpose string
}

// Word is a word that a document and a message have in common.
type Word struct {
	// Text is the word as the message has it or, where the message only implies
	// it, as the document does.
	Text string
	// Implied says what implies a word that the message does not have, such as
	// "synonym"; empty for one that it has.
	Implied string
	// Means is the word in English, where Text is of another language.
	Means string
}

// Signal is one named summand.
type Signal struct {
	// Name is what an explanation calls it.
	Name string
	// Weight is what Value is multiplied with, unless [Weights] say otherwise.
	Weight float64
	// Value is what a tool earns. sum is what it has from the signals before.
	Value func(f *Facts, sum float64) float64
	// Detail fills in a part from the evidence; nil when the name says it all.
	Detail func(e *Evidence, f *Facts, p *Part)
	// Sentence words a part for somebody who knows nothing of scores; nil where the
	// words that matched are shown instead.
	Sentence func(p *Part) string
}

// Count is the number of signals.
const Count = len(All)

// All lists the signals in the order in which they are summed and explained. Those
// whose value is a share of the sum so far count for what stands before them.
var All = [...]*Signal{
	&words, &Meaning, &Name, &step, &action, &folder, &sibling, &named, &earlier, &called, &uses, &remembered, &needed, &harm,
}

// Weights says how much each signal counts, in the order of [All]. At 0 one is
// left out.
type Weights [Count]float64

// DefaultWeights returns those that the product ranks with.
func DefaultWeights() (w Weights) {
	for i, s := range All {
		w[i] = s.Weight
	}
	return w
}

// Of returns the weight of the signal of a name, to be read or changed; it panics
// when there is none.
func (w *Weights) Of(name string) *float64 {
	return &w[slices.IndexFunc(All[:], func(s *Signal) bool { return s.Name == name })]
}

// Values holds what each signal adds to one tool's score.
type Values [Count]float64

// Score weighs the facts. The sum of the values is the score, exactly.
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

// Sentence words a part that is a signal's; empty for any other.
func Sentence(p *Part) string {
	for _, s := range All {
		if s.Name == p.Name && s.Sentence != nil {
			return s.Sentence(p)
		}
	}
	return ""
}

// grid is the step that scores and their parts are rounded to, 2⁻¹⁶. Sums of
// multiples of it are exact in float64 as long as they stay under 2³⁶, so
// that parts add up to their score to the last bit, in any order; and the
// last bits of math.Log or of a fused multiply-add, which differ between
// processors, do not reach the order of an answer.
const grid = 1.0 / (1 << 16)

// Round returns the multiple of 2⁻¹⁶ that is nearest to x, of two the higher one.
func Round(x float64) float64 { return math.Floor(x/grid+0.5) * grid }

// when is 1 for what holds, else 0.
func when(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// says returns a Sentence that is always the same.
func says(text string) func(*Part) string { return func(*Part) string { return text } }

// detail is the Sentence of a part whose detail is one.
func detail(p *Part) string { return p.Detail }

// itsServer is the Detail that names the tool's server.
func itsServer(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Server }
