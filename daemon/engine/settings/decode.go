package settings

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/spelling"
)

// Problem is a setting that cannot be used as written.
type Problem struct {
	Setting string // with the prefix `winnow.`
	Message string
	Next    string
	// File and At are its place; File is empty if no file is known.
	File string
	At   jsonc.Position
}

// In returns the place of the problem in the text of the settings: JSON, Winnow's or an
// editor's file. It is the beginning of the text if it cannot be found.
func (p Problem) In(raw []byte) jsonc.Position {
	at := jsonc.Position{Line: 1, Column: 1}
	doc, failure := jsonc.Parse(raw)
	if failure != nil {
		return at
	}
	_, keys, _ := strings.Cut(p.Setting, ".")
	group, member := keys, ""
	if i := strings.LastIndexByte(keys, '.'); i >= 0 {
		group, member = keys[:i], keys[i+1:]
	}
	for _, path := range [][]string{
		strings.Split(keys, "."), {keys}, {p.Setting}, {"settings", p.Setting},
		{group, member}, {"winnow." + group, member}, {"settings", "winnow." + group, member},
	} {
		if value := doc.Find(path...); value != nil {
			return jsonc.NewLines(raw).At(value.StartOffset)
		}
	}
	return at
}

// Decode returns base overlaid with raw. An omitted key keeps its value, and null resets
// it to its default. An unusable value is reported and ignored, so that one error does
// not affect the other settings.
func Decode(base protocol.Settings, raw json.RawMessage) (protocol.Settings, []Problem) {
	return decode(base, raw, nil)
}

// decode is Decode that records in said, if not nil, the settings that raw has a value
// for; null removes one.
func decode(base protocol.Settings, raw json.RawMessage, said map[string]bool) (protocol.Settings, []Problem) {
	if len(raw) == 0 || string(raw) == "null" {
		return base, nil
	}
	d := decoder{enums: enums(), said: said}
	defaults := protocol.DefaultSettings()
	d.object("winnow", raw, reflect.ValueOf(&base).Elem(), reflect.ValueOf(defaults))
	return base, d.problems
}

// enums maps the types of enumerated settings to their values.
func enums() map[reflect.Type][]string {
	return map[reflect.Type][]string{
		reflect.TypeFor[protocol.Profile]():            enumWords(protocol.Profiles()),
		reflect.TypeFor[protocol.Strategy]():           enumWords(protocol.Strategies()),
		reflect.TypeFor[protocol.BuiltInTools]():       enumWords(protocol.BuiltInToolsValues()),
		reflect.TypeFor[protocol.RankerKind]():         enumWords(protocol.Rankers()),
		reflect.TypeFor[protocol.EarlyCall]():          enumWords(protocol.EarlyCalls()),
		reflect.TypeFor[protocol.EmbeddingsProvider](): enumWords(protocol.EmbeddingsProviders()),
		reflect.TypeFor[protocol.GatingClaims]():       enumWords(protocol.GatingClaimsValues()),
		reflect.TypeFor[protocol.LockMode]():           enumWords(protocol.LockModes()),
		reflect.TypeFor[protocol.GatewayMode]():        enumWords(protocol.GatewayModes()),
		reflect.TypeFor[protocol.ConfirmWrites]():      enumWords(protocol.ConfirmWritesValues()),
		reflect.TypeFor[protocol.ServerStart]():        enumWords(protocol.ServerStarts()),
	}
}

func enumWords[S ~string](values []S) []string {
	words := make([]string, len(values))
	for i, v := range values {
		words[i] = string(v)
	}
	return words
}

type decoder struct {
	enums    map[reflect.Type][]string
	said     map[string]bool
	problems []Problem
}

func (d *decoder) note(setting string, said bool) {
	if d.said != nil {
		d.said[setting] = said
	}
}

func (d *decoder) problem(setting, next, format string, args ...any) {
	d.problems = append(d.problems, Problem{Setting: setting, Message: fmt.Sprintf(format, args...), Next: next})
}

// object decodes the members of a JSON object into the fields of a struct.
func (d *decoder) object(name string, raw json.RawMessage, into, defaults reflect.Value) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		d.problem(name, "Give an object of settings.", "%s is not an object", name)
		return
	}
	keys := make([]string, 0, len(members))
	for key := range members {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	for _, key := range keys {
		setting := name + "." + key
		field, known := fieldByTag(into.Type(), key)
		if group, rest, dotted := strings.Cut(key, "."); !known && dotted {
			d.dotted(name, group, rest, members[key], into, defaults)
			continue
		}
		if d.removed(setting) {
			continue
		}
		if !known {
			d.problem(setting, "Remove it, or correct its spelling: "+nearestSetting(into.Type(), key),
				"there is no setting %s", setting)
			continue
		}
		d.value(setting, members[key], field, into.FieldByIndex(field.Index), defaults.FieldByIndex(field.Index))
	}
}

// removed reports whether a setting or group is from an earlier version, and adds a
// problem that names its replacement.
func (d *decoder) removed(setting string) bool {
	now, gone := map[string]string{
		"winnow.participant":             "VS Code's setting chat.agent.maxRequests says how often @winnow asks the model for one message",
		"winnow.results.cacheTtlSeconds": "answers are not shared between calls",
		"winnow.search.maxResults":       "a search shows 20 tools at most, and winnow.search.results how many where the model names no number",
		"winnow.search.descriptionChars": "a found description is cut at 300 characters",
		"winnow.search.schemaChars":      "a schema is left out above 6,000 characters, and shown whole by select:name",
	}[setting]
	if gone {
		d.problem(setting, "Remove it.", "%s has no effect any more: %s", setting, now)
	}
	return gone
}

