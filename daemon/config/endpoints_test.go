package config

import (
	"strings"
	"testing"
)

func TestEndpoints(t *testing.T) {
	t.Parallel()
	parse := func(scope Scope, text string) File {
		return Parse(Source{Path: "winnow.json", Dialect: Winnow, Scope: scope}, []byte(text))
	}
	good := `{"endpoints":{"local":{"url":"http://127.0.0.1:11434/v1","wire":"chat","includeTools":["x_*"],"toolNames":["x:{server}:{tool}"]},"any":{"url":"https://example.com"}}}`
	f := parse(User, good)
	if len(f.Problems) != 0 || len(f.Endpoints) != 2 || f.Endpoints[0].Name != "local" || f.Endpoints[0].URL.String() != "http://127.0.0.1:11434/v1" || f.Endpoints[0].Wire != "chat" {
		t.Errorf("got %+v with problems %v, want local and any", f.Endpoints, f.Problems)
	}
	if c := Merge([]File{f}, MergeOptions{}); len(c.Endpoints) != 2 {
		t.Errorf("merged: got %d endpoints, want 2", len(c.Endpoints))
	}
	f = parse(Workspace, `{"endpoints":{"theirs":{"url":"https://example.com","deferTools":true,"prices":{"input":3,"cacheRead":0.3,"output":15}}}}`)
	if len(f.Endpoints) != 1 || !f.Endpoints[0].OfWorkspace() || !f.Endpoints[0].DeferTools ||
		f.Endpoints[0].Prices == nil || *f.Endpoints[0].Prices != (EndpointPrices{Input: 3, CacheRead: 0.3, Output: 15}) {
		t.Errorf("got %+v, want theirs, of the workspace, which defers tools and has prices", f.Endpoints)
	}
	for _, tt := range []struct {
		scope         Scope
		text, problem string
	}{
		{User, `{"endpoints":{"a/b":{"url":"http://x"}}}`, "no name for an endpoint"},
		{User, `{"endpoints":{"a":{}}}`, "has no url"},
		{User, `{"endpoints":{"a":{"url":"ftp://x"}}}`, "no address of a provider"},
		{User, `{"endpoints":{"a":{"url":"http://me:secret@x"}}}`, "a user or a password"},
		{User, `{"endpoints":{"a":{"url":"http://x","wire":"soap"}}}`, "no format"},
		{User, `{"endpoints":{"a":{"url":"http://x","excludeTool":[]}}}`, "excludeTool"},
		{User, `{"endpoints":{"a":{"url":"http://x","toolNames":["{server}{tool}"]}}}`, "no form of a tool's name"},
		{User, `{"endpoints":{"a":{"url":"http://x","prices":{"input":"3"}}}}`, "endpoints.prices.input"},
		{User, `{"endpoints":{"a":{"url":"http://x","prices":{"inputs":3}}}}`, "inputs"},
		{User, `{"endpoints":[]}`, "endpoints"},
	} {
		f := parse(tt.scope, tt.text)
		if len(f.Problems) != 1 || !strings.Contains(f.Problems[0].Message, tt.problem) {
			t.Errorf("%s: got problems %+v, want one that says %q", tt.text, f.Problems, tt.problem)
		}
		if tt.problem != "excludeTool" && tt.problem != "inputs" && len(f.Endpoints) != 0 {
			t.Errorf("%s: got %+v, want none", tt.text, f.Endpoints)
		}
	}
}
