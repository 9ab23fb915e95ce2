package signals

// named raises the tools of a server that the message names.
var named = Signal{
	Name: "server named", Weight: 0.25,
	Value:    func(f *Facts, _ float64) float64 { return when(f.IsNamed) },
	Detail:   itsServer,
	Sentence: says("you name its server"),
}
