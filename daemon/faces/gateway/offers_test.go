package gateway_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/mark3labs/mcp-go/mcp"

	"github.com/winnow-mcp/winnow/daemon/daemontest/gatewaytest"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/router"
)

// offering is a server with a resource, a template and a prompt of each name.
func offering(name string, names ...string) fakeServer {
	s := serverOf(name, "of "+name)
	s.Can = []string{"resources", "prompts", "completions"}
	s.Lists = map[string][]string{"resources/list": {}, "resources/templates/list": {}, "prompts/list": {}}
	add := func(method, format string, of ...any) {
		s.Lists[method] = append(s.Lists[method], fmt.Sprintf(format, of...))
	}
	for _, one := range names {
		add("resources/list", `{"name":%q,"uri":"demo://%s"}`, one, one)
		add("resources/templates/list", `{"name":%q,"uriTemplate":"demo://%s/{id}"}`, one, one)
		add("prompts/list", `{"name":%q,"description":"d"}`, one)
	}
	return s
}

// offered is what a client is told that there is: URIs, templates and names of
// prompts.
func offered(t testing.TB, p *gatewaytest.Person) (resources, templates, prompts []string) {
	t.Helper()
	r, errR := p.ListResources(t.Context(), mcp.ListResourcesRequest{})
	rt, errT := p.ListResourceTemplates(t.Context(), mcp.ListResourceTemplatesRequest{})
	pr, errP := p.ListPrompts(t.Context(), mcp.ListPromptsRequest{})
	if err := errors.Join(errR, errT, errP); err != nil {
		t.Fatal(err)
	}
	for _, one := range r.Resources {
		resources = append(resources, one.URI)
	}
	for _, one := range rt.ResourceTemplates {
		templates = append(templates, one.URITemplate.Raw())
	}
	for _, one := range pr.Prompts {
		prompts = append(prompts, one.Name)
	}
	return resources, templates, prompts
}

