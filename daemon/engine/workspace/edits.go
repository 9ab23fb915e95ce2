package workspace

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
)

// Edits changes the user's own files, keeping comments, and undoes changes. Each method
// returns once the change is in force.
type Edits struct {
	workspace *Workspace
	// settle returns once the content of the files is in force.
	settle func(ctx context.Context) error
	made   madeEdits
}

// NewEdits returns the edits of a workspace's files.
func NewEdits(w *Workspace, settle func(ctx context.Context) error) *Edits {
	return &Edits{workspace: w, settle: settle}
}

// obstacle finds what prevents an edit from taking effect, once it is in force.
type obstacle func(config.Server) (config.Obstacle, bool)

// SetServerEnabled writes a server's `disabled`.
func (e *Edits) SetServerEnabled(ctx context.Context, server string, enabled bool) (protocol.EditResult, error) {
	return e.server(ctx, server, func(s config.Server) config.Edit { return config.SetServerEnabled(s, enabled) },
		when(enabled, config.Server.ForbidsServer))
}

// SetToolEnabled writes a tool's switch: in `onlyAllow` if that is in force, else in
// `disabledTools`.
func (e *Edits) SetToolEnabled(ctx context.Context, server, tool string, enabled bool) (protocol.EditResult, error) {
	return e.server(ctx, server, func(s config.Server) config.Edit { return config.SetToolEnabled(s, tool, enabled) },
		when(enabled, func(s config.Server) (config.Obstacle, bool) { return s.ForbidsTool(tool) }))
}

// SetApproved writes whether a tool runs without confirmation.
func (e *Edits) SetApproved(ctx context.Context, server, tool string, approved bool) (protocol.EditResult, error) {
	return e.server(ctx, server, func(s config.Server) config.Edit { return config.SetApproved(s, tool, approved) }, nil)
}

// SetAlwaysLoad writes whether a tool, or if tool is "" the whole server, is attached to
// each task from the start.
func (e *Edits) SetAlwaysLoad(ctx context.Context, server, tool string, always bool) (protocol.EditResult, error) {
	return e.server(ctx, server, func(s config.Server) config.Edit { return config.SetAlwaysLoad(s, tool, always) }, nil)
}

// SetDescription writes the description of a tool that models get; "" means the server's
// own.
func (e *Edits) SetDescription(ctx context.Context, server, tool, description string) (protocol.EditResult, error) {
	return e.server(ctx, server, func(s config.Server) config.Edit { return config.SetDescription(s, tool, description) }, nil)
}

func when(on bool, o obstacle) obstacle {
	if !on {
		return func(config.Server) (config.Obstacle, bool) { return config.Obstacle{}, false }
	}
	return o
}

// server changes the entry of a server. If find is nil, the only obstacle is that the
// file's rules wait for consent.
func (e *Edits) server(ctx context.Context, name string, change func(config.Server) config.Edit, find obstacle) (protocol.EditResult, error) {
	server, err := e.editable(name)
	if err != nil {
		return protocol.EditResult{}, err
	}
	result, err := e.write(ctx, name, change(server))
	if now, known := e.editable(name); err == nil && known == nil {
		if find == nil {
			find = func(s config.Server) (config.Obstacle, bool) { return s.WithholdsFrom(result.File) }
		}
		if o, found := find(now); found {
			result.By = e.told(name, o)
		}
	}
	return result, err
}

// told describes what prevents an edit from taking effect.
func (e *Edits) told(subject string, o config.Obstacle) *protocol.EditObstacle {
	file := o.Origin.Source.Path
	by := &protocol.EditObstacle{File: file, Line: o.Origin.Line, Column: o.Origin.Column}
	if o.Key == "" {
		by.Text = fmt.Sprintf("It has no effect until you have agreed to the rules for %s in %s.", subject, e.workspace.NameOf(file))
	} else {
		by.Text = fmt.Sprintf("It has no effect: %s of %s in %s still forbids it.", o.Key, subject, e.workspace.NameOf(file))
	}
	return by
}

// ModeServer writes whether a mode sees a server.
func (e *Edits) ModeServer(ctx context.Context, slug, server string, blocked bool) (protocol.EditResult, error) {
	// The name of an unknown server would be written unnoticed.
	if _, err := e.editable(server); err != nil {
		return protocol.EditResult{}, err
	}
	mode, ok := e.workspace.Configuration().Mode(slug)
	if !ok {
		return protocol.EditResult{}, unknownMode(slug)
	}
	edit, err := config.SetServerBlocked(mode, server, blocked)
	if err != nil {
		return protocol.EditResult{}, editFailure(server, mode.Origin.Source.Path, err)
	}
	result, err := e.write(ctx, server, edit)
	if now, ok := e.workspace.Configuration().Mode(slug); err == nil && ok && !blocked {
		if o, found := now.Blocks(server); found {
			result.By = e.told("mode "+slug, o)
		}
	}
	return result, err
}

