package ranker

import (
	"math"
	"slices"
	"strings"
	"testing"
)

// TestActions: tools are told apart by what their verbs do, however a message puts
// it.
func TestActions(t *testing.T) {
	t.Parallel()
	c := NewCorpus(tools(t, "files.read_file: Read a file", "files.write_file: Write a file",
		"files.rename_file: Rename a file", "files.delete_file: Delete a file"), nil)
	for message, want := range map[string]string{
		"stick the todos into a file": "files.write_file",
		"what does the file say":      "files.read_file",
		"flip the file over":          "files.rename_file",
		"get rid of the file":         "files.delete_file",
	} {
		best := ids(c, c.Ranker(Auto).Rank(Query{Text: message, Limit: 2}))
		if !strings.Contains(best, want) {
			t.Errorf("%q finds %s first, want %s among them", message, best, want)
		}
	}
}

// TestAction_Score: a tool whose verb is of a kind that is asked for gains .12
// of what it has for its words and its name.
func TestAction_Score(t *testing.T) {
	t.Parallel()
	docs := tools(t, "files.write_file: Put text on the disk", "files.export_file: Put text on the disk")
	for _, test := range []struct {
		message string
		gains   []string
	}{{"put the text there", []string{"files.write_file"}}, {"the text there", nil}} {
		c := NewCorpus(docs, nil)
		for _, m := range c.Ranker(Auto).Rank(Query{Text: test.message, Explain: true}) {
			before, gained := 0.0, 0.0
			for _, p := range m.Parts {
				switch p.Name {
				case "kind of action":
					gained = p.Value
				case "server's other tools", "copy of a tool above":
				default:
					before += p.Value
				}
			}
			want := 0.0
			if slices.Contains(test.gains, c.Document(m.Doc).ID) {
				want = .12 * before
			}
			if math.Abs(gained-want) > 1e-4 {
				t.Errorf("%q: %s gains %v, want %v of %+v", test.message, c.Document(m.Doc).ID, gained, want, m.Parts)
			}
		}
	}
}