// What servers offer is listed in the order of the servers, under names that lead
// back to them; what is out of scope, waits for the user, does not run, is
// withheld or cannot be listed is left out, and costs the others nothing.
func TestOffers_lists(t *testing.T) {
	t.Parallel()
	out, held, down, refusing, poor, partly := offering("out", "x"), offering("held", "x"), offering("down", "x"),
		offering("refusing", "x"), offering("poor", "x"), offering("partly", "told", "secret")
	held.Hold = upstream.Hold{Kind: "consent", Text: "waits for your consent"}
	down.Down = true
	refusing.Lists = nil
	poor.Can = []string{"tools"}
	partly.Withheld = []string{"secret"}
	partly.Lists["resources/list"], partly.Lists["resources/templates/list"] = nil, nil
	f := newEngine(t, offering("z/z", "b", "a"), out, held, down, refusing, poor, partly, offering("a", "c"))
	f.mode = router.Mode{Slug: "narrow", Blocked: []string{"out"}}
	resources, templates, prompts := offered(t, join(t, faceOf(t, f), "test", true))
	for _, tt := range []struct{ got, want []string }{
		{resources, []string{"winnow:///z%2Fz/demo://b", "winnow:///z%2Fz/demo://a", "winnow:///a/demo://c"}},
		{templates, []string{"winnow:///z%2Fz/demo://b/{id}", "winnow:///z%2Fz/demo://a/{id}", "winnow:///a/demo://c/{id}"}},
		{prompts, []string{"z/z__b", "z/z__a", "partly__told", "a__c"}},
	} {
		if !slices.Equal(tt.got, tt.want) {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

// A resource is read, and a prompt got, from its server under the server's own
// names; what nobody has, may not be used or is out of scope is refused, and no
// server is asked.
func TestOffers_requests(t *testing.T) {
	t.Parallel()
	withheld := offering("s__s", "greet", "secret")
	withheld.Withheld = []string{"secret"}
	held := offering("held", "greet")
	held.Hold = upstream.Hold{Kind: "consent", Text: "waits for your consent"}
	unapproved := offering("unapproved", "greet")
	unapproved.Withheld = []string{"resources"}
	f := newEngine(t, offering("s", "x"), withheld, offering("out", "greet"), held, unapproved)
	f.mode = router.Mode{Slug: "narrow", Blocked: []string{"out"}}
	f.request = func(_ context.Context, r upstream.Request) (json.RawMessage, error) {
		switch {
		case strings.Contains(string(r.Params), "broken"):
			return nil, &upstream.RPCError{Server: r.Server, What: r.Method, Code: -32002, Message: "no such thing"}
		case r.Method == "resources/read":
			return json.RawMessage(`{"contents":[{"uri":"demo://greet","text":"12345678901234567890","x-own":1}]}`), nil
		}
		return json.RawMessage(`{"description":"d","messages":[{"role":"user","content":{"type":"text","text":"Hi.","x-own":1}}]}`), nil
	}
	face := faceOf(t, f)
	for _, tt := range []struct{ method, params, want, server string }{
		{"resources/read", `{"uri":"winnow:///s__s/demo://greet"}`, `{"uri":"winnow:///s__s/demo://greet","text":"12345678901234567890","x-own":1}`, `s__s {"uri":"demo://greet"}`},
		{"resources/read", `{"uri":"winnow:///s/broken"}`, "no such thing", `s {"uri":"broken"}`},
		{"resources/read", `{"uri":"winnow:///out/demo://x"}`, "out of scope", ""},
		{"resources/read", `{"uri":"winnow:///held/demo://x"}`, "waits for your consent", ""},
		{"resources/read", `{"uri":"winnow:///unapproved/demo://x"}`, "wait for your approval", ""},
		{"resources/subscribe", `{"uri":"winnow:///unapproved/demo://x"}`, "wait for your approval", ""},
		{"resources/read", `{"uri":"demo://greet"}`, "no resource of this server", ""},
		{"resources/read", `{"uri":"winnow:///s"}`, "no resource of this server", ""},
		{"resources/read", `{"uri":"winnow:///%zz/x"}`, "no resource of this server", ""},
		// The longest name of a server wins.
		{"prompts/get", `{"name":"s__s__greet","arguments":{"who":"you"}}`, `{"type":"text","text":"Hi.","x-own":1}`, `s__s {"arguments":{"who":"you"},"name":"greet"}`},
		{"prompts/get", `{"name":"s__s__secret"}`, "waits for your approval", ""},
		{"prompts/get", `{"name":"s__broken"}`, "no such thing", `s {"arguments":{},"name":"broken"}`},
		{"prompts/get", `{"name":"out__greet"}`, "out of scope", ""},
		{"prompts/get", `{"name":"greet"}`, "no prompt of this server", ""},
	} {
		f.requests = nil
		raw := answerTo(t, face, tt.method, tt.params)
		if !strings.Contains(raw, tt.want) || strings.Contains(raw, `"error"`) != (tt.want[0] != '{') {
			t.Errorf("%s %s: got %s, want %s", tt.method, tt.params, raw, tt.want)
		}
		if got := f.asked(tt.method); len(got) > 1 || strings.Join(got, "") != tt.server {
			t.Errorf("%s %s: the servers were asked %q, want %q", tt.method, tt.params, got, tt.server)
		}
	}
}

// A client that has seen a list is told when it is another one, once; so it is
// when a server says so, and of nothing that it may not see.
func TestOffers_changed(t *testing.T) {
	t.Parallel()
	const resources, prompts = "notifications/resources/list_changed", "notifications/prompts/list_changed"
	announced := func(server, method string) func(f *fakeEngine) {
		return func(f *fakeEngine) { f.announce(upstream.Announcement{Server: server, Method: method}) }
	}
	for _, tt := range []struct {
		name   string
		change func(f *fakeEngine)
		told   []string
	}{
		{"nothing", func(f *fakeEngine) { f.change(func(*state) {}) }, nil},
		{"a server runs", func(f *fakeEngine) { f.change(func(s *state) { s.servers[1].Down = false }) }, []string{prompts, resources}},
		{"a server is gone", func(f *fakeEngine) { f.change(func(s *state) { s.servers[0].Down = true }) }, []string{prompts, resources}},
		{"a prompt is approved", func(f *fakeEngine) { f.change(func(s *state) { s.servers[0].Withheld = nil }) }, []string{prompts}},
		{"a server's other resources", announced("runs", resources), []string{resources}},
		{"a server's other prompts", announced("runs", prompts), []string{prompts}},
		{"what a server out of scope announces", announced("out", resources), nil},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				runs, down := offering("runs", "a", "b"), offering("down", "c")
				runs.Withheld, down.Down = []string{"b"}, true
				f := newEngine(t, runs, down, offering("out", "d"))
				f.mode = router.Mode{Slug: "narrow", Blocked: []string{"out"}}
				face := faceOf(t, f)
				p, silent := join(t, face, "test", true), join(t, face, "silent", true)
				offered(t, p)
				tt.change(f)
				got := notified(p)
				slices.Sort(got)
				if !slices.Equal(got, tt.told) {
					t.Errorf("told %q, want %q", got, tt.told)
				}
				f.change(func(*state) {})
				if got := notified(p); len(got) > 0 {
					t.Errorf("nothing more has changed: told %q, want nothing", got)
				}
				if got := notified(silent); len(got) > 0 {
					t.Errorf("a client that has listed nothing: told %q, want nothing", got)
				}
			})
		})
	}
}