// dotted decodes a setting with a key as in VS Code: group.key, with or without the
// prefix `winnow.`.
func (d *decoder) dotted(name, group, rest string, raw json.RawMessage, into, defaults reflect.Value) {
	inner, err := json.Marshal(map[string]json.RawMessage{rest: raw})
	if err != nil {
		panic("settings: encode what was decoded: " + err.Error())
	}
	if name == "winnow" && group == name {
		d.object(name, inner, into, defaults)
		return
	}
	field, known := fieldByTag(into.Type(), group)
	if !known && d.removed(name+"."+group) {
		return
	}
	if known && field.Type.Kind() == reflect.Map {
		d.members(name+"."+group, inner, field, into.FieldByIndex(field.Index))
		return
	}
	if !known || field.Type.Kind() != reflect.Struct {
		setting := name + "." + group + "." + rest
		d.problem(setting, "Remove it, or correct its spelling: "+nearestSetting(into.Type(), group), "there is no setting %s", setting)
		return
	}
	d.object(name+"."+group, inner, into.FieldByIndex(field.Index), defaults.FieldByIndex(field.Index))
}

func (d *decoder) value(setting string, raw json.RawMessage, field reflect.StructField, into, def reflect.Value) {
	if string(raw) == "null" {
		into.Set(def)
		for name := range leaves(setting, def) {
			d.note(name, false)
		}
		return
	}
	if field.Type.Kind() == reflect.Struct {
		d.object(setting, raw, into, def)
		return
	}
	if field.Type.Kind() == reflect.Map {
		d.members(setting, raw, field, into)
		return
	}
	next := reflect.New(field.Type)
	if err := json.Unmarshal(raw, next.Interface()); err != nil {
		d.problem(setting, fmt.Sprintf("Give a %s, or remove the setting.", kindWord(field.Type)),
			"%s must be a %s; %v stays in force", setting, kindWord(field.Type), into.Interface())
		return
	}
	if why := d.unfit(field, next.Elem()); why != "" {
		d.problem(setting, "Give a value that is allowed, or remove the setting.",
			"%s %s; %v stays in force", setting, why, into.Interface())
		return
	}
	into.Set(next.Elem())
	d.note(setting, true)
}

// members decodes a JSON object into a map, over its content. A null member is removed.
func (d *decoder) members(setting string, raw json.RawMessage, field reflect.StructField, into reflect.Value) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(raw, &members); err != nil {
		d.problem(setting, "Give an object, or remove the setting.", "%s must be an object", setting)
		return
	}
	all, member := merged(into, reflect.Value{}), reflect.StructField{Type: field.Type.Elem()}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		value := reflect.New(member.Type)
		why := ""
		if err := json.Unmarshal(members[name], value.Interface()); err != nil {
			why = "must be a " + kindWord(member.Type)
		} else if string(members[name]) != "null" {
			why = d.unfit(member, value.Elem())
		}
		switch {
		case why != "":
			d.problem(setting+"."+name, "Give a value that is allowed, or remove it.", "%s.%s %s, and has no effect", setting, name, why)
		case string(members[name]) == "null":
			all.SetMapIndex(reflect.ValueOf(name), reflect.Value{})
		default:
			all.SetMapIndex(reflect.ValueOf(name), value.Elem())
		}
	}
	into.Set(all)
	d.note(setting, true)
}

// merged returns a new map with the entries of both; strong wins and may be missing.
func merged(weak, strong reflect.Value) reflect.Value {
	all := reflect.MakeMap(weak.Type())
	for _, from := range []reflect.Value{weak, strong} {
		if !from.IsValid() {
			continue
		}
		for key, value := range from.Seq2() {
			all.SetMapIndex(key, value)
		}
	}
	return all
}

// unfit returns why a value of the right type is not allowed, or "" if it is.
func (d *decoder) unfit(field reflect.StructField, v reflect.Value) string {
	if words, ok := d.enums[field.Type]; ok && !slices.Contains(words, v.String()) {
		return "must be one of " + strings.Join(words, ", ")
	}
	limits := field.Tag.Get("limits")
	if limits == "" || !v.CanInt() {
		return ""
	}
	low, high, _ := strings.Cut(limits, ",")
	least, err1 := strconv.ParseInt(low, 10, 64)
	most, err2 := strconv.ParseInt(high, 10, 64)
	if err1 == nil && err2 == nil && (v.Int() < least || v.Int() > most) {
		return fmt.Sprintf("must be between %d and %d", least, most)
	}
	return ""
}

func fieldByTag(t reflect.Type, key string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if tagName(t.Field(i)) == key {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

func tagName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

// nearestSetting names the settings that share a prefix with a key, or all.
func nearestSetting(t reflect.Type, key string) string {
	var all, near []string
	folded := strings.ToLower(key)
	for i := range t.NumField() {
		name := tagName(t.Field(i))
		all = append(all, name)
		prefix := min(4, len(name), len(folded))
		if _, meant := spelling.Slips(key, name); meant || strings.ToLower(name[:prefix]) == folded[:prefix] {
			near = append(near, name)
		}
	}
	if len(near) > 0 {
		return strings.Join(near, ", ")
	}
	return strings.Join(all, ", ")
}

func kindWord(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Bool:
		return "boolean"
	case reflect.Int, reflect.Int64:
		return "whole number"
	case reflect.Slice:
		return "list of texts"
	default:
		return t.Kind().String()
	}
}
