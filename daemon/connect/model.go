package connect

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// modelFile is a user's file with the address of a client's model.
type modelFile struct {
	file func(p Places) string
	// with returns the file's text with the proxy's address. without removes exactly this
	// address. A different value is an error and is kept.
	with    func(data []byte, proxy string) ([]byte, error)
	without func(data []byte, proxy string) ([]byte, error)
	// needs is a variable that the client needs to use a custom address, or "".
	needs string
}

// member is a text in a JSON file: its path of keys, and the suffix of the proxy's
// address.
type member struct {
	keys []string
	path string
}

// modelFiles returns the model files of clients by ID.
func modelFiles() map[string]modelFile {
	claude, opencode := inJSON(member{[]string{"env", "ANTHROPIC_BASE_URL"}, "/anthropic"}), inJSON(
		member{[]string{"provider", "openai", "options", "baseURL"}, "/openai/v1"},
		member{[]string{"provider", "anthropic", "options", "baseURL"}, "/anthropic/v1"},
	)
	claude.file = func(p Places) string {
		return filepath.Join(p.env("CLAUDE_CONFIG_DIR", p.Home, ".claude"), "settings.json")
	}
	opencode.file = func(p Places) string {
		client, _ := Find("opencode")
		return client.Files(p)[User]
	}
	return map[string]modelFile{
		"claude":   claude,
		"opencode": opencode,
		"gemini": {
			file: func(p Places) string { return filepath.Join(p.Home, ".gemini", ".env") },
			with: withVariable("GOOGLE_GEMINI_BASE_URL", "/gemini"), without: withoutVariable("GOOGLE_GEMINI_BASE_URL", "/gemini"),
		},
		"codex": {
			file: func(p Places) string {
				client, _ := Find("codex")
				return client.Files(p)[User]
			},
			with: withProvider, without: withoutProvider, needs: "OPENAI_API_KEY",
		},
	}
}

