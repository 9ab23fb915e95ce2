package signals

// folder lifts the tools of the servers that the folder speaks for, by a share of
// what they have: what the message says itself outweighs it, and a wrong guess lifts
// nothing that does not fit.
var folder = Signal{
	Name: "folder", Weight: 0.25,
	Value:    func(f *Facts, sum float64) float64 { return when(f.InFolder) * sum },
	Detail:   func(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Folder },
	Sentence: detail,
}
