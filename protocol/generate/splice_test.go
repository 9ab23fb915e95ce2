package main

import (
	"strings"
	"testing"
)

func TestSpliceManifest(t *testing.T) {
	t.Parallel()
	const before = `{
  "name": "winnow", "z": [1, {"contributes": 2}],
  "capabilities": {"untrustedWorkspaces": {"supported": "limited", "restrictedConfigurations": ["old"]}},
  "contributes": {
    "first": {},
    "configuration": %s,
    "last": {}
  }
}
`
	manifest := strings.Replace(before, "%s", `{"old": [1]}`, 1)
	want := strings.Replace(strings.Replace(before, "%s", `[
      {
        "title": "Basics",
        "order": 1,
        "properties": {}
      },
      {
        "title": "Advanced",
        "order": 2,
        "properties": {}
      }
    ]`, 1), `["old"]`, "[]", 1)
	got, err := spliceManifest([]byte(manifest), nil)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	again, err := spliceManifest(got, nil)
	if err != nil || string(again) != want {
		t.Errorf("a second run changed the file (%v):\n%s", err, again)
	}
}

func TestSpliceManifest_Errors(t *testing.T) {
	t.Parallel()
	for manifest, want := range map[string]string{
		``:                                      "find contributes.configuration: EOF",
		`[]`:                                    "[ is no object",
		`{"contributes": {}}`:                   `there is no key "configuration"; add it with the value {}`,
		`{"contributes": {"configuration": `:    "read contributes.configuration",
		`{"a": {"contributes": {}}, "b": [1, }`: "find contributes.configuration",
		`{"contributes": {"configuration": {}}, "capabilities": {}}`: `there is no key "untrustedWorkspaces"`,
	} {
		_, err := spliceManifest([]byte(manifest), nil)
		checkError(t, err, want)
	}
}

func TestSpliceTable(t *testing.T) {
	t.Parallel()
	got, err := spliceTable([]byte("before\n"+tableStart+"old\n"+tableEnd+"\nafter\n"), nil)
	if err != nil {
		t.Fatal(err)
	}
	want := "before\n" + tableStart + "| setting | default | meaning |\n| --- | --- | --- |\n" + tableEnd + "\nafter\n"
	if string(got) != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
	for readme, want := range map[string]string{
		"no markers":               "there is no line <!-- settings:",
		tableEnd + tableStart + "": "there is no line " + tableEnd + " after",
	} {
		_, err := spliceTable([]byte(readme), nil)
		checkError(t, err, want)
	}
}

func TestScreaming(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"Version": "VERSION", "MaxNameLen": "MAX_NAME_LEN"} {
		if got := screaming(in); got != want {
			t.Errorf("screaming(%q) = %q, want %q", in, got, want)
		}
	}
}
