package bank

import (
	"hash/fnv"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
)

// letters is an embedder for tests: a token for each letter a to z, and one
// dimension for each.
type letters struct{}

func (letters) Dim() int { return 26 }

func (letters) Tokens(dst []int32, s string) []int32 {
	for _, r := range strings.ToLower(s) {
		if 'a' <= r && r <= 'z' {
			dst = append(dst, r-'a')
		}
	}
	return dst
}

func (letters) Embed(dst []float32, tokens []int32, weights []float32) bool {
	clear(dst)
	for i, t := range tokens {
		dst[t] += weights[i]
	}
	return len(tokens) > 0
}

const source = `server git hub

# a comment
tool create_issue 0000002a 0001 0002 0003 0004
	zzz zz
	say it
tool git_status 00000000
	what changed
`

// read reads servers from texts by name.
func read(t *testing.T, texts map[string]string) []Server {
	t.Helper()
	var servers []Server
	for name, text := range texts {
		s, err := ReadServer(name, strings.NewReader(text))
		if err != nil {
			t.Fatal(err)
		}
		servers = append(servers, s)
	}
	return servers
}

func compiled(t *testing.T, servers []Server) *Bank {
	t.Helper()
	b, err := Parse(string(Compile(servers, letters{})))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func TestSource_RoundTrip(t *testing.T) {
	t.Parallel()
	s := read(t, map[string]string{"git": source})[0]
	var out strings.Builder
	if err := s.Write(&out); err != nil {
		t.Fatal(err)
	}
	want := strings.ReplaceAll(strings.ReplaceAll(source, "\n# a comment", ""), "say it\ntool", "say it\n\ntool")
	if out.String() != want {
		t.Errorf("written\n%s\nwant\n%s", out.String(), want)
	}
}

func TestReadServer_Errors(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"\tphrasing":                     `s.txt:1: phrasing "phrasing" stands before the first tool`,
		"server s\nnonsense":             `s.txt:2: "nonsense": want a line that starts with`,
		"tool alone":                     `s.txt:1: tool "alone": want a name and prints`,
		"tool name xyz":                  `s.txt:1: tool name: print "xyz": want a hexadecimal number of 32 bits`,
		"tool name 0 12345":              `s.txt:1: tool name: print "12345": want a hexadecimal number of 16 bits`,
		"server s\n\t\n":                 `s.txt:2: phrasing "" stands before`,
		strings.Repeat("x", 70_000) + "": "read s.txt: bufio.Scanner: token too long",
	} {
		if _, err := ReadServer("s", strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.20q: error %v, want %q", text, err, want)
		}
	}
}

func TestNamed(t *testing.T) {
	t.Parallel()
	b := compiled(t, read(t, map[string]string{"git": source}))
	for _, test := range []struct {
		name, server, want string
	}{
		{"create_issue", "x", "create_issue"},
		{"createIssue", "x", "create_issue"},
		{"jira-create-issue", "jira", "create_issue"},
		{"jira-create-issue", "x", ""},
		{"status", "x", ""}, // one word is no name
		{"git status", "x", "git_status"},
		{"create", "x", ""},
		{"", "", ""},
	} {
		got := ""
		for _, i := range b.Named(test.name, Words(test.server)) {
			got += b.Entry(i).Name
		}
		if got != test.want {
			t.Errorf("%s of %s finds %q, want %q", test.name, test.server, got, test.want)
		}
	}
	if got := compiled(t, read(t, map[string]string{"git": strings.Replace(source, "git_status", "git_show_status", 1)})).Named("show_status", nil); len(got) != 1 {
		t.Errorf("without the words of its server's name found: %v", got)
	}
	if got := b.Without([]string{"git"}).Named("create_issue", nil); got != nil {
		t.Errorf("a server that is left out is found: %v", got)
	}
}

