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

// deepest is the last rank that is looked at; what is not found until then has the
// next one.
const deepest = 100

// field ranks the server's tools, alone and among others, as Winnow does: but
// without what its bank has of this server. What people say when they need a
// server's tools is known of few servers, and of none of its models.
type field struct {
	name      string
	settings  protocol.Settings
	embedder  ranker.Embedder
	phrasings *bank.Bank
	others    []router.ServerInput
	counter   *tokens.Counter
	// own are the files of the bank that know tools of the server.
	own []string
	// alone and among rank the tools as they are.
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

// catalog is one of tools, beside those of others. What prev has of the same tools
// is used again.
func (f *field) catalog(tools []json.RawMessage, others []router.ServerInput, prev *router.Catalog) *router.Catalog {
	return router.BuildCatalog(router.CatalogInput{
		Version: 1, Servers: append([]router.ServerInput{{Name: f.name, Tools: tools}}, others...),
		Embedder: f.embedder, Phrasings: f.phrasings, Count: func(string) int { return 0 },
	}, prev)
}

// tools are those of the server, as the catalogue has read them.
func (f *field) tools() []router.Tool { return f.alone.Tools[:f.alone.Servers[0].End] }

// known returns the files of the bank that are of this server, or of another
// version of it: which know half of its tools, or have half of theirs from it.
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

// alike is from how much agreement of parameters a tool of the same name is taken
// for the same.
const alike = 0.4

func prints(t *router.Tool) []uint16 {
	names := make([]string, len(t.Parameters))
	for i := range t.Parameters {
		names[i] = t.Parameters[i].Name
	}
	return bank.ParameterPrints(names)
}

// said returns the messages that the bank has for this server's tools.
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

// need is a tool that a message needs: any of tools, ordinals of the server's.
type need struct {
	message int
	tools   []int
	// also are all tools that the message needs: none of them stands in the way of
	// another.
	also []int
}

// rank is where the first of the tools stands in an order, not counting others that
// the message needs.
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

// ranksOf sums up ranks.
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

// count returns the tokens of a text.
func (f *field) count(text string) int { return f.counter.Count(text) }
