package workspace

import (
	"errors"
	"io/fs"
	"net/url"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/config/imports"
	"github.com/winnow-mcp/winnow/daemon/config/imports/history"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// UndoImports undoes every move of servers in the user's folder for Winnow, on the disk.
// `winnowd undo-imports` calls it.
func UndoImports() error {
	p := placesOf(&protocol.InitializeParams{})
	if p.userDir == "" {
		return nil // nothing can have been stored
	}
	return history.In(p.userDir).UndoAll()
}

// Imports moves servers from other clients' files to Winnow's own, on the disk. The host
// shows the changes and asks the user.
type Imports struct{ workspace *Workspace }

// NewImports returns the imports of a workspace.
func NewImports(w *Workspace) *Imports { return &Imports{w} }

// sources lists the files that may contain servers to move.
func (i *Imports) sources() []imports.Source {
	return imports.Sources(i.workspace.places.options(i.workspace.options.Environ, i.workspace.Folders()))
}

func (i *Imports) history() history.History { return history.In(i.workspace.places.userDir) }

// List lists the servers that could be moved.
func (i *Imports) List() protocol.ImportListResult {
	result := protocol.ImportListResult{Files: []protocol.ImportFile{}}
	for _, source := range i.sources() {
		text := importText(source.Path)
		if text == nil {
			continue
		}
		servers := imports.Servers(source, *text, importText(source.Target))
		if len(servers) > 0 {
			result.Files = append(result.Files, protocol.ImportFile{
				Client: source.Dialect.Client(), URI: uriOf(source.Path), Target: uriOf(source.Target), Servers: servers,
			})
		}
	}
	return result
}

// MarkImported marks the tools that a client ran without confirmation before their entry
// was imported from it, with the time.
func (i *Imports) MarkImported(all []protocol.Approval) []protocol.Approval {
	records, _, err := i.history().List()
	if err != nil {
		return all // the list then omits their origin
	}
	for k := range all {
		a := &all[k]
		at := slices.IndexFunc(records, func(r history.Record) bool {
			return r.Plan.Target.Path == a.File && slices.Contains(r.Plan.Allowed(a.Server), a.Tool)
		})
		if at >= 0 {
			a.Imported, a.Since = records[at].Plan.Dialect.Client(), records[at].At().UnixMilli()
		}
	}
	return all
}

// importText returns the text of a file, or nil if it cannot be read, which planning
// reports.
func importText(path string) *string {
	data, err := config.ReadFile(path)
	if err != nil {
		return nil
	}
	text := string(data)
	return &text
}

// claudeSettings reads Claude Code's settings files.
func (i *Imports) claudeSettings() (s imports.ClaudeSettings) {
	read := func(folder, name string) string {
		text := importText(filepath.Join(folder, ".claude", name))
		if folder == "" || text == nil {
			return ""
		}
		return *text
	}
	s.User = read(i.workspace.places.home, "settings.json")
	for _, folder := range i.workspace.Folders() {
		s.Workspace = append(s.Workspace, read(folder.Path, "settings.json"), read(folder.Path, "settings.local.json"))
	}
	return s
}

// plan plans a requested move of the current files.
func (i *Imports) plan(p *protocol.ImportPlanParams) (imports.Plan, error) {
	path, err := pathOfURI(p.Source)
	if err != nil {
		return imports.Plan{}, failure.Invalid("source: %v", err)
	}
	target, err := pathOfURI(p.Target)
	if err != nil {
		return imports.Plan{}, failure.Invalid("target: %v", err)
	}
	sources := i.sources()
	at := slices.IndexFunc(sources, func(s imports.Source) bool { return s.Path == path && s.Target == target })
	text := importText(path)
	if at < 0 || text == nil {
		return imports.Plan{}, failure.Invalid("no servers can be moved from %s to %s", p.Source, p.Target)
	}
	own, err := config.ReadFile(target)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return imports.Plan{}, editFailure("", target, err)
	}
	request := imports.Request{Source: sources[at], Text: *text, Servers: p.Servers, Claude: i.claudeSettings()}
	if err == nil {
		given := string(own)
		request.Own = &given
	}
	plan, err := imports.New(request)
	if err != nil {
		return plan, editFailure("", path, err)
	}
	return plan, nil
}

