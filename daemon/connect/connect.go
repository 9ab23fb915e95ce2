package connect

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/pelletier/go-toml/v2"

	"github.com/winnow-mcp/winnow/daemon/atomicfile"
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
)

// label names Winnow among a client's servers.
const label = "winnow"

const (
	// maxFile is the maximum size of a client's file.
	maxFile     = 16 << 20
	privateDir  = 0o700
	privateFile = 0o600
	sharedDir   = 0o755
	sharedFile  = 0o644
)

// Connector connects clients.
type Connector struct {
	Places
	// Program is the path of winnowd for clients, if it exists. Launcher makes a launcher
	// that survives updates, and returns its path; nil means Program. It is called before
	// an entry is written.
	Program  string
	Launcher func() string
	// Dir is the folder for records of the files that Connect created.
	Dir string
}

// Result describes a change of a file.
type Result struct {
	Client string `json:"client"`
	Scope  Scope  `json:"scope"`
	File   string `json:"file"`
	// Changed is false if the file had the entry already.
	Changed bool `json:"changed"`
	// Entry is the entry in the file, or to be pasted.
	Entry string `json:"entry"`
	// Next is the user's step that makes the client use the change.
	Next string `json:"next"`
	// Others are the other servers in the file, which the client continues to start
	// itself.
	Others []string `json:"others,omitzero"`
}

// file returns the client's file of a scope.
func (c *Connector) file(client *Client, scope Scope) (string, error) {
	files := client.Files(c.Places)
	if file, ok := files[scope]; ok {
		return file, nil
	}
	for other := range files {
		return "", fmt.Errorf("%s takes an entry from its %s file only; use -scope %s, or -print to see the entry", client.Name, other, other)
	}
	return "", fmt.Errorf("%s has no file that can be written; its entry is pasted by hand into %s", client.Name, client.byHand)
}

// DefaultScope returns the user's scope if the client has such a file.
func (c *Connector) DefaultScope(client *Client) Scope {
	files := client.Files(c.Places)
	if _, ok := files[User]; !ok && len(files) > 0 {
		return Project
	}
	return User
}

// Connected reports whether the client's file of a scope has an entry for Winnow.
func (c *Connector) Connected(client *Client, scope Scope) bool {
	file, ok := client.Files(c.Places)[scope]
	if !ok {
		return false
	}
	data, err := atomicfile.Read(file, maxFile)
	if err != nil {
		return false
	}
	names, err := client.servers(data)
	if err != nil {
		return false
	}
	return slices.Contains(names, label)
}

// start returns the program for an entry, and creates it if needed.
func (c *Connector) start() string {
	if c.Launcher == nil {
		return c.Program
	}
	return c.Launcher()
}

// Entry returns the entry to paste if no file can be written. Its program exists.
func (c *Connector) Entry(client *Client) string { return client.Text(label, c.start(), "") }

// Preview returns the entry without creating anything.
func (c *Connector) Preview(client *Client) string { return client.Text(label, c.Program, "") }

