package ranker_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker"
)

// clusterTools are a server's tools for pods, and for any kind of resource, among
// many of another server.
func clusterTools() []ranker.Document {
	var docs []ranker.Document
	add := func(server, name, description string, parameters ...string) {
		d := ranker.Document{ID: server + "/" + name, Server: server, Name: name, Description: description}
		for _, p := range parameters {
			d.Parameters = append(d.Parameters, ranker.Parameter{Name: p, Required: true})
		}
		docs = append(docs, d)
	}
	for _, verb := range []string{"list", "log", "run", "top", "exec", "restart"} {
		add("cluster", "pods_"+verb, "Pods of a namespace: "+verb+".", "namespace")
	}
	add("cluster", "resources_create_or_update", "Apply YAML.", "manifest")
	add("cluster", "resources_get", "Return one by kind.", "kind", "title")
	for i := range 120 {
		add("mall", fmt.Sprintf("door_%d", i), "Open a door.", "door")
	}
	for i := range 30 {
		add("shop", fmt.Sprintf("article_%d_log", i), "Show the log of an article.", "article")
	}
	return docs
}

// TestGeneric: where a server's special tools lead, those for anything of a kind
// are among the first fifteen, and the reason says so.
func TestGeneric(t *testing.T) {
	t.Parallel()
	r := ranker.NewCorpus(clusterTools(), nil).Ranker(ranker.Auto)
	found := r.Rank(ranker.Query{Text: "list the pods, run them and show their log", Limit: 30, Explain: true})
	docs := clusterTools()
	var names []string
	for _, m := range found[:15] {
		names = append(names, docs[m.Doc].Name)
	}
	for _, name := range []string{"resources_create_or_update", "resources_get"} {
		at := slices.Index(names, name)
		if at < 0 {
			t.Fatalf("%s is not among %q", name, names)
		}
		part := slices.IndexFunc(found[at].Parts, func(p ranker.Part) bool { return p.Name == "needed for" })
		if part < 0 {
			t.Fatalf("%s: %+v", name, found[at].Parts)
		}
		const want = "It serves anything of a kind, on the server that fits best."
		if why := ranker.Sentence(found[at].Parts[part : part+1]); why != want {
			t.Errorf("%s: got %q, want %q", name, why, want)
		}
	}
}

// TestGeneric_needsLeader: where no server leads, none of its generic tools comes
// along.
func TestGeneric_needsLeader(t *testing.T) {
	t.Parallel()
	docs := clusterTools()
	r := ranker.NewCorpus(docs, nil).Ranker(ranker.Auto)
	for _, m := range r.Rank(ranker.Query{Text: "articles of the shop", Limit: 30}) {
		if strings.HasPrefix(docs[m.Doc].Name, "resources_") {
			t.Errorf("%s is there", docs[m.Doc].Name)
		}
	}
}

// TestLongMessage: of a message of many sentences each gets a tool among the
// first thirty, also where most of them are about one thing.
func TestLongMessage(t *testing.T) {
	t.Parallel()
	var docs []ranker.Document
	add := func(server, name, description string) {
		docs = append(docs, ranker.Document{ID: server + "/" + name, Server: server, Name: name, Description: description})
	}
	var message strings.Builder
	for i := range 60 {
		add("orders", fmt.Sprintf("orders_%d", i), "Orders, invoices and customers of the shop.")
	}
	for _, verb := range []string{"sum up", "sort", "compare", "group", "filter", "check", "count", "rank", "join", "clean", "merge"} {
		fmt.Fprintf(&message, "Then %s the orders and invoices of the shop's customers. ", verb)
	}
	for _, thing := range []string{"calendar", "weather", "playlist"} {
		add(thing, "open_"+thing, "Open the "+thing+" of the user.")
		fmt.Fprintf(&message, "After that open my %s for the evening. ", thing)
	}
	found := ranker.NewCorpus(docs, nil).Ranker(ranker.Auto).Rank(ranker.Query{Text: message.String(), Limit: 30})
	for _, thing := range []string{"calendar", "weather", "playlist"} {
		if !slices.ContainsFunc(found, func(m ranker.Match) bool { return docs[m.Doc].Server == thing }) {
			t.Errorf("no tool of %s", thing)
		}
	}
}
