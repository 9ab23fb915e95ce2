package check

import (
	"encoding/json"
	"fmt"
)

// Since is the comparison with a baseline.
type Since struct {
	// Version is that of the baseline's server, and Tokens the cost of its tools.
	Version string `json:"version,omitempty"`
	Tokens  int    `json:"tokens"`
	// Added, Gone and Changed are names of tools. Changed ones differ in text, parameters
	// or required parameters.
	Added   []string `json:"added,omitempty"`
	Gone    []string `json:"gone,omitempty"`
	Changed []string `json:"changed,omitempty"`
	// Among are the baseline's ranks, comparable if the messages are the same.
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

// name returns the name of the baseline's release.
func (s *Since) name() string {
	if s.Version == "" {
		return "the baseline"
	}
	return s.Version
}
