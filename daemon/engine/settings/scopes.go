package settings

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// leaf is one setting of a group: its field, and its place in the groups.
type leaf struct {
	field reflect.StructField
	value reflect.Value
}

// leaves walks the settings of a group, or the one setting, by name.
func leaves(name string, v reflect.Value) iter.Seq2[string, leaf] {
	return func(yield func(string, leaf) bool) { walk(name, leaf{value: v}, yield) }
}

func walk(name string, at leaf, yield func(string, leaf) bool) bool {
	if at.value.Kind() != reflect.Struct {
		return yield(name, at)
	}
	for i := range at.value.NumField() {
		field := at.value.Type().Field(i)
		if !walk(name+"."+tagName(field), leaf{field, at.value.Field(i)}, yield) {
			return false
		}
	}
	return true
}

// find returns a setting by name.
func find(s *protocol.Settings, name string) leaf {
	for n, l := range leaves("winnow", reflect.ValueOf(s).Elem()) {
		if n == name {
			return l
		}
	}
	panic("settings: no setting " + name)
}

// overlay returns base with those of over that were said.
func overlay(base, over protocol.Settings, said map[string]bool) protocol.Settings {
	for name, l := range leaves("winnow", reflect.ValueOf(&base).Elem()) {
		if said[name] {
			l.value.Set(find(&over, name).value)
		}
	}
	return base
}

// combine returns the settings of a workspace over the user's: of those with the
// tag `restricted` the stricter counts, those of the machine are the user's, and
// all others are the workspace's. It reports each that the workspace said and is
// not in force, and each that the user said and a stricter one of the workspace
// is instead.
func combine(user, workspace protocol.Settings, usersSaid map[string]bool) (protocol.Settings, []Problem) {
	var problems []Problem
	result := workspace
	for name, l := range leaves("winnow", reflect.ValueOf(&result).Elem()) {
		mine, theirs := find(&user, name).value, find(&workspace, name).value
		counts := stricter(l.field, mine, theirs)
		if !reflect.DeepEqual(counts.Interface(), theirs.Interface()) {
			problems = append(problems, Problem{
				Setting: name, Next: "Set it in your own settings, where it is to be so.",
				Message: fmt.Sprintf("%s is %v in the workspace's settings, which may only be stricter than yours: %v is in force",
					name, theirs.Interface(), counts.Interface()),
			})
		} else if usersSaid[name] && l.field.Tag.Get("restricted") != "" && !reflect.DeepEqual(counts.Interface(), mine.Interface()) {
			problems = append(problems, Problem{
				Setting: name, Next: "Change the workspace's settings, if you may.",
				Message: fmt.Sprintf("%s is %v in your settings, and the stricter %v of the workspace's settings is in force",
					name, mine.Interface(), counts.Interface()),
			})
		}
		l.value.Set(counts)
	}
	return result, problems
}

// stricter returns which of the user's and the workspace's values counts.
func stricter(field reflect.StructField, user, workspace reflect.Value) reflect.Value {
	order := field.Tag.Get("restricted")
	switch {
	case order == "common":
		return common(user, workspace)
	case field.Tag.Get("scope") == "machine":
		return user
	case order == "":
		return workspace
	}
	values := strings.Split(order, ",")
	rank := func(v reflect.Value) int {
		if i := slices.Index(values, fmt.Sprint(v.Interface())); i >= 0 {
			return i
		}
		return len(values)
	}
	if rank(workspace) < rank(user) {
		return workspace
	}
	return user
}

// common returns what two lists of texts both hold, in the order of the first.
func common(a, b reflect.Value) reflect.Value {
	both := reflect.MakeSlice(a.Type(), 0, a.Len())
	for _, v := range a.Seq2() {
		for _, w := range b.Seq2() {
			if v.Equal(w) {
				both = reflect.Append(both, v)
				break
			}
		}
	}
	return both
}
