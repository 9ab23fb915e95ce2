package signals

// usesHalf is the number of recent uses that earns half of the maximum.
const usesHalf = 3.0

// uses is a tool's recent use in the workspace. It is unmeasured.
var uses = Signal{
	Name: "recent use", Weight: 0.1,
	Value: func(f *Facts, _ float64) float64 {
		n := max(0, f.Uses)
		return n / (n + usesHalf)
	},
	Sentence: says("you have used it lately"),
}
