package signals

// action raises the tools whose name has a verb of a kind that the message also has, by a
// share of their score. Tools that create, read, change and delete a thing share its
// words; the kind of verb distinguishes them, even in other words: "stick it into a file"
// makes something, as write_file does.
var action = Signal{
	Name: "kind of action", Weight: 0.12,
	Value:    func(f *Facts, sum float64) float64 { return when(f.IsAsked) * sum },
	Detail:   func(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Action },
	Sentence: detail,
}
