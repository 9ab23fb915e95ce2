package check

import (
	"crypto/sha256"
	"encoding/hex"
	"io"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
)

// helpURL is the page that explains the rules.
const helpURL = "https://github.com/winnow-mcp/winnow/blob/main/extension/docs/check.md"

// WriteSARIF writes the findings as a SARIF 2.1.0 log, which code hosts show beside the
// file. The position of a finding is the tool's, if places has it, otherwise the capture.
func (r *Report) WriteSARIF(w io.Writer, version, capture string, places map[string]Place) error {
	known := Rules()
	rules := make([]any, len(known))
	for i, rule := range known {
		rules[i] = map[string]any{
			"id": rule.ID, "shortDescription": map[string]any{"text": rule.Says}, "fullDescription": map[string]any{"text": rule.Says + " Known from: " + rule.Known + "."},
			"helpUri": helpURL, "defaultConfiguration": map[string]any{"level": rule.Level},
		}
	}
	results := make([]any, len(r.Findings))
	for i := range r.Findings {
		f := &r.Findings[i]
		result := map[string]any{
			"ruleId": f.Rule, "ruleIndex": slices.IndexFunc(known, func(rule Rule) bool { return rule.ID == f.Rule }), "level": f.Level,
			"message":             map[string]any{"text": f.sentence()},
			"locations":           []any{r.location(f.Tool, capture, places)},
			"partialFingerprints": map[string]any{"winnowCheck/v1": r.fingerprint(f)},
		}
		results[i] = result
	}
	return codec.Write(w, map[string]any{
		"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0",
		"runs": []any{map[string]any{
			"tool":    map[string]any{"driver": map[string]any{"name": "winnowd check", "version": version, "informationUri": helpURL, "rules": rules}},
			"results": results, "columnKind": "unicodeCodePoints",
		}},
	})
}

// sentence returns a finding as one text.
func (f *Finding) sentence() string {
	text := f.Text + "."
	if f.Tool != "" {
		text = f.Tool + ": " + text
	}
	for _, line := range f.Fix.lines() {
		text += "\n" + strings.TrimSpace(line)
	}
	return text
}

// location returns the position of a finding about a tool, or about the server if there
// are several.
func (r *Report) location(tool, capture string, places map[string]Place) map[string]any {
	name, kind := r.Server.Name, "module"
	if tool != "" {
		name, kind = r.Server.Name+"/"+tool, "function"
	}
	location := map[string]any{"logicalLocations": []any{map[string]any{"fullyQualifiedName": name, "kind": kind}}}
	place, ok := places[tool]
	if !ok {
		place = Place{File: capture, Line: 1}
	}
	if place.File != "" {
		location["physicalLocation"] = map[string]any{
			"artifactLocation": map[string]any{"uri": place.File}, "region": map[string]any{"startLine": place.Line},
		}
	}
	return location
}

// fingerprint identifies a finding regardless of figures in it.
func (r *Report) fingerprint(f *Finding) string {
	text := f.Text
	if f.Tool != "" {
		text = "" // one of a kind per tool, except a few that are shown as one
	}
	sum := sha256.Sum256([]byte(strings.Join([]string{r.Server.Name, f.Rule, f.Tool, strings.Map(noDigit, text)}, "\x00")))
	return hex.EncodeToString(sum[:16])
}

func noDigit(r rune) rune {
	if r >= '0' && r <= '9' {
		return -1
	}
	return r
}
