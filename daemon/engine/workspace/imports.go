package workspace

import (
	"errors"
	"net/url"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/daemon/config/imports/history"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// UndoImports undoes every move of servers that was made with the user's folder
// for Winnow, on the disk: `winnowd undo-imports`.
func UndoImports() error {
	p := placesOf(&protocol.InitializeParams{})
	if p.userDir == "" {
		return nil // nothing can have been kept
	}
	return history.In(p.userDir).UndoAll()
}

// Imports moves servers from other clients' files to Winnow's own. It decides
// and keeps what an undo needs; the host shows, confirms and applies the edits,
// because a file may be open and unsaved there.
type Imports struct{ workspace *Workspace }

// NewImports returns what plans moves in a workspace.
func NewImports(w *Workspace) *Imports { return &Imports{w} }

// sources lists the files that may have servers to move.
func (i *Imports) sources() []imports.Source {
	return imports.Sources(i.workspace.fileOptions(i.workspace.Folders()))
}

func (i *Imports) history() history.History { return history.In(i.workspace.places.userDir) }

// List lists the servers that could be moved.
func (i *Imports) List(p *protocol.ImportListParams) (protocol.ImportListResult, error) {
	given := map[string]*string{}
	for _, d := range p.Documents {
		if path, err := pathOfURI(d.URI); err == nil {
			given[path] = d.Text
		}
	}
	result := protocol.ImportListResult{Files: []protocol.ImportFile{}}
	for _, source := range i.sources() {
		text := importText(given, source.Path)
		if text == nil {
			continue
		}
		servers := imports.Servers(source, *text, importText(given, source.Target))
		if len(servers) > 0 {
			result.Files = append(result.Files, protocol.ImportFile{
				Client: source.Dialect.Client(), URI: uriOf(source.Path), Target: uriOf(source.Target), Servers: servers,
			})
		}
	}
	return result, nil
}

// importText returns the text that the host gave of a file, or else the disk's;
// nil when there is none that can be read, which whoever plans a move is told.
func importText(given map[string]*string, path string) *string {
	if text, ok := given[path]; ok {
		return text
	}
	data, err := config.ReadFile(path)
	if err != nil {
		return nil
	}
	text := string(data)
	return &text
}

// planImport plans the move that a host asks for.
func (i *Imports) plan(p *protocol.ImportPlanParams) (imports.Plan, error) {
	path, err := pathOfURI(p.Source.URI)
	if err != nil {
		return imports.Plan{}, failure.Invalid("source: %v", err)
	}
	target, err := pathOfURI(p.Target.URI)
	if err != nil {
		return imports.Plan{}, failure.Invalid("target: %v", err)
	}
	sources := i.sources()
	at := slices.IndexFunc(sources, func(s imports.Source) bool { return s.Path == path && s.Target == target })
	if at < 0 || p.Source.Text == nil {
		return imports.Plan{}, failure.Invalid("no servers can be moved from %s to %s; import/list says which can", p.Source.URI, p.Target.URI)
	}
	plan, err := imports.New(imports.Request{Source: sources[at], Text: *p.Source.Text, Own: p.Target.Text, Servers: p.Servers})
	if err != nil {
		return plan, editFailure("", path, err)
	}
	return plan, nil
}

// Plan says what a move would change.
func (i *Imports) Plan(p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error) {
	plan, err := i.plan(p)
	if err != nil {
		return protocol.ImportPlanResult{}, err
	}
	return protocol.ImportPlanResult{
		Servers: movedNames(plan),
		Edits:   []protocol.DocumentEdit{plan.Target.Edit(p.Target.URI), plan.Source.Edit(p.Source.URI)},
		Notes:   importNotes(plan.Notes),
	}, nil
}

func movedNames(plan imports.Plan) []string {
	names := make([]string, len(plan.Servers))
	for i, s := range plan.Servers {
		names[i] = s.Name
	}
	return names
}

// importNotes makes notes of paths notes of URIs.
func importNotes(notes []protocol.ImportNote) []protocol.ImportNote {
	told := make([]protocol.ImportNote, len(notes))
	for i, n := range notes {
		n.URI = uriOf(n.URI)
		told[i] = n
	}
	return told
}

// WillApply keeps what is needed to undo a move that the host is about to make.
func (i *Imports) WillApply(p *protocol.ImportWillApplyParams) (protocol.ImportWillApplyResult, error) {
	plan, err := i.plan(&p.Plan)
	if err != nil {
		return protocol.ImportWillApplyResult{}, err
	}
	kept, err := i.history().Keep(plan, p.Settings, time.Now())
	if err != nil {
		return protocol.ImportWillApplyResult{}, editFailure("", plan.Source.Path, err)
	}
	i.workspace.consentToMoved(plan)
	return protocol.ImportWillApplyResult{Import: kept.ID}, nil
}

// History lists the moves that can be undone.
func (i *Imports) History() (protocol.ImportHistoryResult, error) {
	result := protocol.ImportHistoryResult{Imports: []protocol.ImportRecord{}, Broken: []protocol.BrokenImport{}}
	records, broken, err := i.history().List()
	for _, r := range records {
		result.Imports = append(result.Imports, protocol.ImportRecord{
			Import: r.ID, Client: r.Plan.Dialect.Client(), Source: uriOf(r.Plan.Source.Path), Target: uriOf(r.Plan.Target.Path),
			Servers: movedNames(r.Plan), Settings: r.Settings,
		})
	}
	for _, b := range broken {
		result.Broken = append(result.Broken, protocol.BrokenImport{Folder: b.Dir, Reason: b.Reason.Error()})
	}
	return result, err
}

// Undo says what undoing a move would change.
func (i *Imports) Undo(p *protocol.ImportUndoParams) (protocol.ImportUndoResult, error) {
	record, err := i.history().Find(p.Import)
	if errors.Is(err, history.ErrUnknown) {
		return protocol.ImportUndoResult{}, failure.Invalid("%v", err)
	}
	if err != nil {
		return protocol.ImportUndoResult{}, editFailure("", "", err)
	}
	source, target, notes, err := imports.Undo(record.Plan, p.Source.Text, p.Target.Text)
	if err != nil {
		return protocol.ImportUndoResult{}, editFailure("", record.Plan.Source.Path, err)
	}
	return protocol.ImportUndoResult{
		Edits: []protocol.DocumentEdit{source.Edit(p.Source.URI), target.Edit(p.Target.URI)},
		Notes: importNotes(notes),
	}, nil
}

// DidUndo forgets a move that was undone.
func (i *Imports) DidUndo(p *protocol.ImportDidUndoParams) error {
	if err := i.history().Forget(p.Import); err != nil {
		return failure.Invalid("%v", err)
	}
	return nil
}

// uriOf returns the URI of a file of this machine.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
