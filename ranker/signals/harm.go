package signals

// harm halves the score of a tool that destroys if the message only asks to see
// something.
var harm = Signal{
	Name: "only asks to see", Weight: 0.5,
	Value:    func(f *Facts, sum float64) float64 { return -when(f.IsHarm) * sum },
	Detail:   func(_ *Evidence, _ *Facts, p *Part) { p.Detail = "this tool destroys or removes something" },
	Sentence: says("it counts less because it destroys something and you only ask to see"),
}
