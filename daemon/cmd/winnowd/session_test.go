package main

import (
	"path/filepath"
	"testing"
)

func TestCheckJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"threshold": 20}`:          "",
		"{\n  \"threshold\": 20,\n}": `f:3:1: from here on, this is not JSON`,
		`[1]`:                        `f:1:1: settings are a JSON object, such as {"threshold": 20}`,
		``:                           `f:1:1: from here on, this is not JSON`,
	} {
		got := ""
		if err := checkJSON("f", []byte(text)); err != nil {
			got = err.Error()
		}
		if got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

// What is named and not there is told before anything starts.
func TestSessionFlags_filesHaveToBeThere(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.json")
	consents := sessionFlags{consents: []string{missing}}
	_, err := consents.consentFiles()
	if want := "-consent: " + missing + " is not a file that can be read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	settings := sessionFlags{settings: missing}
	_, err = settings.initialize("servers", t.TempDir())
	if want := "-settings: " + missing + " is not a file that can be read"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}
