package bank

import (
	"strings"
	"testing"
)

// Every sign that ships can be read, stands once, and its family's words are folded
// as those of servers are.
func TestSigns_ship(t *testing.T) {
	t.Parallel()
	signs, err := parseSigns(signsText)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, s := range signs {
		key := string(s.kind) + " " + s.pattern
		if seen[key] {
			t.Errorf("%s stands twice", key)
		}
		seen[key] = true
		for _, family := range s.families {
			if strings.Join(Words(family), " ") != family {
				t.Errorf("%s: family %q, want %q", key, family, strings.Join(Words(family), " "))
			}
		}
	}
}

func TestParseSigns_errors(t *testing.T) {
	t.Parallel()
	for source, want := range map[string]string{
		"file a: b\nfolder c: d": `signs.txt:2: kind "folder": want file, dependency, host or shape`,
		"file a":                 `signs.txt:1: "file a": want KIND NAME: FAMILY, FAMILY`,
		"host *.a.*: b":          `signs.txt:1: "*.a.*": a name has one * at most`,
	} {
		if _, err := parseSigns(source); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", source, err, want)
		}
	}
}

// Two signs of one family outweigh a single one of another, and one that speaks for
// three families tells a third.
func TestSpeakFor(t *testing.T) {
	t.Parallel()
	got := SpeakFor([]Clue{
		{FileClue, "main.tf", "tf"}, {FileClue, "k8s/", "k8s"}, {FileClue, "Chart.yaml", "chart"},
		{DependencyClue, "MongoDB", "mongo"}, {FileClue, "mongodb", "no"}, {HostClue, "gitlab.example.org", "remote"},
	})
	var order []string
	for _, s := range got {
		order = append(order, s.Family+"="+s.Evidence)
	}
	// kubernetes 1 + 1/2; gitlab and mongodb 1; helm, opentofu and terraform 1/2.
	want := "kubernetes=k8s gitlab=remote mongodb=mongo helm=chart opentofu=tf terraform=tf"
	if strings.Join(order, " ") != want {
		t.Errorf("got %s, want %s", strings.Join(order, " "), want)
	}
}

func TestMessageClues(t *testing.T) {
	t.Parallel()
	for message, want := range map[string]string{
		"nothing of the kind":  "",
		"post it to #releases": "",
		"close #12":            "",
		"see https://me:pw@linear.app:443/x/ABC-1, ok?": "host linear.app",
		"PAY-331 is stuck":         "",
		"search logs-* for errors": "shape index pattern",
		"a-b 3-4 UTF- -1":          "",
	} {
		var got []string
		for _, c := range MessageClues(message) {
			got = append(got, string(c.Kind)+" "+c.Name)
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q: %q, want %q", message, got, want)
		}
	}
}
