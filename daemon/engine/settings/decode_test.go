package settings

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/protocol"
)

func TestDecode(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		raw  string
		want func(*protocol.Settings)
		// problems holds, in order, a part of each.
		problems []string
	}{
		{name: "nothing", raw: ``},
		{name: "null", raw: `null`},
		{name: "empty", raw: `{}`},
		{name: "a number", raw: `{"searchTurns":0}`, want: func(s *protocol.Settings) { s.SearchTurns = 0 }},
		{name: "a word", raw: `{"strategy":"topK"}`, want: func(s *protocol.Settings) { s.Strategy = protocol.StrategyTopK }},
		{name: "a nested one", raw: `{"servers":{"start":"lazy"}}`,
			want: func(s *protocol.Settings) { s.Servers.Start = protocol.StartLazy }},
		{name: "a wrong type changes nothing else", raw: `{"threshold":"many","initialK":5}`,
			want: func(s *protocol.Settings) { s.InitialK = 5 }, problems: []string{"winnow.threshold must be a whole number; 50 stays"}},
		{name: "out of bounds", raw: `{"searchTurns":-1}`, problems: []string{"winnow.searchTurns must be between 0 and 1000; 7 stays"}},
		{name: "no such word", raw: `{"ranker":"magic"}`, problems: []string{"winnow.ranker must be one of auto, hybrid"}},
		{name: "dotted keys", raw: `{"gateway.confirmWrites":"always","winnow.servers.start":"lazy","winnow.threshold":9}`,
			want: func(s *protocol.Settings) {
				s.Gateway.ConfirmWrites, s.Servers.Start, s.Threshold = protocol.ConfirmAlways, protocol.StartLazy, 9
			}},
		{name: "dotted keys that there are not", raw: `{"gatway.mode":"all","threshold.x":1}`,
			problems: []string{"no setting winnow.gatway.mode", "no setting winnow.threshold.x"}},
		{name: "a map, by keys of three forms", raw: `{"gateway.confirmWritesFor.github":"never","gateway":{"confirmWritesFor.a.b":"always"},"winnow.gateway.confirmWritesFor":{"x":"dispatched"}}`,
			want: func(s *protocol.Settings) {
				s.Gateway.ConfirmWritesFor = map[string]protocol.ConfirmWrites{
					"github": protocol.ConfirmNever, "a.b": protocol.ConfirmAlways, "x": protocol.ConfirmDispatched,
				}
			}},
		{name: "members that cannot be", raw: `{"gateway.confirmWritesFor":{"a":"sometimes","b":3,"c":null,"d":"never"}}`,
			want: func(s *protocol.Settings) {
				s.Gateway.ConfirmWritesFor = map[string]protocol.ConfirmWrites{"d": protocol.ConfirmNever}
			},
			problems: []string{"winnow.gateway.confirmWritesFor.a must be one of dispatched", "winnow.gateway.confirmWritesFor.b must be a string"}},
		{name: "no map", raw: `{"gateway.confirmWritesFor":"never"}`, problems: []string{"winnow.gateway.confirmWritesFor must be an object"}},
		{name: "unknown keys, in order", raw: `{"zzz":1,"serchTurns":3,"servers":{"begin":1}}`,
			problems: []string{"no setting winnow.serchTurns", "no setting winnow.servers.begin", "no setting winnow.zzz"}},
		{name: "a group of an earlier version", raw: `{"winnow.participant.maxRounds":9}`,
			problems: []string{"winnow.participant has no effect any more: VS Code's setting chat.agent.maxRequests"}},
		{name: "keys of earlier versions", raw: `{"results":{"cacheTtlSeconds":5},"winnow.search.maxResults":9,"participant":{"maxRounds":9}}`,
			problems: []string{"winnow.participant has no effect any more: VS Code's setting chat.agent.maxRequests", "winnow.results.cacheTtlSeconds has no effect any more: answers are not", "winnow.search.maxResults has no effect any more: a search shows 20"}},
		{name: "a key that shrinks in lower case", raw: "{\"\u212a\":1}", problems: []string{"no setting winnow.\u212a"}},
		{name: "no object", raw: `[1]`, problems: []string{"winnow is not an object"}},
		{name: "no object inside", raw: `{"servers":7}`, problems: []string{"winnow.servers is not an object"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			want := protocol.DefaultSettings()
			if tt.want != nil {
				tt.want(&want)
			}
			got, problems := Decode(protocol.DefaultSettings(), json.RawMessage(tt.raw))
			if !reflect.DeepEqual(got, want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			if len(problems) != len(tt.problems) {
				t.Fatalf("problems %+v, want %q", problems, tt.problems)
			}
			for i, p := range problems {
				if !strings.Contains(p.Message, tt.problems[i]) || p.Next == "" {
					t.Errorf("problem %+v, want one with %q and a next step", p, tt.problems[i])
				}
			}
		})
	}
}

