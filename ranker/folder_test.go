package ranker

import (
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/signals"
)

func TestFolder_liftsTheFamilyByAShareOfWhatItHas(t *testing.T) {
	t.Parallel()
	docs := tools(t, "nomad.list_releases: List the releases", "helm-mcp.list_releases: List the releases", "helm-mcp.rotate: Rotate a picture")
	c := NewCorpus(docs, nil)
	rank := func(families ...Family) []Match {
		return c.Ranker(Auto).Rank(Query{Text: "list the releases", Families: families, Explain: true})
	}
	without := ids(c, rank())
	if !strings.HasPrefix(without, "nomad.list_releases helm-mcp") {
		t.Fatalf("without a folder the order is %q", without)
	}
	helm := Family{"helm", "this folder has a Chart.yaml"}
	found := rank(helm)
	if got := ids(c, found); !strings.HasPrefix(got, "helm-mcp.list_releases") {
		t.Errorf("with helm's folder the order is %q", got)
	}
	if strings.Contains(ids(c, found), "rotate") {
		t.Error("a tool that fits in nothing is lifted by its folder alone")
	}
	// A quarter of what the signals before it come to.
	before, share := 0.0, 0.0
	for _, p := range found[0].Parts {
		switch p.Name {
		case "folder":
			share = p.Value
			if p.Detail != helm.Evidence || partClause(p) != helm.Evidence {
				t.Errorf("the part says %q", p.Detail)
			}
		case "server's other tools", "server named", "copy of a tool above":
		default:
			before += p.Value
		}
	}
	if want := signals.Round(0.25 * before); share != want || share == 0 {
		t.Errorf("the folder adds %v, want %v", share, want)
	}
	// The first three count.
	other := Family{"other", "x"}
	if got := ids(c, rank(other, other, other, helm)); got != without {
		t.Errorf("with a fourth family the order is %q, want %q", got, without)
	}
}
