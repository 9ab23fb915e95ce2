package signals

// earlier is the match with the task's earlier messages and with the names of the tools
// it called. It is unmeasured: no set has conversations.
var earlier = Signal{
	Name: "earlier messages", Weight: 0.25,
	Value:    func(f *Facts, _ float64) float64 { return f.Earlier },
	Detail:   func(e *Evidence, _ *Facts, p *Part) { p.Detail = e.Earlier },
	Sentence: says("it is like what this chat asked for or called before"),
}
