package ijson

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"
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