func TestFamily(t *testing.T) {
	t.Parallel()
	b := compiled(t, read(t, map[string]string{"a": source, "b": strings.Replace(source, "server git hub", "server git", 1)}))
	for name, want := range map[string]string{
		"git": "git", "my-git": "git", "git-hub-acme": "git hub", "acme-hub": "", "": "",
	} {
		if got := strings.Join(b.Family(Words(name)), " "); got != want {
			t.Errorf("%q is of family %q, want %q", name, got, want)
		}
	}
	if got := b.Without([]string{"a"}).Family(Words("git-hub-acme")); len(got) != 1 {
		t.Errorf("without the server a: family %q, want git", got)
	}
}

func TestOverlap(t *testing.T) {
	t.Parallel()
	b := compiled(t, read(t, map[string]string{"git": source}))
	for _, test := range []struct {
		entry  int
		prints []uint16
		want   float64
	}{
		{0, []uint16{1, 2, 3, 4}, 1},
		{0, []uint16{1}, 0.5}, // 1 / √(4·1)
		{0, []uint16{7, 8}, 0},
		{0, nil, 0},
		{1, nil, 0.5},
		{1, []uint16{1}, 0},
	} {
		if got := b.Overlap(test.entry, test.prints); got != test.want {
			t.Errorf("entry %d with %v: %v, want %v", test.entry, test.prints, got, test.want)
		}
	}
}

func TestKnown(t *testing.T) {
	t.Parallel()
	b := compiled(t, read(t, map[string]string{"git": source}))
	for _, test := range []struct {
		what, server string
		description  uint32
		parameters   []uint16
		want         bool
	}{
		{"by its server", "my-hub-git", 0, []uint16{1, 2, 3, 4}, true},
		{"by its description", "x", 0x2a, []uint16{1, 2, 3, 9}, true},
		{"by its description, with one parameter left", "x", 0x2a, []uint16{4, 7, 8, 9, 10, 11}, true},
		{"by its server, with one parameter left", "git-hub", 0, []uint16{4, 7, 8, 9, 10, 11}, false},
		{"by its name alone", "x", 0x2b, []uint16{1, 2, 3, 4}, false},
		{"with half of the server's name", "git", 0, []uint16{1, 2, 3, 4}, false},
		{"with other parameters", "git-hub", 0x2a, []uint16{7, 8, 9}, false},
	} {
		if _, ok := b.Known("create_issue", Words(test.server), test.description, test.parameters); ok != test.want {
			t.Errorf("%s: known %v", test.what, ok)
		}
	}
}

func TestNear(t *testing.T) {
	t.Parallel()
	b := compiled(t, read(t, map[string]string{"git": source}))
	v := make([]float32, 26)
	v['z'-'a'] = 1
	near := b.Nearest().Near(b.Vector(v), 5)
	if len(near) != 2 || near[0].Entry != 0 || near[0].Similarity <= near[1].Similarity || near[1].Similarity != 0 {
		t.Errorf("near z: %+v, want create_issue first, and git_status, which has none", near)
	}
	if got := b.Nearest().Near(b.Vector(make([]float32, 26)), 1); len(got) != 1 || got[0].Similarity != 0 {
		t.Errorf("near nothing: %+v", got)
	}
	if got := b.Without([]string{"git"}).Nearest().Near(b.Vector(v), 5); len(got) != 0 {
		t.Errorf("near z without the server: %+v", got)
	}
}

// A token that all tools have counts √(0.03/1.03), one of half of them
// √(0.03/0.53), each as a multiple of 1/255, one that none has 1.
func TestWeights(t *testing.T) {
	t.Parallel()
	b := compiled(t, read(t, map[string]string{"git": source}))
	got := b.Weights(nil, []int32{'s' - 'a', 'z' - 'a', 'q' - 'a', 99})
	want := []float32{44.0 / 255, 61.0 / 255, 1, 1}
	if !slices.Equal(got, want) {
		t.Errorf("weights %v, want %v", got, want)
	}
}

func TestParse_Damaged(t *testing.T) {
	t.Parallel()
	whole := string(Compile(read(t, map[string]string{"git": source}), letters{}))
	for _, test := range []struct{ table, want string }{
		{"", "does not start with PHR1"},
		{"PHR2" + whole[4:], "does not start with PHR1"},
		{whole[:len(whole)-1], "ends too early"},
		{whole + "x", "1 bytes too many"},
		{whole[:30], "ends too early"},
	} {
		if _, err := Parse(test.table); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%d bytes: error %v, want %q", len(test.table), err, test.want)
		}
	}
}

