package signals

// remembered is what was fetched by hand for messages like this one, as a share of
// the best score: enough to be among the first, not enough to come before what fits
// best. No set has it.
var remembered = Signal{
	Name: "remembered", Weight: 0.9,
	Value:    func(f *Facts, _ float64) float64 { return f.Remembered },
	Detail:   func(_ *Evidence, _ *Facts, p *Part) { p.Detail = "fetched by hand for a similar message before" },
	Sentence: says("the model had to fetch it for a message like this"),
}
