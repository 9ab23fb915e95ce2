package bank_test

import (
	"os"
	"testing"

	"github.com/winnow-mcp/winnow/ranker/bank"
	"github.com/winnow-mcp/winnow/ranker/static"
)

// The table that ships is what go generate makes of the source and of the model
// that ships.
func TestTable_IsCompiledFromTheSource(t *testing.T) {
	t.Parallel()
	servers, err := bank.ReadDir(os.DirFS("servers"))
	if err != nil {
		t.Fatal(err)
	}
	model, err := static.Load()
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("phrasings.table")
	if err != nil {
		t.Fatal(err)
	}
	if got := bank.Compile(servers, model); string(got) != string(table) {
		t.Errorf("phrasings.table has %d bytes and is not the %d that the source gives: run go generate ./ranker/bank", len(table), len(got))
	}
	const most = 8 << 20
	if len(table) > most {
		t.Errorf("the table has %d bytes, want at most %d", len(table), most)
	}
}

func TestLoad_KnowsATool(t *testing.T) {
	t.Parallel()
	b, err := bank.Load()
	if err != nil {
		t.Fatal(err)
	}
	found := b.Named("create_pull_request", nil)
	if len(found) == 0 {
		t.Fatal("nobody has create_pull_request")
	}
	if e := b.Entry(found[0]); e.Name != "create_pull_request" || len(e.Phrasings) != 8 || e.Server == "" || len(e.Family) == 0 {
		t.Errorf("entry %+v", e)
	}
}

func BenchmarkParse(b *testing.B) {
	table, err := os.ReadFile("phrasings.table")
	if err != nil {
		b.Fatal(err)
	}
	s := string(table)
	for b.Loop() {
		if _, err := bank.Parse(s); err != nil {
			b.Fatal(err)
		}
	}
}
