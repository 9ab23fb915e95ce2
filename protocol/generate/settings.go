package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
)

// settingPrefix is what VS Code puts before the name of each of our settings.
const settingPrefix = "winnow."

// Setting is one setting as the user knows it.
type Setting struct {
	// Key is the full name, such as winnow.servers.start.
	Key     string
	Field   Field
	Default json.RawMessage
	// Values are those of a setting with named values, or of a map's members; nil
	// for another.
	Values []Value
}

// listSettings lists the settings in the order of the struct, groups in their
// place, each with its value in defaults.
func listSettings(pkg *Package, defaults any) ([]Setting, error) {
	raw, err := json.Marshal(defaults)
	if err != nil {
		return nil, fmt.Errorf("marshal the default settings: %w", err)
	}
	return pkg.settingsOf(reflect.TypeOf(defaults), settingPrefix, raw)
}

// settingsOf lists the settings of one group.
func (p *Package) settingsOf(group reflect.Type, prefix string, defaults json.RawMessage) ([]Setting, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(defaults, &values); err != nil {
		return nil, fmt.Errorf("read the defaults of %s: %w", prefix, err)
	}
	var list []Setting
	for _, f := range p.fields(group) {
		setting := Setting{Key: prefix + f.JSON, Field: f, Default: values[f.JSON]}
		if f.JSON == "" || f.Optional || setting.Default == nil || string(setting.Default) == "null" {
			return nil, fmt.Errorf("setting %s: every setting has a name of its own and a default that is not null", setting.Key)
		}
		isGroup := f.Type.Kind() == reflect.Struct
		if !isGroup && f.Tag.Get("title") == "" {
			return nil, fmt.Errorf("setting %s: needs the tag title, which is what it is called", setting.Key)
		}
		if f.Doc == "" {
			return nil, fmt.Errorf("setting %s: needs a doc comment, which is what the user reads", setting.Key)
		}
		if isGroup {
			nested, err := p.settingsOf(f.Type, setting.Key+".", setting.Default)
			if err != nil {
				return nil, err
			}
			list = append(list, nested...)
			continue
		}
		if declared(f.Type) {
			setting.Values = p.Values[f.Type.Name()]
			if !slices.ContainsFunc(setting.Values, func(v Value) bool { return v.Literal == string(setting.Default) }) {
				return nil, fmt.Errorf("setting %s: its default %s is none of its values", setting.Key, setting.Default)
			}
		}
		if f.Type.Kind() == reflect.Map && declared(f.Type.Elem()) {
			setting.Values = p.Values[f.Type.Elem().Name()]
		}
		list = append(list, setting)
	}
	return list, nil
}

// configuration is the contributes.configuration of an extension: the basic
// settings first, then all others.
func configuration(settings []Setting) ([]object, error) {
	var basics, advanced object
	for _, s := range settings {
		property, err := s.property()
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", s.Key, err)
		}
		if s.Field.Tag.Get("basic") != "" {
			basics.add(s.Key, property)
		} else {
			advanced.add(s.Key, property)
		}
	}
	return []object{
		{{"title", "Basics"}, {"order", 1}, {"properties", basics}},
		{{"title", "Advanced"}, {"order", 2}, {"properties", advanced}},
	}, nil
}

// restricted lists the keys of the settings with the tag `restricted`.
func restricted(settings []Setting) []string {
	keys := []string{}
	for _, s := range settings {
		if s.Field.Tag.Get("restricted") != "" {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// property is the setting's entry in contributes.configuration. A basic one says
// its place in the settings editor, which has the others by their keys.
func (s Setting) property() (object, error) {
	var out object
	switch {
	case s.Values != nil && s.Field.Type.Kind() == reflect.Map:
		out = object{{"type", "object"}, {"additionalProperties", oneOf(s.Values)}}
	case s.Values != nil:
		out = oneOf(s.Values)
	default:
		schema, err := s.Field.schema()
		if err != nil {
			return nil, err
		}
		out = schema
	}
	out.add("default", s.Default)
	if scope := s.Field.Tag.Get("scope"); scope != "" {
		out.add("scope", scope)
	}
	if place := s.Field.Tag.Get("basic"); place != "" {
		out.add("order", json.RawMessage(place))
	}
	// VS Code makes a name of the key. The plain one comes first in the text.
	out.add("markdownDescription", "**"+s.Field.Tag.Get("title")+".** "+linkSettings(markdown(s.Field.Doc)))
	return out, nil
}

// oneOf is the schema of a text that is one of some values.
func oneOf(values []Value) object {
	var literals []json.RawMessage
	var docs []string
	for _, v := range values {
		literals = append(literals, json.RawMessage(v.Literal))
		docs = append(docs, linkSettings(markdown(plainDoc(v.Name, v.Doc))))
	}
	return object{{"type", "string"}, {"enum", literals}, {"markdownEnumDescriptions", docs}}
}

// linkSettings makes each `winnow.…` a link in VS Code's settings editor.
func linkSettings(text string) string {
	parts := strings.Split(text, "`")
	for i := 1; i < len(parts); i += 2 {
		if strings.HasPrefix(parts[i], settingPrefix) {
			parts[i] = "#" + parts[i] + "#"
		}
	}
	return strings.Join(parts, "`")
}
