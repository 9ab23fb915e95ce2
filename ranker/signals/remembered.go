package signals

// remembered is for tools that models fetched for similar messages, as a share of the
// best score: enough to be among the first, not enough to precede the best. It is
// unmeasured: no set has such data.
var remembered = Signal{
	Name: "remembered", Weight: 0.9,
	Value:    func(f *Facts, _ float64) float64 { return f.Remembered },
	Detail:   func(_ *Evidence, _ *Facts, p *Part) { p.Detail = "fetched by hand for a similar message before" },
	Sentence: says("the model had to fetch it for a message like this"),
}
