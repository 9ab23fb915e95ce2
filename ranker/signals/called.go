package signals

// called raises the tools of a server whose tools the task called. It is unmeasured: no
// set has conversations.
var called = Signal{
	Name: "server in use", Weight: 0.05,
	Value:    func(f *Facts, _ float64) float64 { return when(f.IsCalled) },
	Detail:   itsServer,
	Sentence: says("the task uses its server"),
}
