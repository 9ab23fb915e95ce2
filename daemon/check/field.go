package check

import (
	"encoding/json"
	"errors"
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
	"github.com/winnow-mcp/winnow/router"
	"github.com/winnow-mcp/winnow/router/tokens"
)

// deepest is the last rank examined; a tool not found gets the next one.
const deepest = 100

// field ranks the server's tools, alone and among others, as Winnow does, but without the
// bank's phrasings for this server. The bank has phrasings for few servers, so results
// with them would not be typical.
type field struct {
	name      string
	settings  protocol.Settings
	embedder  ranker.Embedder
	phrasings *bank.Bank
	others    []router.ServerInput
	counter   *tokens.Counter
	// own holds the bank's files that contain tools of the server.
	own []string
	// alone and among are the catalogues of the unchanged tools.
	alone, among *router.Catalog
}

func newField(o *Offer) (*field, error) {
	model, err := static.Load()
	phrasings, failed := bank.Load()
	if err := errors.Join(err, failed); err != nil {
		return nil, err
	}
	f := &field{name: o.Name, settings: protocol.DefaultSettings(), embedder: model, phrasings: phrasings, counter: tokens.New()}
	f.alone = f.catalog(o.Tools, nil, nil)
	f.own = f.known()
	f.phrasings = phrasings.Without(f.own)
	f.others = others(f.phrasings, f.own)
	f.alone = f.catalog(o.Tools, nil, nil)
	f.among = f.catalog(o.Tools, f.others, nil)
	return f, nil
}

// catalog returns a catalogue of tools beside others. It reuses prev's work for the same
// tools.
func (f *field) catalog(tools []json.RawMessage, others []router.ServerInput, prev *router.Catalog) *router.Catalog {
	return router.BuildCatalog(router.CatalogInput{
		Version: 1, Servers: append([]router.ServerInput{{Name: f.name, Tools: tools}}, others...),
		Embedder: f.embedder, Phrasings: f.phrasings, Count: func(string) int { return 0 },
	}, prev)
}

// tools returns the server's tools as the catalogue has read them.
func (f *field) tools() []router.Tool { return f.alone.Tools[:f.alone.Servers[0].End] }

// known returns the bank's files for this server or another version of it: those that
// contain half of its tools, or of which half are its tools.
func (f *field) known() []string {
	tools := f.tools()
	hits, all := map[string]int{}, map[string]int{}
	for i := range f.phrasings.Len() {
		all[f.phrasings.Entry(i).Server]++
	}
	server := bank.Words(f.name)
	for i := range tools {
		t := &tools[i]
		seen := map[string]bool{}
		prints, text := prints(t), bank.DescriptionPrint(t.Description)
		for _, entry := range f.phrasings.Named(t.Definition.Name, server) {
			if f.phrasings.Describes(entry, text) || f.phrasings.Overlap(entry, prints) >= alike {
				seen[f.phrasings.Entry(entry).Server] = true
			}
		}
		for name := range seen {
			hits[name]++
		}
	}
	var own []string
	for name, n := range hits {
		if 2*n >= len(tools) || 2*n >= all[name] {
			own = append(own, name)
		}
	}
	slices.Sort(own)
	return own
}

// alike is the overlap of parameters from which a tool of the same name counts as the
// same.
const alike = 0.4

func prints(t *router.Tool) []uint16 {
	names := make([]string, len(t.Parameters))
	for i := range t.Parameters {
		names[i] = t.Parameters[i].Name
	}
	return bank.ParameterPrints(names)
}

// said returns the bank's messages for this server's tools.
func (f *field) said() ([]Message, error) {
	whole, err := bank.Load()
	if err != nil {
		return nil, err
	}
	var messages []Message
	tools := f.tools()
	for i := range tools {
		for _, entry := range whole.Named(tools[i].Definition.Name, bank.Words(f.name)) {
			e := whole.Entry(entry)
			if slices.Contains(f.own, e.Server) {
				for _, text := range e.Phrasings {
					messages = append(messages, Message{Text: text, Needs: [][]string{{tools[i].Definition.Name}}})
				}
				break
			}
		}
	}
	return messages, nil
}

// order returns the tools for a text, best first, as ordinals of the catalogue.
func (f *field) order(c *router.Catalog, text string) []int {
	matches := router.NewView(c, &f.settings, nil).Search(&router.Task{}, text, deepest, false)
	order := make([]int, len(matches))
	for i, m := range matches {
		order[i] = m.Doc
	}
	return order
}

// need is a need of a message that any of tools meets.
type need struct {
	message int
	tools   []int
	// also holds all tools that the message needs, which do not displace each other.
	also []int
}

// rank returns the place of the first of the tools in an order, not counting the
// message's other needed tools.
func (n *need) rank(order []int) int {
	rank := 1
	for _, tool := range order {
		switch {
		case slices.Contains(n.tools, tool):
			return rank
		case !slices.Contains(n.also, tool):
			rank++
		}
	}
	return deepest + 1
}

// ranksOf summarizes ranks.
func ranksOf(ranks []int) Ranks {
	r := Ranks{Messages: len(ranks)}
	if len(ranks) == 0 {
		return r
	}
	sorted := slices.Sorted(slices.Values(ranks))
	r.Median = sorted[len(sorted)/2]
	for _, rank := range ranks {
		if rank == 1 {
			r.First++
		}
		if rank <= 5 {
			r.Five++
		}
		if rank <= 10 {
			r.Ten++
		}
	}
	return r
}

// count returns the number of tokens of a text.
func (f *field) count(text string) int { return f.counter.Count(text) }
