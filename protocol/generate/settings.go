package main

import (
	"encoding/json"
	"fmt"
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
	// Enum is the type of the values, for a setting with named values.
	Enum *Type
}

// listSettings lists the settings in the order of the struct, groups in their
// place, each with its value in defaults.
func listSettings(pkg *Package, defaults any) ([]Setting, error) {
	raw, err := json.Marshal(defaults)
	if err != nil {
		return nil, fmt.Errorf("marshal the default settings: %w", err)
	}
	root := pkg.Type("Settings")
	if root == nil {
		return nil, fmt.Errorf("package protocol does not declare Settings")
	}
	return pkg.settingsOf(root, settingPrefix, raw)
}

// settingsOf lists the settings of one group.
func (p *Package) settingsOf(group *Type, prefix string, defaults json.RawMessage) ([]Setting, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(defaults, &values); err != nil {
		return nil, fmt.Errorf("read the defaults of %s: %w", prefix, err)
	}
	var list []Setting
	for _, f := range group.Fields {
		setting := Setting{Key: prefix + f.JSON, Field: f, Default: values[f.JSON]}
		if f.Embedded() || f.Optional || setting.Default == nil || string(setting.Default) == "null" {
			return nil, fmt.Errorf("setting %s: every setting has a name of its own and a default that is not null", setting.Key)
		}
		used := p.Type(f.Type.Name)
		isGroup := used != nil && used.Kind == Struct
		if !isGroup && f.Tag.Get("title") == "" {
			return nil, fmt.Errorf("setting %s: needs the tag title, which is what it is called", setting.Key)
		}
		if f.Doc == "" {
			return nil, fmt.Errorf("setting %s: needs a doc comment, which is what the user reads", setting.Key)
		}
		if isGroup {
			nested, err := p.settingsOf(used, setting.Key+".", setting.Default)
			if err != nil {
				return nil, err
			}
			list = append(list, nested...)
			continue
		}
		if used != nil && !used.has(setting.Default) {
			return nil, fmt.Errorf("setting %s: its default %s is none of its values", setting.Key, setting.Default)
		}
		setting.Enum = used
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
	if s.Enum != nil {
		out.add("type", "string")
		out.add("enum", s.Enum.literals())
		out.add("markdownEnumDescriptions", s.enumDocs())
	} else {
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

// has reports whether a literal is one of an enum's values.
func (t *Type) has(literal json.RawMessage) bool {
	return slices.ContainsFunc(t.Values, func(v Value) bool { return v.Literal == string(literal) })
}

// literals are the values of an enum as JSON.
func (t *Type) literals() []json.RawMessage {
	var out []json.RawMessage
	for _, v := range t.Values {
		out = append(out, json.RawMessage(v.Literal))
	}
	return out
}

// enumDocs says what each value means.
func (s Setting) enumDocs() []string {
	var out []string
	for _, v := range s.Enum.Values {
		out = append(out, linkSettings(markdown(plainDoc(v.Name, v.Doc))))
	}
	return out
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