// Plan returns the changes of a move, and notes for the user.
func (i *Imports) Plan(p *protocol.ImportPlanParams) (protocol.ImportPlanResult, error) {
	plan, err := i.plan(p)
	if err != nil {
		return protocol.ImportPlanResult{}, err
	}
	return protocol.ImportPlanResult{
		Servers: movedNames(plan), Changes: fileChanges(plan.Target, plan.Source), Notes: plan.Notes,
	}, nil
}

// fileChanges converts changes for the host.
func fileChanges(changes ...imports.Change) []protocol.FileChange {
	told := make([]protocol.FileChange, len(changes))
	for i, c := range changes {
		told[i] = protocol.FileChange{URI: uriOf(c.Path), Before: c.Before, After: c.After}
	}
	return told
}

// agreed returns an error if the planned changes are not the shown ones.
func agreed(planned, shown []protocol.FileChange) error {
	if reflect.DeepEqual(planned, shown) {
		return nil
	}
	return failure.New(protocol.KindEdit, "Try again.", "the files have changed meanwhile")
}

func movedNames(plan imports.Plan) []string {
	names := make([]string, len(plan.Servers))
	for i, s := range plan.Servers {
		names[i] = s.Name
	}
	return names
}

// Apply makes a move, and stores what is needed to undo it.
func (i *Imports) Apply(p *protocol.ImportApplyParams) (protocol.ImportApplyResult, error) {
	plan, err := i.plan(&p.Plan)
	if err != nil {
		return protocol.ImportApplyResult{}, err
	}
	if err := agreed(fileChanges(plan.Target, plan.Source), p.Changes); err != nil {
		return protocol.ImportApplyResult{}, err
	}
	i.workspace.consentToMoved(plan)
	made, err := i.history().Apply(plan, p.Settings, time.Now())
	if err != nil {
		return protocol.ImportApplyResult{}, editFailure("", plan.Source.Path, err)
	}
	return protocol.ImportApplyResult{Import: made.ID}, nil
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

// undoing plans the undoing of a move in the current files.
func (i *Imports) undoing(id string) (r history.Record, source, target imports.Change, notes []protocol.ImportNote, err error) {
	r, err = i.history().Find(id)
	if errors.Is(err, history.ErrUnknown) {
		return r, source, target, nil, failure.Invalid("%v", err)
	}
	if err != nil {
		return r, source, target, nil, editFailure("", "", err)
	}
	if source, target, notes, err = history.PlanUndo(r); err != nil {
		return r, source, target, nil, editFailure("", r.Plan.Source.Path, err)
	}
	return r, source, target, notes, nil
}

// PlanUndo returns the changes of undoing a move, and notes for the user.
func (i *Imports) PlanUndo(p *protocol.ImportPlanUndoParams) (protocol.ImportPlanUndoResult, error) {
	_, source, target, notes, err := i.undoing(p.Import)
	if err != nil {
		return protocol.ImportPlanUndoResult{}, err
	}
	return protocol.ImportPlanUndoResult{Changes: fileChanges(source, target), Notes: notes}, nil
}

// Undo undoes a move, and deletes its record.
func (i *Imports) Undo(p *protocol.ImportUndoParams) error {
	r, source, target, _, err := i.undoing(p.Import)
	if err != nil {
		return err
	}
	if err := agreed(fileChanges(source, target), p.Changes); err != nil {
		return err
	}
	if err := i.history().Undo(r, source, target); err != nil {
		return editFailure("", r.Plan.Source.Path, err)
	}
	return nil
}

// uriOf returns the URI of a local file.
func uriOf(path string) string {
	path = filepath.ToSlash(path)
	if runtime.GOOS == "windows" {
		path = "/" + path
	}
	return (&url.URL{Scheme: "file", Path: path}).String()
}