// Connect writes the entry into the client's file, which it creates if needed. Nothing
// else in it changes.
func (c *Connector) Connect(client *Client, scope Scope) (Result, error) {
	if client.own != nil && scope == User {
		return c.byCommand(client, false)
	}
	path, err := c.file(client, scope)
	if err != nil {
		return Result{}, err
	}
	result := Result{Client: client.ID, Scope: scope, File: path, Next: client.Next}
	before, there, err := read(path)
	if err != nil {
		return result, err
	}
	if _, err := client.with(before, c.Program); err != nil { // before anything is created for it
		return result, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	program := c.start()
	result.Entry = client.Text(label, program, "")
	after, err := client.with(before, program)
	if err != nil {
		return result, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	names, err := client.servers(after)
	if err != nil {
		return result, fmt.Errorf("%s: %w; nothing was changed", path, err)
	}
	result.Others = slices.DeleteFunc(names, func(name string) bool { return name == label })
	if there && bytes.Equal(before, after) {
		return result, nil
	}
	result.Changed = true
	if old, err := client.servers(before); !there || err == nil && !slices.Contains(old, label) {
		if err := noteMade(c.Dir, path, !there); err != nil {
			return result, err
		}
	}
	return result, write(path, after, scope)
}

// Undo removes the entry from the client's file, and nothing else. It deletes a file that
// Connect created and that is then empty.
func (c *Connector) Undo(client *Client, scope Scope) (Result, error) {
	if client.own != nil && scope == User {
		return c.byCommand(client, true)
	}
	path, err := c.file(client, scope)
	if err != nil {
		return Result{}, err
	}
	result := Result{Client: client.ID, Scope: scope, File: path, Next: client.Next}
	now, there, err := read(path)
	if err != nil || !there {
		return result, err
	}
	without, err := client.without(now)
	if err != nil {
		return result, fmt.Errorf("%s: %w; take the entry %q out by hand", path, err, label)
	}
	if bytes.Equal(now, without) {
		return result, nil
	}
	result.Changed, result.Entry = true, client.Text(label, c.Program, "")
	if left := string(bytes.TrimSpace(without)); (left == "" || left == "{}") && made(c.Dir, path) {
		err = os.Remove(path)
	} else {
		err = write(path, without, scope)
	}
	return result, errors.Join(err, noteMade(c.Dir, path, false))
}

// byCommand makes the client's own command write or remove the user's entry.
func (c *Connector) byCommand(client *Client, undo bool) (Result, error) {
	entry, err := json.Marshal(client.entry(c.start(), client.args("")))
	if err != nil {
		return Result{}, err
	}
	line, remove := client.own(string(entry))
	if undo {
		line = remove
	}
	result := Result{Client: client.ID, Scope: User, File: "what `" + strings.Join(line[:2], " ") + "` keeps for you", Next: client.Next, Entry: string(entry)}
	said, err := exec.Command(line[0], line[1:]...).CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return result, fmt.Errorf("%s keeps your own servers by its command %q, which is not found; use -scope %s, or put it into your PATH", client.Name, line[0], Project)
	}
	if err != nil {
		return result, fmt.Errorf("%s: %w: %s", strings.Join(line[:3], " "), err, bytes.TrimSpace(said))
	}
	result.Changed = true
	return result, nil
}

// open parses a JSON file.
func open(data []byte) (*jsonc.Editor, jsonc.Object, error) {
	if len(bytes.TrimSpace(jsonc.WithoutBOM(data))) == 0 {
		data = []byte("{}\n")
	}
	editor, failure := jsonc.NewEditor(data)
	if failure != nil {
		return nil, jsonc.Object{}, fmt.Errorf("line %d, column %d: %s", failure.Position.Line, failure.Position.Column, failure.Message)
	}
	root, err := editor.Root()
	return editor, root, err
}

// with returns the file's text with the entry.
func (c *Client) with(data []byte, program string) ([]byte, error) {
	if c.toml {
		return c.withTable(data, program)
	}
	editor, root, err := open(data)
	if err != nil {
		return nil, err
	}
	servers, err := root.Child(c.root, true)
	if err != nil {
		return nil, err
	}
	entry, err := json.MarshalIndent(c.entry(program, c.args("")), "", "  ")
	if err != nil {
		return nil, err
	}
	if old, ok := servers.Fragment(label); ok && sameJSON(old.Text, entry) {
		return data, nil
	}
	if err := servers.Insert(label, jsonc.Fragment{Text: string(entry)}); err != nil {
		return nil, err
	}
	return editor.Text(), nil
}

// sameJSON reports whether a text has the same value.
func sameJSON(text string, as []byte) bool {
	var a, b any
	if json.Unmarshal([]byte(text), &a) != nil || json.Unmarshal(as, &b) != nil {
		return false
	}
	x, errX := json.Marshal(a)
	y, errY := json.Marshal(b)
	return errX == nil && errY == nil && bytes.Equal(x, y)
}

// without returns the file's text without the entry.
func (c *Client) without(data []byte) ([]byte, error) {
	if c.toml {
		return c.withoutTable(data)
	}
	editor, root, err := open(data)
	if err != nil || !root.Has(c.root) {
		return data, err
	}
	servers, err := root.Child(c.root, false)
	if err != nil || !servers.Has(label) {
		return data, err
	}
	if err := servers.Remove(label); err != nil {
		return nil, err
	}
	if servers.IsEmpty() {
		if err := root.Remove(c.root); err != nil {
			return nil, err
		}
	}
	return editor.Text(), nil
}

// servers names the servers of a file.
func (c *Client) servers(data []byte) ([]string, error) {
	if c.toml {
		tables, err := c.tables(data)
		return tables, err
	}
	_, root, err := open(data)
	if err != nil || !root.Has(c.root) {
		return nil, err
	}
	servers, err := root.Child(c.root, false)
	if err != nil {
		return nil, err
	}
	return servers.Keys(), nil
}

// tables returns the names of the tables below the root of a TOML file.
func (c *Client) tables(data []byte) ([]string, error) {
	var doc map[string]any
	if err := toml.Unmarshal(data, &doc); err != nil {
		return nil, fmt.Errorf("it is not TOML: %w", err)
	}
	servers, ok := doc[c.root].(map[string]any)
	if !ok {
		return nil, nil
	}
	names := make([]string, 0, len(servers))
	for name := range servers {
		names = append(names, name)
	}
	slices.Sort(names)
	return names, nil
}

// withTable returns the TOML with the entry's table at the end. No TOML editor keeps
// comments, and people add tables at the end too.
func (c *Client) withTable(data []byte, program string) ([]byte, error) {
	table := c.table(label, program, c.args(""))
	if bytes.Contains(data, []byte(table)) {
		return data, nil
	}
	// Earlier versions wrote the entry without its last line.
	if older := []byte(strings.TrimSuffix(table, callsUnasked)); bytes.Contains(data, older) {
		after := bytes.Replace(data, older, []byte(table), 1)
		if _, err := c.tables(after); err != nil {
			return data, nil // the user, or Codex for them, has said how mcp_call is approved
		}
		return after, nil
	}
	names, err := c.tables(data)
	if err != nil {
		return nil, err
	}
	if slices.Contains(names, label) {
		return nil, fmt.Errorf("it has a server %q already, which says something else; take it out, or make it\n%s", label, table)
	}
	text := strings.TrimRight(string(data), "\n")
	if text != "" {
		text += "\n\n"
	}
	after := []byte(text + table)
	if at := c.inline().FindIndex(data); at != nil {
		// Nothing can be added to an inline table from outside.
		after = slices.Concat(data[:at[1]], []byte(c.inlineEntry(program, data[at[1]:])), data[at[1]:])
	}
	_, err = c.tables(after)
	return after, err
}

// inline matches the beginning of the servers' table where it is an inline one.
func (c *Client) inline() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^[ \t]*` + regexp.QuoteMeta(c.root) + `[ \t]*=[ \t]*\{`)
}

// inlineEntry returns the entry within an inline table, before rest.
func (c *Client) inlineEntry(program string, rest []byte) string {
	_, body, _ := strings.Cut(strings.TrimRight(c.table(label, program, c.args("")), "\n"), "\n")
	entry := " " + label + " = { " + strings.ReplaceAll(body, "\n", ", ") + " }"
	if bytes.HasPrefix(bytes.TrimLeft(rest, " \t"), []byte("}")) {
		return entry + " "
	}
	return entry + ","
}

// withoutTable returns the TOML without the entry's table, if it is as written.
func (c *Client) withoutTable(data []byte) ([]byte, error) {
	names, err := c.tables(data)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(names, label) {
		return data, nil
	}
	if at := c.inline().FindIndex(data); at != nil {
		entry := regexp.MustCompile(`^ ` + label + ` = \{ command = "(?:[^"\\]|\\.)*", args = \[[^\]]*\](?:, ` + regexp.QuoteMeta(strings.TrimSpace(callsUnasked)) + `)? \}[, ]`)
		after := slices.Concat(data[:at[1]], entry.ReplaceAll(data[at[1]:], nil))
		if left, err := c.tables(after); err != nil || slices.Contains(left, label) {
			return nil, errors.New("the entry is not written as Winnow writes it")
		}
		return after, nil
	}
	head := "[" + c.root + "." + label + "]\n"
	start := strings.Index(string(data), head)
	if start < 0 {
		return nil, errors.New("the entry is not written as Winnow writes it")
	}
	end := len(data)
	if next := strings.Index(string(data[start+len(head):]), "\n["); next >= 0 {
		end = start + len(head) + next + 1
	}
	end = start + len(lastEntry(string(data[start:end])))
	after := bytes.TrimRight(data[:start:start], "\n")
	if len(after) > 0 {
		after = append(after, '\n')
	}
	rest := bytes.TrimLeft(data[end:], "\n")
	if len(rest) > 0 && len(after) > 0 {
		after = append(after, '\n')
	}
	after = append(after, rest...)
	if left, err := c.tables(after); err != nil || slices.Contains(left, label) {
		return nil, errors.New("the entry is not written as Winnow writes it")
	}
	return after, nil
}

// lastEntry removes from a table's text what belongs to the next table: the blank lines
// and comments at its end.
func lastEntry(table string) string {
	lines := strings.SplitAfter(table, "\n")
	for i := len(lines) - 1; i > 0; i-- {
		if text := strings.TrimSpace(lines[i]); text != "" && text[0] != '#' {
			return strings.Join(lines[:i+1], "")
		}
	}
	return table
}

// read returns a file's text, and whether the file exists.
func read(path string) (data []byte, there bool, err error) {
	data, err = atomicfile.Read(path, maxFile)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil && len(data) > maxFile {
		err = fmt.Errorf("%s is larger than %d bytes", path, maxFile)
	}
	return data, true, err
}

func write(path string, data []byte, scope Scope) error {
	dir, file := fs.FileMode(privateDir), fs.FileMode(privateFile)
	if scope == Project {
		dir, file = sharedDir, sharedFile
	}
	if err := os.MkdirAll(filepath.Dir(path), dir); err != nil {
		return err
	}
	return atomicfile.Write(path, data, file)
}
