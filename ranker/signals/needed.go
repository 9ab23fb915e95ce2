package signals

// needed raises a tool that a better one needs to a place behind that one.
var needed = Signal{
	Name: "needed for", Weight: 1,
	Value: func(f *Facts, sum float64) float64 { return max(0, f.Needed-sum) },
	Detail: func(e *Evidence, _ *Facts, p *Part) {
		p.Purpose, p.Detail = e.NeededFor, e.NeededFor
		if e.NeededBy != "" {
			p.Tool, p.Detail = e.NeededBy, e.NeededBy+", "+e.NeededFor
		}
	},
	Sentence: func(p *Part) string {
		if p.Tool == "" {
			return p.Purpose
		}
		return p.Tool + " needs it " + p.Purpose
	},
}
