package daemon

import (
	"context"
	"crypto/rand"
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/config"
	"github.com/winnow-mcp/winnow/protocol"
)

// needsTool refuses an edit that names no tool.
func needsTool(method, tool string) error {
	if tool == "" {
		return invalid("%s needs the name of a tool", method)
	}
	return nil
}

// toolSetEnabled answers tool/setEnabled.
func (s *Server) toolSetEnabled(ctx context.Context, p *protocol.ToolSetEnabledParams) (protocol.EditResult, error) {
	if err := needsTool(protocol.MethodToolSetEnabled, p.Tool); err != nil {
		return protocol.EditResult{}, err
	}
	return s.workspace.edit(ctx, p.Server, func(server config.Server) config.Edit {
		return config.SetToolEnabled(server, p.Tool, p.Enabled)
	})
}

// toolApprove answers tool/approve.
func (s *Server) toolApprove(ctx context.Context, p *protocol.ToolApproveParams) (protocol.EditResult, error) {
	if err := needsTool(protocol.MethodToolApprove, p.Tool); err != nil {
		return protocol.EditResult{}, err
	}
	return s.workspace.edit(ctx, p.Server, func(server config.Server) config.Edit {
		return config.SetApproved(server, p.Tool, p.Approved)
	})
}

// toolSetAlwaysLoad answers tool/setAlwaysLoad.
func (s *Server) toolSetAlwaysLoad(ctx context.Context, p *protocol.ToolSetAlwaysLoadParams) (protocol.EditResult, error) {
	return s.workspace.edit(ctx, p.Server, func(server config.Server) config.Edit {
		return config.SetAlwaysLoad(server, p.Tool, p.AlwaysLoad)
	})
}

// toolSetDescription answers tool/setDescription.
func (s *Server) toolSetDescription(ctx context.Context, p *protocol.ToolSetDescriptionParams) (protocol.EditResult, error) {
	if err := needsTool(protocol.MethodToolSetDescription, p.Tool); err != nil {
		return protocol.EditResult{}, err
	}
	return s.workspace.edit(ctx, p.Server, func(server config.Server) config.Edit {
		return config.SetDescription(server, p.Tool, p.Description)
	})
}

// serverSetEnabled answers server/setEnabled.
func (s *Server) serverSetEnabled(ctx context.Context, p *protocol.ServerSetEnabledParams) (protocol.EditResult, error) {
	return s.workspace.edit(ctx, p.Name, func(server config.Server) config.Edit {
		return config.SetServerEnabled(server, p.Enabled)
	})
}

// edit changes a user's file, and returns when the change is in force.
func (w *workspace) edit(ctx context.Context, name string, change func(config.Server) config.Edit) (protocol.EditResult, error) {
	server, err := w.editable(name)
	if err != nil {
		return protocol.EditResult{}, err
	}
	return w.write(ctx, name, change(server))
}

// write makes a change that concerns a server, and that can be undone.
func (w *workspace) write(ctx context.Context, server string, edit config.Edit) (protocol.EditResult, error) {
	result := protocol.EditResult{File: edit.Source.Path}
	made, err := w.files.Edit(ctx, edit)
	if err != nil {
		return result, editFailure(server, edit.Source.Path, err)
	}
	if result.Changed = made.Any(); result.Changed {
		result.Edit = w.edits.note(madeEdit{server: server, source: edit.Source, change: made})
	}
	return result, w.settle(ctx)
}

// editUndo answers edit/undo. What could not be undone can be tried again.
func (s *Server) editUndo(ctx context.Context, p *protocol.EditUndoParams) (protocol.EditResult, error) {
	w := s.workspace
	undo, ok := w.edits.find(p.Edit)
	if !ok {
		return protocol.EditResult{}, fail(protocol.KindInvalidParams, "Change the file by hand.",
			"this edit cannot be taken back any more: it was already, %d others came after it, or winnowd was started anew", maxMadeEdits)
	}
	result := protocol.EditResult{File: undo.source.Path}
	made, err := w.files.Edit(ctx, config.Restore(undo.source, undo.change))
	if err != nil {
		return result, editFailure(undo.server, undo.source.Path, err)
	}
	result.Changed = made.Any()
	w.edits.forget(p.Edit)
	return result, w.settle(ctx)
}

// madeEdit is an edit of a user's file that can be undone.
type madeEdit struct {
	id     string
	server string
	source config.Source
	change config.Change
}

// maxMadeEdits is how many edits can be undone. Each holds two texts of a file.
const maxMadeEdits = 16

// madeEdits remembers the last edits.
type madeEdits struct {
	// mu guards what follows.
	mu   sync.Mutex
	made []madeEdit
}

// note remembers an edit and returns its id.
func (m *madeEdits) note(e madeEdit) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	// A number would be another edit's after a restart, and a host may offer to undo the first one still.
	e.id = rand.Text()
	m.made = append(m.made, e)
	if len(m.made) > maxMadeEdits {
		m.made = slices.Delete(m.made, 0, 1)
	}
	return e.id
}

// find returns an edit that was noted.
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
	f := fail(protocol.KindEdit, "Change the file by hand, or correct what is wrong in it.", "%v", err)
	f.data.Server, f.data.File = server, file
	return f
}

// editable returns the server whose file is to be changed. One that only a
// host has gets an entry in Winnow's own file.
func (w *workspace) editable(name string) (config.Server, error) {
	state := w.state()
	names := w.hostToolNames(name)
	if server, ok := state.config.Server(name); ok {
		return server.WithHostNames(names), nil
	}
	if server, ok := state.config.Policy(name); ok {
		return server.WithHostNames(names), nil
	}
	sources := w.sources()
	own := slices.IndexFunc(sources, func(s config.Source) bool { return s.Dialect == config.Winnow })
	if !slices.Contains(w.hostServerNames(), name) || own < 0 {
		f := fail(protocol.KindUnknownServer, "Check the name against catalog/list.", "there is no server %q", name)
		f.data.Server = name
		return config.Server{}, f
	}
	return config.Server{Name: name, Origin: config.Origin{Source: sources[own]}}.WithHostNames(names), nil
}
