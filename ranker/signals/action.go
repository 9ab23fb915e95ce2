package signals

// action lifts the tools whose name has a verb of a kind that the message has too,
// by a share of what they have. What a tool works on is the same for all that
// create, read, change and delete it; the kind of verb tells these siblings apart, in
// other words too: "stick it into a file" makes something, as write_file does.
var action = Signal{
	Name: "kind of action", Weight: 0.12,
	Value:    func(f *Facts, sum float64) float64 { return when(f.IsAsked) * sum },
	Detail:   func(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Action },
	Sentence: detail,
}
