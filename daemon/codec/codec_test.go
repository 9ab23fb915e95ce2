package codec_test

import (
	"encoding/json"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/codec"
)

func TestMarshal_escapesNothingForHTML(t *testing.T) {
	t.Parallel()
	value := struct {
		Text string   `json:"text"`
		List []string `json:"list"`
	}{Text: "<é>"}
	if got, want := string(codec.Marshal(value)), `{"text":"<é>","list":[]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestMarshal_textThatIsNotUTF8(t *testing.T) {
	t.Parallel()
	if got, want := string(codec.Marshal("a\xffb")), "\"a\\ufffdb\""; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestUnmarshal(t *testing.T) {
	t.Parallel()
	for raw, ok := range map[string]bool{
		``: true, `{}`: true, `{"more":1}`: true, `{"name":"a"}`: true,
		`{"name":"a","name":"b"}`: false, `{"name":1}`: false, `[]`: false, `{`: false,
	} {
		var v struct {
			Name string `json:"name"`
		}
		if err := codec.Unmarshal(json.RawMessage(raw), &v); (err == nil) != ok {
			t.Errorf("%q: got error %v, want success %t", raw, err, ok)
		}
	}
	var v struct {
		Name string `json:"name"`
	}
	if err := codec.Unmarshal(json.RawMessage(`{"Name":"a"}`), &v); err != nil || v.Name != "" {
		t.Errorf("a key in other case: got %q, %v, want it passed over", v.Name, err)
	}
}