// A client hears of changes of the resources that it has subscribed to, by its
// own names for them, until it ends the subscription or goes.
func TestOffers_subscriptions(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newEngine(t, offering("s", "x"), offering("out", "x"))
		f.mode = router.Mode{Slug: "narrow", Blocked: []string{"out"}}
		face := faceOf(t, f)
		p, other := join(t, face, "test", true), join(t, face, "other", true)
		var r mcp.SubscribeRequest
		r.Params.URI = "winnow:///s/demo://x"
		for _, c := range []*gatewaytest.Person{p, other} {
			//lint:ignore SA1019 the revisions that have sessions have it
			if err := c.Subscribe(t.Context(), r); err != nil {
				t.Fatal(err)
			}
		}
		if len(f.subscribers) != 2 {
			t.Fatalf("the servers know of %d subscribers, want 2", len(f.subscribers))
		}
		f.announce(upstream.Announcement{
			Server: "s", Method: mcp.MethodNotificationResourceUpdated, Params: json.RawMessage(`{"uri":"demo://x"}`), Sessions: f.subscribers[:1],
		})
		synctest.Wait()
		if n := <-p.Told; n.Method != mcp.MethodNotificationResourceUpdated || n.Params.AdditionalFields["uri"] != r.Params.URI {
			t.Errorf("told %+v, want an update of %s", n, r.Params.URI)
		}
		if got := notified(other); len(got) > 0 {
			t.Errorf("a client that is not meant: told %q, want nothing", got)
		}
		var undo mcp.UnsubscribeRequest
		undo.Params.URI = r.Params.URI
		//lint:ignore SA1019 the revisions that have sessions have it
		if err := p.Unsubscribe(t.Context(), undo); err != nil {
			t.Error(err)
		}
		if len(f.subscribers) != 1 {
			t.Errorf("one has ended: the servers know of %d subscribers, want 1", len(f.subscribers))
		}
		_ = other.Close() // what its streams say of it is no matter
		synctest.Wait()
		if len(f.subscribers) != 0 {
			t.Errorf("the other has gone: the servers know of %d subscribers, want none", len(f.subscribers))
		}
		for _, uri := range []string{"demo://x", "winnow:///nobody/x", "winnow:///out/demo://x"} {
			r.Params.URI = uri
			//lint:ignore SA1019 the revisions that have sessions have it
			if err := p.Subscribe(t.Context(), r); err == nil {
				t.Errorf("%s is subscribed to", uri)
			}
		}
	})
}

