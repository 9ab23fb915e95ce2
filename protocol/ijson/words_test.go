package ijson

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	jsonexp "github.com/go-json-experiment/json"
)

func TestWords(t *testing.T) {
	t.Parallel()
	type file struct {
		List  []string `json:"list"`
		Inner struct {
			Count int  `json:"count"`
			On    bool `json:"on"`
		} `json:"inner"`
	}
	for text, want := range map[string]string{
		`[]`:                      "the JSON must be an object, not a list",
		`{"list":"a"}`:            "list must be a list, not a text",
		`{"inner":{"count":1.5}}`: "inner.count must be a whole number, not such a number",
		`{"inner":{"on":{}}}`:     "inner.on must be true or false, not an object",
		`{"list":[}`:              "what stands at byte 10 is no JSON",
		`{"list":[`:               "the JSON is cut short",
		``:                        "the JSON is cut short",
		`{"lists":[]}`:            `there is no key "lists"`,
	} {
		decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
		decoder.DisallowUnknownFields()
		if err := Words(decoder.Decode(&file{})); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
	if other := errors.New("x"); !errors.Is(Words(other), other) || Words(nil) != nil {
		t.Error("another error is changed")
	}
}

// TestWords_wire: errors of the library that reads the wire have no type of Go's
// either.
func TestWords_wire(t *testing.T) {
	t.Parallel()
	type params struct {
		Names []string          `json:"names"`
		Limit int               `json:"limit"`
		Of    map[string]string `json:"of"`
	}
	for text, want := range map[string]string{
		`[]`:                 "the JSON must be an object, not a list",
		`{"names":"a"}`:      "names must be a list, not such a text",
		`{"names":["a",1]}`:  "names.1 must be a text, not such a number",
		`{"limit":1.5}`:      "limit must be a whole number, not such a number",
		`{"of":{"a":false}}`: "of.a must be a text, not true or false",
		`{"names":[}`:        "what stands at byte 10 is no JSON",
		`{"names":[`:         "the JSON is cut short",
	} {
		if err := Words(jsonexp.Unmarshal([]byte(text), &params{})); err == nil || err.Error() != want {
			t.Errorf("%s: %v, want %s", text, err, want)
		}
	}
}
