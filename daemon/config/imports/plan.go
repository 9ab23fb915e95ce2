package imports

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/jsonc"
	"github.com/winnow-mcp/winnow/protocol"
)

// Request describes a move.
type Request struct {
	Source Source
	// Text is the content of the source's file; Own is that of Winnow's own, nil if there
	// is none.
	Text string
	Own  *string
	// Servers holds the names of the servers to move.
	Servers []string
	// Claude holds Claude Code's settings; only for its own files.
	Claude ClaudeSettings
}

// Change is the change of a file. Nil means no file.
type Change struct {
	Path   string  `json:"path"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// Plan is a move, which can be displayed, made, stored as JSON, and undone.
type Plan struct {
	Dialect config.Dialect `json:"dialect"`
	// Source is the other client's file, Target Winnow's own.
	Source Change `json:"source"`
	Target Change `json:"target"`
	// Servers holds the servers that move.
	Servers []Moved `json:"servers"`
	// Inputs holds the IDs of the inputs that were copied with them.
	Inputs []string `json:"inputs"`
	// Notes are for the user.
	Notes []protocol.ImportNote `json:"-"`
}

// Moved is a server that moves.
type Moved struct {
	Name string `json:"name"`
	// Entry is what the source held.
	Entry jsonc.Fragment `json:"entry"`
	// Keys holds the keys that Winnow's file got. Described holds the tools whose
	// description was added to existing ones.
	Keys      []string `json:"keys"`
	Described []string `json:"described,omitempty"`
	// Unasked holds the tools that its client's settings allow to run unasked.
	Unasked []string `json:"unasked,omitempty"`
}

// emptyFile is the initial text of an empty file.
const emptyFile = "{}\n"

const (
	ownServers = "servers"
	// sandbox has another format in another client's file.
	sandbox      = "sandbox"
	inputs       = "inputs"
	descriptions = "toolDescriptionOverrides"
)

// New plans a move. It leaves a server that Winnow's own file defines; one with only
// rules there is merged. It fails if a file is broken. An unusable entry is left too.
func New(r Request) (Plan, error) {
	p := Plan{
		Dialect: r.Source.Dialect,
		Source:  Change{Path: r.Source.Path, Before: &r.Text},
		Target:  Change{Path: r.Source.Target, Before: r.Own},
	}
	source, err := open(r.Source.Path, r.Text)
	if err != nil {
		return p, err
	}
	own, err := open(r.Source.Target, textOf(r.Own))
	if err != nil {
		return p, err
	}
	m := mover{plan: &p, source: source, own: own, unusable: unusable(r.Source, r.Text)}
	if r.Source.Dialect == config.Claude {
		m.claude = r.Claude
	}
	if r.Own != nil {
		m.taken, _ = entriesOf(*r.Own)
	}
	for _, name := range r.Servers {
		if err := m.move(name); err != nil {
			return p, fmt.Errorf("move %q from %s: %w", name, r.Source.Path, err)
		}
	}
	if err := m.copyInputs(); err != nil {
		return p, fmt.Errorf("copy inputs from %s: %w", r.Source.Path, err)
	}
	p.Source.After, p.Target.After = source.text(), own.text()
	return p, nil
}

// mover builds a plan.
type mover struct {
	plan        *Plan
	source, own file
	taken       map[string]bool
	// unusable holds the problem of each unusable entry.
	unusable map[string]string
	claude   ClaudeSettings
}

func (m *mover) note(n protocol.ImportNote) { m.plan.Notes = append(m.plan.Notes, n) }

// move moves one server. It skips one that does not exist.
func (m *mover) move(name string) error {
	servers, ok := m.source.servers(m.plan.Dialect.ServersKey())
	if !ok {
		return nil
	}
	entry, ok := servers.Fragment(name)
	if !ok {
		return nil
	}
	if problem := m.unusable[name]; problem != "" {
		m.note(protocol.ImportNote{Kind: protocol.NoteUnusable, Server: name, Problem: problem, Path: m.plan.Source.Path})
		return nil
	}
	if m.taken[name] {
		m.note(protocol.ImportNote{Kind: protocol.NoteTaken, Server: name, Path: m.plan.Target.Path})
		return nil
	}
	unasked := m.claude.unasked(name)
	translated, leftOut, err := translate(m.plan.Dialect, entry, unasked)
	if err != nil {
		return err
	}
	if len(leftOut) > 0 {
		m.note(protocol.ImportNote{Kind: protocol.NoteKeysLeftOut, Server: name, Keys: leftOut, Path: m.plan.Target.Path})
	}
	moved := Moved{Name: name, Entry: entry, Unasked: unasked}
	if err := m.put(&moved, translated); err != nil {
		return err
	}
	m.plan.Servers = append(m.plan.Servers, moved)
	return servers.Remove(name)
}

// translate converts an entry to Winnow's format and lets the unasked tools run without
// confirmation. It returns the keys that it omitted because Winnow has no equivalent.
func translate(dialect config.Dialect, entry jsonc.Fragment, unasked []string) (translated jsonc.Fragment, leftOut []string, err error) {
	f, err := open("", entry.Text)
	if err != nil {
		return entry, nil, err
	}
	if err := unnest(f.root); err != nil {
		return entry, nil, err
	}
	if kind, _ := f.root.Text("type"); kind == "local" && dialect == config.Copilot {
		f.root.SetString("type", string(protocol.TypeStdio))
	}
	if err := rename(f.root, dialect.AllowKey(), config.AllowKey); err != nil {
		return entry, nil, err
	}
	for _, tool := range unasked {
		if err := f.root.AddName(config.AllowKey, tool); err != nil {
			return entry, nil, err
		}
	}
	known := config.EntryKeys()
	for _, key := range f.root.Keys() {
		if slices.Contains(known, key) && key != sandbox {
			continue
		}
		leftOut = append(leftOut, key)
		if err := f.root.Remove(key); err != nil {
			return entry, nil, err
		}
	}
	if timeout, ok := f.root.Number("timeout"); ok {
		if seconds := timeout * dialect.TimeoutUnit(timeout).Seconds(); seconds != timeout {
			f.root.SetNumber("timeout", seconds)
		}
	}
	entry.Text = *f.text()
	return entry, leftOut, nil
}

// rename renames a member, if it exists and the new name does not.
func rename(entry jsonc.Object, from, to string) error {
	value, ok := entry.Fragment(from)
	if !ok || from == to || entry.Kind(to) != 0 {
		return nil
	}
	if err := entry.Insert(to, value); err != nil {
		return err
	}
	return entry.Remove(from)
}

// Allowed returns the tools of a server that the client of a move ran unasked.
func (p *Plan) Allowed(server string) []string {
	i := slices.IndexFunc(p.Servers, func(m Moved) bool { return m.Name == server })
	if i < 0 {
		return nil
	}
	entry, err := open("", p.Servers[i].Entry.Text)
	if err != nil {
		return nil
	}
	tools := slices.Clone(p.Servers[i].Unasked)
	for _, element := range entry.root.Elements(p.Dialect.AllowKey()) {
		var tool string
		if json.Unmarshal([]byte(element.Text), &tool) == nil {
			tools = append(tools, tool)
		}
	}
	return tools
}

// unnest moves what Cline may write below transport to its usual place.
func unnest(entry jsonc.Object) error {
	const key = "transport"
	if entry.Kind(key) != '{' {
		return nil
	}
	nested, err := entry.Child(key, false)
	if err != nil {
		return err
	}
	for _, name := range nested.Keys() {
		value, _ := nested.Fragment(name)
		if err := entry.Insert(name, value); err != nil {
			return err
		}
	}
	return entry.Remove(key)
}

// inputPattern matches the inputs of an entry.
var inputPattern = regexp.MustCompile(`\$\{input:([^}]+)\}`)

// copyInputs copies the inputs that moved servers use. They stay in the source, because
// other servers may use them too.
func (m *mover) copyInputs() error {
	wanted := map[string]bool{}
	for _, s := range m.plan.Servers {
		for _, match := range inputPattern.FindAllStringSubmatch(s.Entry.Text, -1) {
			wanted[match[1]] = true
		}
	}
	for _, input := range m.source.root.Elements(inputs) {
		id := inputID(input)
		if !wanted[id] || inputAt(m.own.root, id) >= 0 {
			continue
		}
		if err := m.own.root.Append(inputs, input); err != nil {
			return err
		}
		m.plan.Inputs = append(m.plan.Inputs, id)
	}
	return nil
}

// inputAt returns the index of an input in a file's list, or -1.
func inputAt(root jsonc.Object, id string) int {
	return slices.IndexFunc(root.Elements(inputs), func(f jsonc.Fragment) bool { return inputID(f) == id })
}

// inputID returns the ID of an input, or "" if it has none.
func inputID(input jsonc.Fragment) string {
	f, err := open("", input.Text)
	if err != nil {
		return ""
	}
	id, _ := f.root.Text("id")
	return id
}
