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

// Request asks for a move.
type Request struct {
	Source Source
	// Text is that of the source's file, Own that of Winnow's own, nil when
	// there is none.
	Text string
	Own  *string
	// Servers are the names of those to move.
	Servers []string
	// Claude says what Claude Code ran unasked; for a file of its own alone.
	Claude ClaudeSettings
}

// Change is what becomes of a file. Nil stands for no file.
type Change struct {
	Path   string  `json:"path"`
	Before *string `json:"before"`
	After  *string `json:"after"`
}

// Plan is a move that can be shown, made, kept as JSON, and undone.
type Plan struct {
	Dialect config.Dialect `json:"dialect"`
	// Source is the other client's file, Target Winnow's own.
	Source Change `json:"source"`
	Target Change `json:"target"`
	// Servers are those that move.
	Servers []Moved `json:"servers"`
	// Inputs are the ids of the inputs that were copied with them.
	Inputs []string `json:"inputs"`
	// Notes say what the user should know.
	Notes []protocol.ImportNote `json:"-"`
}

// Moved is a server that moves.
type Moved struct {
	Name string `json:"name"`
	// Entry is what the source held.
	Entry jsonc.Fragment `json:"entry"`
	// Keys are those that Winnow's file got, Described the tools whose
	// description it got besides others that it had.
	Keys      []string `json:"keys"`
	Described []string `json:"described,omitempty"`
	// Unasked are the tools that its client's settings let run without a question.
	Unasked []string `json:"unasked,omitempty"`
}

// emptyFile is what a file without text begins as.
const emptyFile = "{}\n"

const (
	ownServers = "servers"
	// sandbox is another client's own in its file, and has another form.
	sandbox      = "sandbox"
	inputs       = "inputs"
	descriptions = "toolDescriptionOverrides"
)

// New plans a move. A server that Winnow's own file defines stays where it is;
// one that it only has rules for joins them. It fails when a file is broken; an
// entry with something wrong stays, too.
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

// mover makes a plan.
type mover struct {
	plan        *Plan
	source, own file
	taken       map[string]bool
	// unusable says what is wrong with an entry.
	unusable map[string]string
	claude   ClaudeSettings
}

func (m *mover) note(n protocol.ImportNote) { m.plan.Notes = append(m.plan.Notes, n) }

// move moves one server; one that is not there is passed over.
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

// translate makes an entry one of Winnow's, in which the tools of unasked run
// without a question too, and returns the keys that it left out because Winnow has
// no such thing.
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

// rename gives a member another name, where there is one and none of that name.
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

// Allowed returns the tools that the client of a move ran unasked by what a server
// had there.
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

// unnest moves what Cline may write below transport to where all others have
// it.
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

// inputPattern finds what an entry asks the user for.
var inputPattern = regexp.MustCompile(`\$\{input:([^}]+)\}`)

// copyInputs copies the inputs that moved servers ask for. They stay in the
// source: other servers may ask for them too.
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

// inputAt returns where a file's list of inputs has an id, or -1.
func inputAt(root jsonc.Object, id string) int {
	return slices.IndexFunc(root.Elements(inputs), func(f jsonc.Fragment) bool { return inputID(f) == id })
}

// inputID returns the id of an input; empty for what is none.
func inputID(input jsonc.Fragment) string {
	f, err := open("", input.Text)
	if err != nil {
		return ""
	}
	id, _ := f.root.Text("id")
	return id
}