// write makes a change that concerns a server and can be undone.
func (e *Edits) write(ctx context.Context, server string, edit config.Edit) (protocol.EditResult, error) {
	result := protocol.EditResult{File: edit.Source.Path}
	made, err := e.workspace.files.Edit(ctx, edit)
	if err != nil {
		return result, editFailure(server, edit.Source.Path, err)
	}
	if result.Changed = made.Any(); result.Changed {
		result.Edit = e.made.note(madeEdit{server: server, source: edit.Source, change: made})
		e.workspace.asking().consentToEdit(edit.Source, server, made)
	}
	return result, e.settle(ctx)
}

// Undo undoes an edit. A failed one can be tried again.
func (e *Edits) Undo(ctx context.Context, id string) (protocol.EditResult, error) {
	undo, ok := e.made.find(id)
	if !ok {
		return protocol.EditResult{}, failure.New(protocol.KindInvalidParams, "Change the file by hand.",
			"this edit cannot be taken back any more: it was already, %d others came after it, or winnowd was started anew", maxMadeEdits)
	}
	result := protocol.EditResult{File: undo.source.Path}
	made, err := e.workspace.files.Edit(ctx, config.Restore(undo.source, undo.change))
	if err != nil {
		return result, editFailure(undo.server, undo.source.Path, err)
	}
	result.Changed = made.Any()
	e.made.forget(id)
	return result, e.settle(ctx)
}

// madeEdit is an edit of a user's file that can be undone.
type madeEdit struct {
	id     string
	server string
	source config.Source
	change config.Change
}

// maxMadeEdits is how many edits can be undone. Each holds two versions of a file.
const maxMadeEdits = 16

// madeEdits holds the last maxMadeEdits edits, which can be undone.
type madeEdits struct {
	// mu guards the following fields.
	mu   sync.Mutex
	made []madeEdit
}

// note stores an edit and returns its ID.
func (m *madeEdits) note(e madeEdit) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A number could be another edit's after a restart, which a host may still offer to
	// undo.
	e.id = rand.Text()
	m.made = append(m.made, e)
	if len(m.made) > maxMadeEdits {
		m.made = slices.Delete(m.made, 0, 1)
	}
	return e.id
}

// find returns the stored edit with an ID; false if there is none.
func (m *madeEdits) find(id string) (madeEdit, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	i := slices.IndexFunc(m.made, func(e madeEdit) bool { return e.id == id })
	if i < 0 {
		return madeEdit{}, false
	}
	return m.made[i], true
}

// forget drops an edit.
func (m *madeEdits) forget(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.made = slices.DeleteFunc(m.made, func(e madeEdit) bool { return e.id == id })
}

func editFailure(server, file string, err error) error {
	return failure.New(protocol.KindEdit, "Change the file by hand, or correct what is wrong in it.", "%v", err).
		OfServer(server).InFile(file)
}

// editable returns the server whose file is to be changed. New rules for a server that
// only a host has go into the user's own file: nobody asked for a change of the repository.
// Where there is no such file, they go into Winnow's file of the folder.
func (e *Edits) editable(name string) (config.Server, error) {
	c, names := e.workspace.Configuration(), e.workspace.options.HostTools(name)
	if server, ok := c.Server(name); ok {
		return server.WithHostNames(names), nil
	}
	server, ruled := c.Policy(name)
	if slices.Contains(e.workspace.options.HostServers(), name) {
		sources := e.workspace.sourcesIn(e.workspace.Folders())
		isOwn := func(s config.Source) bool { return s.Dialect == config.Winnow }
		own := slices.IndexFunc(sources, func(s config.Source) bool { return isOwn(s) && s.Scope == config.User })
		if own < 0 {
			own = slices.IndexFunc(sources, isOwn)
		}
		if own >= 0 {
			server.Name, server.Origin, ruled = name, config.Origin{Source: sources[own]}, true
		}
	}
	if !ruled {
		return config.Server{}, failure.New(protocol.KindUnknownServer, "Check the name in the configuration files.",
			"there is no server %q", name).OfServer(name)
	}
	return server.WithHostNames(names), nil
}
