package signals

// step is the best match with one step of the message.
var step = Signal{
	Name: "step", Weight: 0.4,
	Value: func(f *Facts, _ float64) float64 { return f.Step },
	Detail: func(e *Evidence, _ *Facts, p *Part) {
		p.Said = e.Step
		p.Detail = e.Step
	},
	Sentence: func(p *Part) string { return "it fits “" + p.Said + "”" },
}
