package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// ruleType says how keys of files count.
const ruleType = "Rule"

// rulesTable is the table, in Markdown, of who may set each key of Winnow's files
// and each setting, and who wins. A key without a rule is an error.
func rulesTable(settings []Setting, file *reach) (string, error) {
	rules := protocol.Rules()
	missing := maps.Clone(rules)
	delete(missing, "modes.groups") // Roo's
	var errs []error
	for _, of := range []struct{ prefix, typ string }{{"", "WinnowFile"}, {"servers.", "ServerEntry"}, {"modes.", "ModeEntry"}} {
		for _, f := range file.pkg.fields(file.types[of.typ]) {
			key := of.prefix + f.JSON
			if _, ok := rules[key]; !ok && key != "servers" && key != "modes" {
				errs = append(errs, fmt.Errorf("key %s of %s has no rule in protocol.Rules", key, of.typ))
			}
			delete(missing, key)
		}
	}
	for key := range missing {
		errs = append(errs, fmt.Errorf("protocol.Rules has a rule for %s, which is no key", key))
	}
	if len(errs) > 0 {
		return "", errors.Join(errs...)
	}
	var strict, machine []string
	for _, s := range settings {
		switch name := "`" + s.Key + "`"; {
		case s.Field.Tag.Get("restricted") != "":
			strict = append(strict, name)
		case s.Field.Tag.Get("scope") == "machine":
			machine = append(machine, name)
		}
	}
	var out strings.Builder
	out.WriteString("| keys | who may set them, and who wins |\n| --- | --- |\n")
	for _, v := range file.pkg.Values[ruleType] {
		keys := keysOf(rules, protocol.Rule(strings.Trim(v.Literal, "\"")))
		fmt.Fprintf(&out, "| %s | %s |\n", strings.Join(keys, ", "), cell(v.Doc))
	}
	fmt.Fprintf(&out, "| the settings %s | The stricter of the user's and the workspace's counts. |\n", strings.Join(strict, ", "))
	fmt.Fprintf(&out, "| the settings %s | The user's alone count. |\n", strings.Join(machine, ", "))
	out.WriteString("| all other settings | The workspace's win over the user's. |\n")
	return out.String(), nil
}

// keysOf lists the keys of a rule.
func keysOf(rules map[string]protocol.Rule, rule protocol.Rule) []string {
	var keys []string
	for _, key := range slices.Sorted(maps.Keys(rules)) {
		if rules[key] == rule {
			keys = append(keys, "`"+key+"`")
		}
	}
	return keys
}
