package signals

// folder raises the tools of the servers that the folder supports, by a share of their
// score. So the message outweighs it, and a wrong guess raises nothing that does not fit.
var folder = Signal{
	Name: "folder", Weight: 0.25,
	Value:    func(f *Facts, sum float64) float64 { return when(f.InFolder) * sum },
	Detail:   func(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Folder },
	Sentence: detail,
}
