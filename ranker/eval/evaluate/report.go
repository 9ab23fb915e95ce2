package evaluate

import (
	"fmt"
	"io"
	"slices"
	"text/tabwriter"
	"time"
)

// report collects the results of every contender.
type report struct {
	sets     []*set
	baseline string
	names    []string
	results  [][]result // by contender, by set
}

func newReport(sets []*set, baseline string) *report {
	return &report{sets: sets, baseline: baseline}
}

// add adds a contender's results, one per set.
func (r *report) add(name string, results []result) {
	r.names = append(r.names, name)
	r.results = append(r.results, results)
}

// macro returns the mean over sets of the means over queries.
func macro(results []result) figures {
	means := make([]figures, len(results))
	for i := range results {
		means[i] = results[i].mean
	}
	return mean(means)
}

// base returns the baseline's results, or nil if it was not measured.
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

// writeText writes the tables for people: the macro mean and, if requested, every set and
// every kind of message.
func (r *report) writeText(out io.Writer, perSet, perKind bool) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	r.writeMacro(t)
	for i, s := range r.sets {
		of := func(c int) []result { return r.results[c][i : i+1] }
		if perSet {
			r.writeTable(t, fmt.Sprintf("%s, %d tools, %d messages", s.name, len(s.docs), len(s.queries)), of)
		}
		if perKind {
			r.writeKinds(t, i)
		}
		if perSet || perKind {
			r.writeIdle(t, i)
		}
	}
	return t.Flush()
}

// writeMacro writes the mean over sets with times and memory.
func (r *report) writeMacro(t io.Writer) {
	title := fmt.Sprintf("macro over %d sets", len(r.sets))
	fmt.Fprintf(t, "%s\t", title)
	for m := range metricCount {
		fmt.Fprintf(t, "%s\t", m)
	}
	fmt.Fprintf(t, "p50\tp95\tbuild\tMB\t\n")
	for c, name := range r.names {
		fmt.Fprintf(t, "%s\t", name)
		for _, value := range macro(r.results[c]) {
			fmt.Fprintf(t, "%.3f\t", value)
		}
		p50, p95, build, bytes := worst(r.results[c])
		fmt.Fprintf(t, "%s\t%s\t%s\t%.1f\t\n", p50, p95, build, float64(bytes)/1e6)
	}
	r.writeDifferences(t, func(c int) []result { return r.results[c] })
}

// writeTable writes the figures of one set, or of one kind of message, for every
// contender. of returns the results of a contender by index.
func (r *report) writeTable(t io.Writer, title string, of func(contender int) []result) {
	fmt.Fprintf(t, "\n%s\t", title)
	for m := range metricCount {
		fmt.Fprintf(t, "%s\t", m)
	}
	fmt.Fprintln(t)
	for c, name := range r.names {
		fmt.Fprintf(t, "%s\t", name)
		for _, value := range macro(of(c)) {
			fmt.Fprintf(t, "%.3f\t", value)
		}
		fmt.Fprintln(t)
	}
	r.writeDifferences(t, of)
}

// writeDifferences writes every contender's difference from the baseline.
func (r *report) writeDifferences(t io.Writer, of func(contender int) []result) {
	base := slices.Index(r.names, r.baseline)
	if base < 0 || len(r.names) < 2 {
		return
	}
	fmt.Fprintf(t, "\ndifference from %s\t", r.baseline)
	for _, m := range compared {
		fmt.Fprintf(t, "%s [95 %% interval]\t", m)
	}
	fmt.Fprintln(t)
	for c, name := range r.names {
		if c == base {
			continue
		}
		fmt.Fprintf(t, "%s\t", name)
		for _, m := range compared {
			d := compare(of(c), of(base), m)
			fmt.Fprintf(t, "%+.3f [%+.3f, %+.3f]\t", d.Difference, d.Low, d.High)
		}
		fmt.Fprintln(t)
	}
}

// writeKinds writes a set's figures by kind of message.
func (r *report) writeKinds(t io.Writer, set int) {
	s := r.sets[set]
	for _, kind := range s.kinds() {
		of := func(c int) []result { return []result{r.results[c][set].ofKind(s, kind)} }
		r.writeTable(t, fmt.Sprintf("%s, %s, %d messages", s.name, kind, len(of(0)[0].perQuery)), of)
	}
}

// writeIdle writes how many tools the messages got that need none.
func (r *report) writeIdle(t io.Writer, set int) {
	s := r.sets[set]
	if len(s.idle) == 0 {
		return
	}
	fmt.Fprintf(t, "\n%s, %d messages that need no tool\ttools found, at most %d\t\n", s.name, len(s.idle), Depth)
	for c, name := range r.names {
		fmt.Fprintf(t, "%s\t%.1f\t\n", name, average(r.results[c][set].idle))
	}
}

// worst returns the slowest set's times and the largest set's memory.
func worst(results []result) (p50, p95, build time.Duration, bytes int64) {
	for _, r := range results {
		p50, p95 = max(p50, r.p50), max(p95, r.p95)
		build, bytes = max(build, r.build), max(bytes, r.bytes)
	}
	return p50.Round(time.Microsecond), p95.Round(time.Microsecond), build.Round(100 * time.Microsecond), bytes
}
