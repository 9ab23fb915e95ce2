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
		if f.Doc == "" {
			return nil, fmt.Errorf("setting %s: needs a doc comment, which is what the user reads", setting.Key)
		}
		used := p.Type(f.Type.Name)
		if used != nil && used.Kind == Struct {
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

// configuration is the contributes.configuration of an extension.
func configuration(settings []Setting) (object, error) {
	var properties object
	for i, s := range settings {
		property, err := s.property(i + 1)
		if err != nil {
			return nil, fmt.Errorf("setting %s: %w", s.Key, err)
		}
		properties.add(s.Key, property)
	}
	return object{{"title", "Winnow"}, {"properties", properties}}, nil
}

// restricted lists the keys of the settings with the tag `restricted`.
func restricted(settings []Setting) []string {
	keys := []string{}
	for _, s := range settings {
		if s.Field.Tag.Get("restricted") == "true" {
			keys = append(keys, s.Key)
		}
	}
	return keys
}

// property is the setting's entry in contributes.configuration. The order is
// its place in the settings editor.
func (s Setting) property(order int) (object, error) {
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
	out.add("order", order)
	out.add("markdownDescription", linkSettings(markdown(s.Field.Doc)))
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
