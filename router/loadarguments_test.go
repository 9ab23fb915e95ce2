package router

import (
	"encoding/json"
	"reflect"
	"testing"
)

// TestReadRequest: mcp_load takes what models write.
func TestReadRequest(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]Request{
		`{"query":"mail","names":["a",3,null,"b"]}`: {Query: "mail", Names: []string{"a", "b"}},
		`{"names":"a"}`:                           {Names: []string{"a"}},
		`{"query":["mail"],"names":["a"]}`:        {Names: []string{"a"}},
		`{"query":"mail","limit":3,"names":null}`: {Query: "mail", Limit: 3},
		`{"query":"mail","limit":"many"}`:         {Query: "mail"},
	} {
		if got, err := ReadRequest(json.RawMessage(arguments)); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %+v, %v; want %+v", arguments, got, err, want)
		}
	}
	for _, arguments := range []string{``, `{}`, `[]`, `"mail"`, `{"query":""}`, `{"names":[]}`, `{"names":[1]}`} {
		if got, err := ReadRequest(json.RawMessage(arguments)); err == nil {
			t.Errorf("%s: got %+v, want an error", arguments, got)
		}
	}
}
