package settings

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/protocol"
)

// leaf is one setting of a group: its field and its value.
type leaf struct {
	field reflect.StructField
	value reflect.Value
}

// leaves yields the settings of a group, or the single setting, by name.
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

// find returns a setting by its full name, such as winnow.lock. It panics for another
// name.
func find(s *protocol.Settings, name string) leaf {
	for n, l := range leaves("winnow", reflect.ValueOf(s).Elem()) {
		if n == name {
			return l
		}
	}
	panic("settings: no setting " + name)
}

// overlay returns base with those settings of over that are in said; maps are merged.
func overlay(base, over protocol.Settings, said map[string]bool) protocol.Settings {
	for name, l := range leaves("winnow", reflect.ValueOf(&base).Elem()) {
		if !said[name] {
			continue
		}
		value := find(&over, name).value
		if value.Kind() == reflect.Map {
			value = merged(l.value, value)
		}
		l.value.Set(value)
	}
	return base
}

// combine returns the settings of a workspace over the user's. Of settings tagged
// `restricted` the stricter value applies; machine settings are the user's; all others
// are the workspace's. It reports each workspace setting that is not in force, and each
// user setting that a stricter one of the workspace replaces.
func combine(user, workspace protocol.Settings, usersSaid map[string]bool) (protocol.Settings, []Problem) {
	var problems []Problem
	result := workspace
	for name, l := range leaves("winnow", reflect.ValueOf(&result).Elem()) {
		mine, theirs := find(&user, name).value, find(&workspace, name).value
		if theirs.Kind() == reflect.Map {
			other := name[:strings.LastIndexByte(name, '.')+1] + l.field.Tag.Get("otherwise")
			counts, found := combineMaps(name, l.field, [2]reflect.Value{mine, find(&user, other).value}, [2]reflect.Value{theirs, find(&workspace, other).value})
			problems = append(problems, found...)
			l.value.Set(counts)
			continue
		}
		counts := stricter(l.field, mine, theirs)
		if !reflect.DeepEqual(counts.Interface(), theirs.Interface()) {
			problems = append(problems, lax(name, theirs, counts))
		} else if usersSaid[name] && l.field.Tag.Get("restricted") != "" && !reflect.DeepEqual(counts.Interface(), mine.Interface()) {
			problems = append(problems, tightened(name, mine, counts))
		}
		l.value.Set(counts)
	}
	return result, problems
}

// combineMaps is [combine] for one setting that is a map. Each scope supplies the map,
// and the value that applies to entries not in it.
func combineMaps(name string, field reflect.StructField, user, workspace [2]reflect.Value) (reflect.Value, []Problem) {
	var problems []Problem
	counts := merged(user[0], workspace[0])
	for _, key := range slices.SortedFunc(slices.Values(counts.MapKeys()), func(a, b reflect.Value) int { return strings.Compare(a.String(), b.String()) }) {
		mine, theirs := user[0].MapIndex(key), workspace[0].MapIndex(key)
		own := mine.IsValid()
		if !own {
			mine = user[1]
		}
		named := theirs.IsValid() && !(own && theirs.Equal(mine))
		switch {
		case named:
		case stricter(field, user[1], workspace[1]).Equal(user[1]):
			continue // the workspace has nothing stricter
		default:
			theirs = workspace[1]
		}
		value := stricter(field, mine, theirs)
		counts.SetMapIndex(key, value)
		member := name + "." + key.String()
		switch {
		case named && !value.Equal(theirs):
			problems = append(problems, lax(member, theirs, value))
		case own && !value.Equal(mine):
			problems = append(problems, tightened(member, mine, value))
		}
	}
	return counts, problems
}

// lax returns the problem of a workspace's value that is not in force, and tightened that
// of a user's.
func lax(name string, theirs, counts reflect.Value) Problem {
	return Problem{
		Setting: name, Next: "Set it in your own settings, where it is to be so.",
		Message: fmt.Sprintf("%s is %v in the workspace's settings, which may only be stricter than yours: %v is in force",
			name, theirs.Interface(), counts.Interface()),
	}
}

func tightened(name string, mine, counts reflect.Value) Problem {
	return Problem{
		Setting: name, Next: "Change the workspace's settings, if you may.",
		Message: fmt.Sprintf("%s is %v in your settings, and the stricter %v of the workspace's settings is in force",
			name, mine.Interface(), counts.Interface()),
	}
}

// stricter returns which of the user's and the workspace's values applies.
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

// common returns the texts that are in both lists, in the order of the first.
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
