package evaluate

import (
	"encoding/json"
	"fmt"
	"os"
)

// before prefixes the names of rankers measured by another version.
const before = "before "

// savedRanker holds one ranker's results for every message, as written by -save for
// -paired.
type savedRanker struct {
	Name string              `json:"name"`
	Sets map[string]savedSet `json:"sets"`
}

// savedSet holds the figures of a set's messages in the set's order, and the numbers of
// tools for messages that need none.
type savedSet struct {
	Messages []figures `json:"messages"`
	Idle     []float64 `json:"idle,omitempty"`
}

// save writes the figures of every message to a file.
func (r *report) save(file string) error {
	saved := make([]savedRanker, len(r.names))
	for i, name := range r.names {
		saved[i] = savedRanker{name, map[string]savedSet{}}
		for k, s := range r.sets {
			saved[i].Sets[s.name] = savedSet{r.results[i][k].perQuery, r.results[i][k].idle}
		}
	}
	data, err := json.Marshal(saved)
	if err == nil {
		err = os.WriteFile(file, data, 0o644)
	}
	if err != nil {
		return fmt.Errorf("save the figures of every message: %w", err)
	}
	return nil
}

// addSaved adds the rankers that another version saved for the same messages, without
// times and memory.
func (r *report) addSaved(file string) error {
	data, err := os.ReadFile(file)
	if err != nil {
		return fmt.Errorf("read saved figures: %w", err)
	}
	var saved []savedRanker
	if err := json.Unmarshal(data, &saved); err != nil {
		return fmt.Errorf("saved figures %s: %w: want a file that -save wrote", file, err)
	}
	for _, ranker := range saved {
		results := make([]result, len(r.sets))
		for i, s := range r.sets {
			set := ranker.Sets[s.name]
			if len(set.Messages) != len(s.queries) {
				return fmt.Errorf("saved figures %s: %s has %d messages of set %s, and the set has %d: save them with the same -data and -limit",
					file, ranker.Name, len(set.Messages), s.name, len(s.queries))
			}
			results[i] = result{perQuery: set.Messages, idle: set.Idle, mean: mean(set.Messages)}
		}
		r.add(before+ranker.Name, results)
	}
	return nil
}
