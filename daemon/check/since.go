package check

import (
	"encoding/json"
	"fmt"
)

// Since is what changed since a baseline.
type Since struct {
	// Version is that of the baseline's server, and Tokens what its tools cost then.
	Version string `json:"version,omitempty"`
	Tokens  int    `json:"tokens"`
	// Added, Gone and Changed are tools by name: Changed are those of which another
	// text, other parameters or other required ones are seen.
	Added   []string `json:"added,omitempty"`
	Gone    []string `json:"gone,omitempty"`
	Changed []string `json:"changed,omitempty"`
	// Among are the ranks then; comparable where the messages are the same.
	Among Ranks `json:"among,omitzero"`
}

// ReadBaseline reads a report that an earlier run wrote.
func ReadBaseline(data []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(data, r); err != nil {
		return nil, err
	}
	if r.Format != Format {
		return nil, fmt.Errorf("it is no report of format %d, as -write-baseline and -json write it", Format)
	}
	return r, nil
}

// name is what the release of the baseline is called.
func (s *Since) name() string {
	if s.Version == "" {
		return "the baseline"
	}
	return s.Version
}