// Arguments are completed by the servers that have them, by their own names.
func TestOffers_completions(t *testing.T) {
	t.Parallel()
	poor, withheld := offering("poor", "x"), offering("s", "greet", "secret")
	poor.Can, withheld.Withheld = []string{"resources", "prompts"}, []string{"secret"}
	f := newEngine(t, withheld, poor, offering("out", "x"))
	f.mode = router.Mode{Slug: "narrow", Blocked: []string{"out"}}
	f.request = func(_ context.Context, r upstream.Request) (json.RawMessage, error) {
		if strings.Contains(string(r.Params), "odd") {
			return json.RawMessage(`{}`), nil
		}
		return json.RawMessage(`{"completion":{"values":["Ada"],"total":1}}`), nil
	}
	face := faceOf(t, f)
	for _, tt := range []struct{ ref, want, server string }{
		{`{"type":"ref/prompt","name":"s__greet"}`, `{"values":["Ada"],"total":1}`,
			`s {"argument":{"name":"a","value":"A"},"context":{"arguments":{"b":"c"}},"ref":{"name":"greet","type":"ref/prompt"}}`},
		{`{"type":"ref/resource","uri":"winnow:///s/demo://greet/{id}"}`, `{"values":["Ada"],"total":1}`,
			`s {"argument":{"name":"a","value":"A"},"context":{"arguments":{"b":"c"}},"ref":{"type":"ref/resource","uri":"demo://greet/{id}"}}`},
		{`{"type":"ref/resource","uri":"winnow:///poor/x"}`, `{"values":[]}`, ""},
		{`{"type":"ref/prompt","name":"s__secret"}`, "waits for your approval", ""},
		{`{"type":"ref/prompt","name":"nobody"}`, "no prompt of this server", ""},
		{`{"type":"ref/resource","uri":"demo://x"}`, "no resource of this server", ""},
		{`{"type":"ref/resource","uri":"winnow:///out/x"}`, "out of scope", ""},
		{`{"type":"ref/prompt","name":"s__odd"}`, "no completion",
			`s {"argument":{"name":"a","value":"A"},"context":{"arguments":{"b":"c"}},"ref":{"name":"odd","type":"ref/prompt"}}`},
	} {
		f.requests = nil
		raw := answerTo(t, face, "completion/complete", fmt.Sprintf(`{"ref":%s,"argument":{"name":"a","value":"A"},"context":{"arguments":{"b":"c"}}}`, tt.ref))
		if !strings.Contains(raw, tt.want) || strings.Contains(raw, `"error"`) != (tt.want[0] != '{') {
			t.Errorf("%s: got %s, want %s", tt.ref, raw, tt.want)
		}
		if got := strings.Join(f.asked("completion/complete"), "; "); got != tt.server {
			t.Errorf("%s: the servers were asked %q, want %q", tt.ref, got, tt.server)
		}
	}
}

// What servers in scope say of themselves is told in their order, also of those
// that are yet to start, and each of them and all in bounded length.
func TestInstructions(t *testing.T) {
	t.Parallel()
	says := func(name, text string) fakeServer {
		s := serverOf(name)
		s.Says = text
		return s
	}
	held, starts := says("held", "Not yet."), says("starts", "Soon.")
	held.Hold, starts.Hold = upstream.Hold{Kind: "consent"}, upstream.Hold{Kind: "start"}
	f := newEngine(t, says("b", "Be\n\n kind."), says("a", "Be brief."), says("out", "Be gone."), says("silent", " "), held, starts, says("long", strings.Repeat("ä", 900)))
	f.mode = router.Mode{Slug: "narrow", Blocked: []string{"out"}}
	face := faceOf(t, f)
	want := "Winnow stands for several MCP servers. When none of your tools does the next step, find one by mcp_search:\n" +
		"- b\n- a\n- silent\n- held\n- starts\n- long\n\nServer \"b\" says: Be kind.\n\nServer \"a\" says: Be brief.\n\nServer \"starts\" says: Soon." +
		"\n\nServer \"long\" says: " + strings.Repeat("ä", 600) + "…"
	if got := join(t, face, "test", true).Instructions; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	f.change(func(s *state) {
		for i := range 20 {
			s.servers = append(s.servers, says(fmt.Sprint("more", i), strings.Repeat("x", 500)))
		}
	})
	if got := join(t, face, "test", true).Instructions; len(got) > 4100 || !strings.HasSuffix(got, "Other servers say more.") {
		t.Errorf("got %d bytes that end with %.40q, want at most some 4000 and a word of the others", len(got), got[max(0, len(got)-40):])
	}
}

// What a server has listed is listed while it sleeps, and it is not started for that;
// of one that was never asked nothing is.
func TestOffers_asleep(t *testing.T) {
	t.Parallel()
	sleeps, never := offering("sleeps", "a"), offering("never", "b")
	never.Asleep = true
	f := newEngine(t, sleeps, never)
	p := join(t, faceOf(t, f), "test", true)
	awake, _, _ := offered(t, p)
	f.change(func(s *state) {
		s.servers[0].Asleep = true
		s.servers[0].Lists = nil // whoever asks it gets nothing
	})
	resources, templates, prompts := offered(t, p)
	got := slices.Concat(resources, templates, prompts)
	if want := []string{"winnow:///sleeps/demo://a", "winnow:///sleeps/demo://a/{id}", "sleeps__a"}; !slices.Equal(got, want) || !slices.Equal(awake, want[:1]) {
		t.Errorf("awake %q, asleep %q, want %q", awake, got, want)
	}
}
