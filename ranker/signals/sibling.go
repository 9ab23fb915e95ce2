package signals

// sibling is the best match among the other tools of a tool's server: if one fits, the
// next call is likely there.
var sibling = Signal{
	Name: "server's other tools", Weight: 0.05,
	Value:    func(f *Facts, _ float64) float64 { return f.Sibling },
	Detail:   itsServer,
	Sentence: says("other tools of its server fit too"),
}
