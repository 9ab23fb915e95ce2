package signals

// called is added to the tools of a server whose tools the task called. No set has
// conversations.
var called = Signal{
	Name: "server in use", Weight: 0.05,
	Value:    func(f *Facts, _ float64) float64 { return when(f.IsCalled) },
	Detail:   itsServer,
	Sentence: says("the task uses its server"),
}