// Modelled returns the IDs of clients whose model's address can be written.
func Modelled() []string {
	var ids []string
	for id := range modelFiles() {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// ServersOf names the servers in a client's files, the user's and the workspace's. An
// unreadable file has none.
func (c *Connector) ServersOf(id string) []string {
	client, ok := Find(id)
	if !ok {
		return nil
	}
	var all []string
	for _, file := range client.Files(c.Places) {
		if data, there, err := read(file); there && err == nil {
			names, _ := client.servers(data)
			all = append(all, names...)
		}
	}
	return all
}

// proxied is the prefix of the record that a client's model is used through the proxy.
const proxied = "model-"

// Proxied returns the address of the proxy that any client uses, or "".
func (c *Connector) Proxied() string {
	for _, id := range Modelled() {
		if address := c.noted(id); address != "" {
			return address
		}
	}
	return ""
}

// noted returns the recorded address of a client's proxy, or "".
func (c *Connector) noted(id string) string {
	address, err := atomicfile.Read(filepath.Join(c.Dir, proxied+id), maxFile)
	if err != nil {
		return ""
	}
	return string(address)
}

// Model writes the proxy's address into a client's file with its model's address. With
// undo it removes the recorded or given address, which the result names. Nothing else in
// it changes.
func (c *Connector) Model(client *Client, proxy string, undo bool) (Result, error) {
	in, ok := modelFiles()[client.ID]
	if !ok {
		return Result{}, fmt.Errorf("%s has no file with the address of its model; clients that have one: %s", client.Name, strings.Join(Modelled(), ", "))
	}
	path := in.file(c.Places)
	if noted := c.noted(client.ID); undo && noted != "" {
		proxy = noted
	}
	result := Result{Client: client.ID, Scope: User, File: path, Next: restart, Entry: proxy}
	if !undo && in.needs != "" && c.env(in.needs, "") == "" {
		return result, fmt.Errorf("%s asks a model at an address of yours with a key only, and %s is not set; nothing was changed", client.Name, in.needs)
	}
	before, there, err := read(path)
	if err != nil {
		return result, err
	}
	edit := in.with
	if undo {
		edit = in.without
	}
	after, err := edit(before, proxy)
	if err != nil {
		return result, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	result.Changed = !bytes.Equal(before, after)
	left := string(bytes.TrimSpace(after))
	switch {
	case !result.Changed:
	case undo && (left == "" || left == "{}") && made(c.Dir, path):
		err = errors.Join(os.Remove(path), noteMade(c.Dir, path, false))
	case undo || there:
		err = write(path, after, User)
	default:
		err = errors.Join(noteMade(c.Dir, path, true), write(path, after, User))
	}
	if err != nil {
		return result, err
	}
	if undo && !result.Changed && bytes.Contains(after, []byte(strings.TrimPrefix(proxy, "http://"))) {
		return result, nil // if the user changed it, the proxy may still be used
	}
	return result, c.noteProxied(client.ID, proxy, !undo)
}

// noteProxied records whether a client's model is used through the proxy.
func (c *Connector) noteProxied(id, proxy string, is bool) error {
	note := filepath.Join(c.Dir, proxied+id)
	if !is {
		if err := os.Remove(note); !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		return nil
	}
	if err := os.MkdirAll(c.Dir, privateDir); err != nil {
		return err
	}
	return atomicfile.Write(note, []byte(proxy), privateFile)
}

// inJSON returns a modelFile for members of a JSON file.
func inJSON(members ...member) modelFile {
	return modelFile{
		with: func(data []byte, proxy string) ([]byte, error) {
			editor, root, err := open(data)
			if err != nil {
				return nil, err
			}
			changed := false
			for _, m := range members {
				o, err := at(root, m.keys, true)
				if err != nil {
					return nil, err
				}
				key, address := m.keys[len(m.keys)-1], proxy+m.path
				if now, ok := o.Text(key); ok && now == address {
					continue
				}
				if o.Has(key) {
					return nil, fmt.Errorf("%s says something else already; name that address under \"endpoints\" of winnow.json, and take it out here", strings.Join(m.keys, "."))
				}
				o.SetString(key, address)
				changed = true
			}
			if !changed {
				return data, nil
			}
			return editor.Text(), nil
		},
		without: func(data []byte, proxy string) ([]byte, error) {
			editor, root, err := open(data)
			if err != nil {
				return nil, err
			}
			changed := false
			for _, m := range members {
				o, err := at(root, m.keys, false)
				if err != nil {
					continue // it is not there
				}
				if now, ok := o.Text(m.keys[len(m.keys)-1]); !ok || now != proxy+m.path {
					continue
				}
				changed = true
				if err := removeUp(root, m.keys); err != nil {
					return nil, err
				}
			}
			if !changed {
				return data, nil
			}
			return editor.Text(), nil
		},
	}
}

// at returns the object that contains the last of the keys.
func at(o jsonc.Object, keys []string, create bool) (jsonc.Object, error) {
	for _, key := range keys[:len(keys)-1] {
		if !create && !o.Has(key) {
			return o, fs.ErrNotExist
		}
		var err error
		if o, err = o.Child(key, create); err != nil {
			return o, err
		}
	}
	return o, nil
}

// removeUp removes a member, and enclosing objects that become empty.
func removeUp(root jsonc.Object, keys []string) error {
	for n := len(keys); n > 0; n-- {
		o, err := at(root, keys[:n], false)
		if err != nil {
			return err
		}
		if err := o.Remove(keys[n-1]); err != nil || !o.IsEmpty() {
			return err
		}
	}
	return nil
}

// withVariable returns a function that adds a line to a file of variables.
func withVariable(name, path string) func([]byte, string) ([]byte, error) {
	return func(data []byte, proxy string) ([]byte, error) {
		line := name + "=" + proxy + path
		for one := range strings.Lines(string(data)) {
			set, _, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(one), "export "), "=")
			switch {
			case strings.TrimSpace(one) == line:
				return data, nil
			case strings.TrimSpace(set) == name:
				return nil, fmt.Errorf("%s says something else already", name)
			}
		}
		if len(data) > 0 && data[len(data)-1] != '\n' {
			line = "\n" + line
		}
		return append(slices.Clone(data), line+"\n"...), nil
	}
}

func withoutVariable(name, path string) func([]byte, string) ([]byte, error) {
	return func(data []byte, proxy string) ([]byte, error) {
		var left []byte
		for one := range strings.Lines(string(data)) {
			if strings.TrimSpace(one) != name+"="+proxy+path {
				left = append(left, one...)
			}
		}
		return left, nil
	}
}

// Codex has the provider's name before all tables, and its table anywhere.
const providerLine = "model_provider = \"winnow\"\n"

func providerTable(proxy string) string {
	return "[model_providers.winnow]\nname = \"OpenAI through Winnow\"\nbase_url = " + tomlString(proxy+"/openai/v1") +
		"\nwire_api = \"responses\"\nenv_key = \"OPENAI_API_KEY\"\n"
}

func withProvider(data []byte, proxy string) ([]byte, error) {
	text, table := string(data), providerTable(proxy)
	if strings.HasPrefix(text, providerLine) && strings.Contains(text, table) {
		return data, nil
	}
	var now struct {
		Provider string `toml:"model_provider"`
	}
	if err := toml.Unmarshal(data, &now); err != nil {
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	if now.Provider != "" {
		return nil, fmt.Errorf("model_provider is %q already", now.Provider)
	}
	if text != "" && !strings.HasSuffix(text, "\n") {
		text += "\n"
	}
	after := []byte(providerLine + text + "\n" + table)
	var whole map[string]any
	return after, toml.Unmarshal(after, &whole)
}

// withoutProvider removes what withProvider wrote. It refuses if keys were added to the
// table, because they would move to the previous table.
func withoutProvider(data []byte, proxy string) ([]byte, error) {
	there, err := hasProvider(data)
	if err != nil || !there {
		return data, err
	}
	text, first := strings.CutPrefix(string(data), providerLine)
	before, after, table := strings.Cut(text, "\n"+providerTable(proxy))
	left := []byte(before + after)
	next := strings.TrimSpace(after)
	if there, err = hasProvider(left); !first || !table || err != nil || there || next != "" && next[0] != '[' {
		return nil, errors.New("its provider \"winnow\" is not as Winnow wrote it; take it out by hand")
	}
	return left, nil
}

// hasProvider reports whether a Codex file names or defines our provider.
func hasProvider(data []byte) (bool, error) {
	var file struct {
		Provider  string         `toml:"model_provider"`
		Providers map[string]any `toml:"model_providers"`
	}
	if err := toml.Unmarshal(data, &file); err != nil {
		return false, fmt.Errorf("it is not TOML: %w", err)
	}
	return file.Provider == "winnow" || file.Providers["winnow"] != nil, nil
}
