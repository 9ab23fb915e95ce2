package main

import (
	"encoding/json"
	"strings"
	"testing"
)

const settingsSource = `
type Settings struct {
	// Tools for the first message; see
	// 'winnow.mode'.
	K int 'json:"k" limits:"0,10" title:"First" basic:"1"'
	// A group.
	Group Group 'json:"group"'
	// An address.
	URL string 'json:"url" restricted:"true" title:"Address"'
	// How a|b.
	Mode Mode 'json:"mode" scope:"machine" title:"How"'
}
type Group struct {
	// Hosts to leave out.
	Hosts []string 'json:"hosts" title:"Hosts"'
}
type Mode string
const (
	// ModeFast is quick.
	ModeFast Mode = "fast"
)`

type testSettings struct {
	K     int `json:"k"`
	Group struct {
		Hosts []string `json:"hosts"`
	} `json:"group"`
	URL  string `json:"url"`
	Mode string `json:"mode"`
}

func testDefaults() testSettings {
	s := testSettings{K: 3, Mode: "fast"}
	s.Group.Hosts = []string{}
	return s
}

func TestConfiguration(t *testing.T) {
	t.Parallel()
	settings, err := listSettings(parse(t, settingsSource), testDefaults())
	if err != nil {
		t.Fatal(err)
	}
	value, err := configuration(settings)
	if err != nil {
		t.Fatal(err)
	}
	got, err := encode(value)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Join([]string{
		`[{"title":"Basics","order":1,"properties":{`,
		`"winnow.k":{"type":"integer","minimum":0,"maximum":10,"default":3,"order":1,`,
		"\"markdownDescription\":\"**First.** Tools for the first message; see `#winnow.mode#`.\"}}},",
		`{"title":"Advanced","order":2,"properties":{`,
		`"winnow.group.hosts":{"type":"array","items":{"type":"string"},"default":[],`,
		`"markdownDescription":"**Hosts.** Hosts to leave out."},`,
		`"winnow.url":{"type":"string","default":"","markdownDescription":"**Address.** An address."},`,
		`"winnow.mode":{"type":"string","enum":["fast"],"markdownEnumDescriptions":["Quick."],"default":"fast","scope":"machine",`,
		`"markdownDescription":"**How.** How a|b."}}}]`,
	}, "")
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestRestricted(t *testing.T) {
	t.Parallel()
	settings, err := listSettings(parse(t, settingsSource), testDefaults())
	if err != nil {
		t.Fatal(err)
	}
	if got := restricted(settings); len(got) != 1 || got[0] != "winnow.url" {
		t.Errorf("restricted: %q", got)
	}
}

func TestSettingsTable(t *testing.T) {
	t.Parallel()
	settings, err := listSettings(parse(t, settingsSource), testDefaults())
	if err != nil {
		t.Fatal(err)
	}
	want := "| setting | default | meaning |\n| --- | --- | --- |\n" +
		"| `winnow.k` | `3` | Tools for the first message; see `winnow.mode`. |\n" +
		"| `winnow.group.hosts` | `[]` | Hosts to leave out. |\n" +
		"| `winnow.url` |  | An address. |\n" +
		"| `winnow.mode` | `fast` | How a\\|b.<br>`fast`: Quick. |\n"
	if got := settingsTable(settings); got != want {
		t.Errorf("got:\n%s\nwant:\n%s", got, want)
	}
}

func TestListSettings_Errors(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct{ name, body, defaults, want string }{
		{"no settings", `type T struct{}`, `{}`, "does not declare Settings"},
		{"no default", "type Settings struct {\n// Doc.\nK int 'json:\"k\"'\n}", `{}`, "setting winnow.k: every setting has a name"},
		{"no title", "type Settings struct {\n// Doc.\nK int 'json:\"k\"'\n}", `{"k":1}`, "setting winnow.k: needs the tag title"},
		{"null default", "type Settings struct {\n// Doc.\nK []string 'json:\"k\"'\n}", `{"k":null}`, "setting winnow.k: every setting"},
		{"optional", "type Settings struct {\n// Doc.\nK int 'json:\"k,omitempty\"'\n}", `{"k":1}`, "setting winnow.k: every setting"},
		{"unknown default", "type Settings struct {\n// Doc.\nK E 'json:\"k\" title:\"K\"'\n}\ntype E string\nconst A E = \"a\"", `{"k":"b"}`, `setting winnow.k: its default "b" is none of its values`},
		{"no doc", "type Settings struct {\nK int 'json:\"k\" title:\"K\"'\n}", `{"k":1}`, "setting winnow.k: needs a doc comment"},
		{"defaults of another shape", `type Settings struct{}`, `[]`, "read the defaults of winnow."},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			_, err := listSettings(parse(t, tc.body), json.RawMessage(tc.defaults))
			checkError(t, err, tc.want)
		})
	}
}

func TestConfiguration_BadLimits(t *testing.T) {
	t.Parallel()
	for limits, want := range map[string]string{"5": "want a lowest and a highest", "0,many": "invalid syntax"} {
		pkg := parse(t, "type Settings struct {\n// Doc.\nK int 'json:\"k\" title:\"K\" limits:\""+limits+"\"'\n}")
		settings, err := listSettings(pkg, json.RawMessage(`{"k":1}`))
		if err != nil {
			t.Fatal(err)
		}
		_, err = configuration(settings)
		checkError(t, err, want)
	}
}
