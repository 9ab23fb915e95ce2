package calls

import (
	"encoding/json"
	"testing"
)

// TestReadable: blocks pass as they came, and what a host could not read stands
// as text.
func TestReadable(t *testing.T) {
	t.Parallel()
	for block, want := range map[string]string{
		`{"type":"text","text":"x","_meta":{"a":1}}`:             ``,
		`{"type":"hologram","size":7}`:                           ``,
		`{"type":"image","data":"eA==","mimeType":"image/png"}`:  ``,
		`{"type":"resource","resource":{"uri":"a","text":null}}`: ``,
		`null`:                        `{"type":"text","text":"null"}`,
		`5`:                           `{"type":"text","text":"5"}`,
		`{"text":"no type"}`:          `{"type":"text","text":"{\"text\":\"no type\"}"}`,
		`{"type":"text","text":5}`:    `{"type":"text","text":"{\"type\":\"text\",\"text\":5}"}`,
		`{"type":"image","data":[1]}`: `{"type":"text","text":"{\"type\":\"image\",\"data\":[1]}"}`,
	} {
		if want == "" {
			want = block
		}
		if got := readable([]json.RawMessage{json.RawMessage(block)}); string(got[0]) != want {
			t.Errorf("%s became %s, want %s", block, got[0], want)
		}
	}
}