func TestCheck(t *testing.T) {
	t.Parallel()
	eight := "\tone a\n\ttwo b\n\tthree c\n\tfour d\n\tfive e\n\tsix f\n\tseven g\n\teight h\n"
	other := strings.ReplaceAll(eight, "\t", "\tother ")
	for _, test := range []struct{ what, text, want string }{
		{"sound", "server s\ntool a 0\n" + eight + "tool b 0\n" + other, ""},
		{"no family", "tool a 0\n" + eight, `no line "server"`},
		{"missing", "server s\ntool a 0\n", "s.txt:2: tool a: has 0 phrasings, want 8"},
		{"doubled", "server s\ntool a 0\n" + strings.Replace(eight, "two b", "one a", 1), `"one a" says the same as one of a`},
		{"interchangeable", "server s\ntool a 0\n" + eight + "tool b 0\n" + strings.Replace(other, "other one a", "the Ones a 17", 1), `"the Ones a 17" says the same as one of a`},
		{"out of order", "server s\ntool b 0\n" + eight + "tool a 0\n" + other, "tool a: stands after b"},
		{"twice", "server s\ntool a 0\n" + eight + "tool a 0\n" + other, "tool a: stands after a"},
		{"spaces", "server s\ntool a 0\n" + strings.Replace(eight, "two b", "two  b", 1), "without spaces at the ends or doubled"},
	} {
		got := strings.Join(Check(&read(t, map[string]string{"s": test.text})[0]), "\n")
		if test.want == "" && got != "" || !strings.Contains(got, test.want) {
			t.Errorf("%s: %q, want %q", test.what, got, test.want)
		}
	}
}

// Every file of the source is sound.
func TestSource_IsSound(t *testing.T) {
	t.Parallel()
	servers, err := ReadDir(os.DirFS("servers"))
	if err != nil {
		t.Fatal(err)
	}
	for i := range servers {
		for _, problem := range Check(&servers[i]) {
			t.Error(problem)
		}
	}
}

func TestDescriptionPrint_LayoutDoesNotCount(t *testing.T) {
	t.Parallel()
	if a, b := DescriptionPrint("Create an issue."), DescriptionPrint("  create\n\nan ISSUE"); a != b || a == 0 {
		t.Errorf("prints %x and %x", a, b)
	}
	if a, b := DescriptionPrint("Create an issue."), DescriptionPrint("Create a issue."); a == b {
		t.Errorf("two descriptions have the print %x", a)
	}
	if got := DescriptionPrint(" -- "); got != 0 {
		t.Errorf("nothing has the print %x", got)
	}
}

// Prints are written in the source: they must not change.
func TestPrints_AreFixed(t *testing.T) {
	t.Parallel()
	h := fnv.New32a()
	h.Write([]byte("issue number"))
	want := uint16(h.Sum32() ^ h.Sum32()>>16)
	if got := ParameterPrints([]string{"issueNumber", "issue_number"}); len(got) != 1 || got[0] != want {
		t.Errorf("prints %04x, want %04x", got, want)
	}
	if got := DescriptionPrint("a"); got != 0xe40c292c {
		t.Errorf("print %08x", got)
	}
}

// TestNearest: what the vector before was found by changes nothing of what is
// found, however far it is.
func TestNearest(t *testing.T) {
	t.Parallel()
	b, err := Load()
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	v, kept := make([]float32, b.Dim()), b.Nearest()
	for i := range 300 {
		for k := range v {
			if rng.IntN(1+i%40) == 0 { // often a few elements, sometimes all
				v[k] = float32(rng.NormFloat64())
			}
		}
		got, want := kept.Near(b.Vector(v), 3), b.Nearest().Near(b.Vector(v), 3)
		if !slices.Equal(got, want) {
			t.Fatalf("vector %d: got %v, want %v", i, got, want)
		}
	}
}