func TestDecode_keepsAndResets(t *testing.T) {
	t.Parallel()
	base := protocol.DefaultSettings()
	base.Threshold, base.InitialK = 3, 4
	got, problems := Decode(base, json.RawMessage(`{"threshold":null,"searchK":6}`))
	if len(problems) != 0 || got.Threshold != 50 || got.InitialK != 4 || got.SearchK != 6 {
		t.Errorf("got %+v, problems %v", got, problems)
	}
}

func TestDecode_namesTheNearest(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]string{"searchTurn": "searchTurns", "treshold": "threshold"} {
		_, problems := Decode(protocol.DefaultSettings(), json.RawMessage(`{"`+given+`":3}`))
		if len(problems) != 1 || !strings.Contains(problems[0].Next, want) || strings.Contains(problems[0].Next, "telemetry") {
			t.Errorf("problems %+v do not name %s alone", problems, want)
		}
	}
}

// TestSettings_everyFieldCanBeDecoded sets each setting to another value by
// its name on the wire, so that a setting of a new type is not forgotten.
// TestStore_enabled: while routing is off no turn adds tools, and then as many
// as before.
func TestStore_enabled(t *testing.T) {
	t.Parallel()
	s := NewStore()
	for _, tt := range []struct {
		raw  string
		want int
	}{
		{`{"searchTurns":5}`, 5}, {`{"enabled":false}`, 0}, {`{"searchTurns":6}`, 0}, {`{"enabled":true}`, 6},
	} {
		problems := s.Apply(json.RawMessage(tt.raw), nil)
		if got := s.Load().SearchTurns; got != tt.want || len(problems) > 0 {
			t.Errorf("after %s: got %d turns, %v, want %d", tt.raw, got, problems, tt.want)
		}
	}
}

func TestSettings_everyFieldCanBeDecoded(t *testing.T) {
	t.Parallel()
	defaults := protocol.DefaultSettings()
	words := enums()
	var walk func(v reflect.Value, wrap func(string) string)
	walk = func(v reflect.Value, wrap func(string) string) {
		for i := range v.NumField() {
			field, value := v.Type().Field(i), v.Field(i)
			name := tagName(field)
			member := func(json string) string { return wrap(`{"` + name + `":` + json + `}`) }
			if field.Type.Kind() == reflect.Struct {
				walk(value, member)
				continue
			}
			other := otherValue(t, field, value, words)
			got, problems := Decode(defaults, json.RawMessage(member(other)))
			if len(problems) > 0 || reflect.DeepEqual(got, defaults) {
				t.Errorf("%s: %s gives %v", name, other, problems)
			}
		}
	}
	walk(reflect.ValueOf(defaults), func(s string) string { return s })
}

// otherValue returns a value of a setting that is allowed and not its default.
func otherValue(t *testing.T, field reflect.StructField, v reflect.Value, enums map[reflect.Type][]string) string {
	t.Helper()
	switch field.Type.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return "false"
		}
		return "true"
	case reflect.Map:
		return `{"a":"` + enums[field.Type.Elem()][0] + `"}`
	case reflect.Int:
		low, _, _ := strings.Cut(field.Tag.Get("limits"), ",")
		if low == "" {
			t.Fatalf("%s has no limits", field.Name)
		}
		return "42"
	case reflect.String:
		for _, word := range enums[field.Type] {
			if word != v.String() {
				return `"` + word + `"`
			}
		}
		if _, isEnum := enums[field.Type]; !isEnum && field.Type == reflect.TypeFor[string]() {
			return `"other"`
		}
	case reflect.Slice:
		if field.Type == reflect.TypeFor[[]string]() {
			return `["other"]`
		}
	}
	t.Fatalf("%s has a type that is not decoded: %s", field.Name, field.Type)
	return ""
}
