package config

import (
	"strings"
	"testing"
)

func TestSuggest(t *testing.T) {
	t.Parallel()
	keys := append(definitionKeys(), policyKeys()...)
	for got, want := range map[string]string{
		"onlyAlow": "onlyAllow", "onlyallow": "onlyAllow", "disabledTool": "disabledTools", "disableTools": "disabledTools",
		"comand": "command", "Command": "command", "urls": "url", "alwaysload": "alwaysLoad", "defered": "deferred",
		"toolDescriptionOverride": "toolDescriptionOverrides", "header": "headers", "x": "", "uri": "url",
		"gallery": "", "enabledTools": "", "watchPaths": "", "dev": "", "version": "", "autoApprove": "",
	} {
		if word := suggest(got, keys); word != want {
			t.Errorf("%s: suggested %q, want %q", got, word, want)
		}
	}
}

// TestSuggest_ForeignKeys: what other clients' files hold of their own is never
// taken for a misspelling of ours.
func TestSuggest_ForeignKeys(t *testing.T) {
	t.Parallel()
	foreign := "watchPaths dev sandboxEnabled gallery version oauth metadata autoApprove transport transportType remoteConfigured " +
		"description name icon auth trust includeTools excludeTools environment enabled env_vars startup_timeout_sec"
	for _, key := range strings.Fields(foreign) {
		if word := suggest(key, policyKeys()); word != "" {
			t.Errorf("%s is taken for %s", key, word)
		}
	}
}

func TestDidYouMean(t *testing.T) {
	t.Parallel()
	if got := didYouMean("mods", []string{"servers", "modes"}); got != `did you mean "modes"?` {
		t.Errorf("got %q", got)
	}
	if got := didYouMean("zzz", []string{"servers", "modes"}); got != "known here: modes, servers" {
		t.Errorf("got %q", got)
	}
}

// TestParse_misspeltCommand: an entry of which no key is known is no policy for
// another file's server. It is one that does not start, and its row says why.
func TestParse_misspeltCommand(t *testing.T) {
	t.Parallel()
	source := Source{Path: "/w/.vscode/winnow.json", Dialect: Winnow}
	for text, invalid := range map[string]bool{`{"comand": "x"}`: true, `{"disabled": true, "comand": "x"}`: false, `{}`: false} {
		file := Parse(source, []byte(`{"servers": {"s": `+text+`}}`))
		if got := file.Entries[0].Invalid != nil; got != invalid {
			t.Errorf("%s: invalid is %t, want %t; %v", text, got, invalid, file.Problems)
		}
	}
}
