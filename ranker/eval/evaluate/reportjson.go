package evaluate

import (
	"encoding/json"
	"io"
)

// jsonRanker is a contender in the JSON report.
type jsonRanker struct {
	Name  string                        `json:"name"`
	Macro map[string]float64            `json:"macro"`
	Sets  map[string]map[string]float64 `json:"sets"`
	// Kinds holds the same by set and kind of message. Idle holds the mean number of
	// tools for a set's messages that need none.
	Kinds    map[string]map[string]map[string]float64 `json:"kinds,omitempty"`
	Idle     map[string]float64                       `json:"idle,omitempty"`
	Versus   map[string]interval                      `json:"versusBaseline"`
	P50Nanos int64                                    `json:"p50Nanos"`
	P95Nanos int64                                    `json:"p95Nanos"`
	Bytes    int64                                    `json:"bytes"`
}

// writeJSON writes the report as JSON.
func (r *report) writeJSON(out io.Writer) error {
	var list []jsonRanker
	for i, name := range r.names {
		p50, p95, _, bytes := worst(r.results[i])
		j := jsonRanker{Name: name, Macro: named(macro(r.results[i])), Sets: map[string]map[string]float64{},
			Kinds: map[string]map[string]map[string]float64{}, Idle: map[string]float64{}, Versus: map[string]interval{}, P50Nanos: int64(p50), P95Nanos: int64(p95), Bytes: bytes}
		for k, s := range r.sets {
			j.add(s, &r.results[i][k])
		}
		for _, m := range compared {
			j.Versus[m.String()] = compare(r.results[i], r.base(), m)
		}
		list = append(list, j)
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(map[string]any{"baseline": r.baseline, "rankers": list})
}

// add adds the results of one set.
func (j *jsonRanker) add(s *set, r *result) {
	j.Sets[s.name] = named(r.mean)
	for _, kind := range s.kinds() {
		if j.Kinds[s.name] == nil {
			j.Kinds[s.name] = map[string]map[string]float64{}
		}
		j.Kinds[s.name][kind] = named(r.ofKind(s, kind).mean)
	}
	if len(s.idle) > 0 {
		j.Idle[s.name] = average(r.idle)
	}
}

func named(f figures) map[string]float64 {
	out := map[string]float64{}
	for m, value := range f {
		out[metric(m).String()] = value
	}
	return out
}
