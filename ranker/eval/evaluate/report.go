package evaluate

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"
)

// report gathers the results of every contender.
type report struct {
	sets     []*set
	baseline string
	names    []string
	results  [][]result // by contender, by set
}

func newReport(sets []*set, baseline string) *report {
	return &report{sets: sets, baseline: baseline}
}

// add adds a contender's results, one a set.
func (r *report) add(name string, results []result) {
	r.names = append(r.names, name)
	r.results = append(r.results, results)
}

// macro is the mean over sets of the means over queries.
func macro(results []result) figures {
	means := make([]figures, len(results))
	for i := range results {
		means[i] = results[i].mean
	}
	return mean(means)
}

// base returns the baseline's results; nil when it was not measured.
func (r *report) base() []result {
	for i, name := range r.names {
		if name == r.baseline {
			return r.results[i]
		}
	}
	return nil
}

// compared lists the metrics that are compared with the baseline.
var compared = []metric{recall5, recall10, ndcg10, all15, all30}

// writeText prints the tables that people read.
func (r *report) writeText(out io.Writer, perSet bool) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintf(t, "macro over %d sets\t", len(r.sets))
	for m := range metricCount {
		fmt.Fprintf(t, "%s\t", m)
	}
	fmt.Fprintf(t, "p50\tp95\tbuild\tMB\t\n")
	for i, name := range r.names {
		fmt.Fprintf(t, "%s\t", name)
		for _, value := range macro(r.results[i]) {
			fmt.Fprintf(t, "%.3f\t", value)
		}
		p50, p95, build, bytes := worst(r.results[i])
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f\t\n", p50, p95, build, float64(bytes)/1e6)
	}
	fmt.Fprintf(t, "\ndifference from %s\t", r.baseline)
	for _, m := range compared {
		fmt.Fprintf(t, "%s [95 %% interval]\t", m)
	}
	fmt.Fprintln(t)
	for i, name := range r.names {
		if name == r.baseline {
			continue
		}
		fmt.Fprintf(t, "%s\t", name)
		for _, m := range compared {
			d := compare(r.results[i], r.base(), m)
			fmt.Fprintf(t, "%+.3f [%+.3f, %+.3f]\t", d.Difference, d.Low, d.High)
		}
		fmt.Fprintln(t)
	}
	if perSet {
		r.writeSets(t)
	}
	return t.Flush()
}

// writeSets prints every set's figures for every contender.
func (r *report) writeSets(t io.Writer) {
	for i, s := range r.sets {
		fmt.Fprintf(t, "\n%s, %d tools, %d messages\t", s.name, len(s.docs), len(s.queries))
		for m := range metricCount {
			fmt.Fprintf(t, "%s\t", m)
		}
		fmt.Fprintln(t)
		for c, name := range r.names {
			fmt.Fprintf(t, "%s\t", name)
			for _, value := range r.results[c][i].mean {
				fmt.Fprintf(t, "%.3f\t", value)
			}
			fmt.Fprintln(t)
		}
	}
}

// worst returns the slowest set's times and the biggest one's memory.
func worst(results []result) (p50, p95, build time.Duration, bytes int64) {
	for _, r := range results {
		p50, p95 = max(p50, r.p50), max(p95, r.p95)
		build, bytes = max(build, r.build), max(bytes, r.bytes)
	}
	return p50.Round(time.Microsecond), p95.Round(time.Microsecond), build.Round(100 * time.Microsecond), bytes
}

// jsonRanker is a contender in the JSON report.
type jsonRanker struct {
	Name     string                        `json:"name"`
	Macro    map[string]float64            `json:"macro"`
	Sets     map[string]map[string]float64 `json:"sets"`
	Versus   map[string]interval           `json:"versusBaseline"`
	P50Nanos int64                         `json:"p50Nanos"`
	P95Nanos int64                         `json:"p95Nanos"`
	Bytes    int64                         `json:"bytes"`
}

// writeJSON prints the same for programs.
func (r *report) writeJSON(out io.Writer) error {
	var list []jsonRanker
	for i, name := range r.names {
		p50, p95, _, bytes := worst(r.results[i])
		j := jsonRanker{Name: name, Macro: named(macro(r.results[i])), Sets: map[string]map[string]float64{},
			Versus: map[string]interval{}, P50Nanos: int64(p50), P95Nanos: int64(p95), Bytes: bytes}
		for k, s := range r.sets {
			j.Sets[s.name] = named(r.results[i][k].mean)
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

func named(f figures) map[string]float64 {
	out := map[string]float64{}
	for m, value := range f {
		out[metric(m).String()] = value
	}
	return out
}
