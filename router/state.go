package router

import (
	"errors"
	"fmt"

	"github.com/winnow-mcp/winnow/protocol"
)

// stateVersion is the format of a saved task. Any other format is refused.
const stateVersion = 1

// State returns what [Restore] needs. It holds all that a model has seen, so that a
// restored task presents the same, byte for byte, whatever has happened to the servers.
func (t *Task) State() *protocol.TaskState {
	s := &protocol.TaskState{
		Version:     stateVersion,
		Task:        t.ID,
		Source:      t.Source,
		Mode:        t.Mode,
		ModeAsked:   t.ModeAsked,
		Routing:     t.Routing,
		Turn:        t.Turn,
		Window:      t.Window,
		SubjectAt:   t.SubjectAt,
		ChosenBy:    t.ChosenBy,
		Generation:  t.Generation,
		LoadOffered: t.LoadOffered,
		Model:       t.Model,
		Choices:     t.Choices,
		Tools:       wireTools(t.Attached),
		Called:      make([]protocol.ToolRef, len(t.Called)),
		Message:     t.Message,
		Earlier:     t.Earlier,

		Named:         wireNamed(t.Named),
		Index:         t.Index,
		Shown:         t.Shown,
		ResultOffered: t.ResultOffered,
		Client:        t.Client,

		Conversation: t.Conversation,
		Messages:     t.Messages,
	}
	for i, id := range t.Called {
		s.Called[i] = protocol.ToolRef(id)
	}
	return s
}

// Restore returns the task of a state. It refuses a state that no task can have; the
// error is for the user.
func Restore(s *protocol.TaskState) (Task, error) {
	if err := checkState(s); err != nil {
		return Task{}, err
	}
	t := Task{
		ID:          s.Task,
		Source:      s.Source,
		Mode:        s.Mode,
		ModeAsked:   s.ModeAsked,
		Routing:     s.Routing,
		Turn:        s.Turn,
		Window:      s.Window,
		SubjectAt:   s.SubjectAt,
		ChosenBy:    s.ChosenBy,
		Generation:  s.Generation,
		LoadOffered: s.LoadOffered,
		Model:       s.Model,
		Choices:     s.Choices,
		Message:     s.Message,
		Earlier:     s.Earlier,

		Named:         readNamed(s.Named),
		Index:         s.Index,
		Shown:         s.Shown,
		ResultOffered: s.ResultOffered,
		Client:        s.Client,

		Conversation: s.Conversation,
		Messages:     s.Messages,
	}
	for _, a := range s.Tools {
		t.Attached = append(t.Attached, Attached{
			ID:          ToolID{Server: a.Server, Tool: a.Tool},
			Name:        a.Name,
			Description: a.Description,
			Schema:      a.InputSchema,
			Tokens:      a.Tokens,
			Turn:        a.Turn,
			Reason:      a.Reason,
			Score:       a.Score,
		})
	}
	for _, ref := range s.Called {
		t.Called = append(t.Called, ToolID(ref))
	}
	return t, nil
}

// Renamed returns a restored task with the tools of a host by its present names. VS Code
// may give a server another prefix after each start, and the former one to another
// server. A tool that is not there stays as it was, unless another one has its name now.
func (t Task) Renamed(c *Catalog) Task {
	taken, has := map[string]bool{}, map[ToolID]bool{}
	for i := range c.Tools {
		taken[c.Tools[i].ID.Tool] = true
	}
	attached := make([]Attached, 0, len(t.Attached))
	for _, a := range t.Attached {
		id, there := c.presentName(a.ID)
		if there && id != a.ID {
			a.ID, a.Name = id, id.Tool
		}
		if has[a.ID] || !there && taken[a.Name] {
			continue
		}
		has[a.ID] = true
		attached = append(attached, a)
	}
	called := make([]ToolID, len(t.Called))
	for i, id := range t.Called {
		called[i], _ = c.presentName(id)
	}
	t.Attached, t.Called = attached, called
	return t
}

// maxTurn is more turns than any conversation has. It bounds what is allocated for a
// forged state.
const maxTurn = 1_000_000

func checkState(s *protocol.TaskState) error {
	switch {
	case s.Version != stateVersion:
		return fmt.Errorf("the state has version %d, and this daemon reads version %d; open a new task",
			s.Version, stateVersion)
	case s.Task == "":
		return errors.New("the state names no task; open a new one")
	case s.Window < 1 || s.Window > s.Turn || s.Turn > maxTurn:
		return fmt.Errorf("the state is at turn %d and %d turns into its window, which cannot be; open a new task",
			s.Turn, s.Window)
	case s.SubjectAt < 0 || s.SubjectAt > s.Window:
		return fmt.Errorf("the state is %d turns into its window, and says what it is about at the %d. of them, "+
			"which cannot be; open a new task", s.Window, s.SubjectAt)
	}
	switch s.Routing {
	case protocol.AttachAll, protocol.AttachDynamic, protocol.AttachDispatch:
		return nil
	}
	return fmt.Errorf("the state has the unknown routing %q; open a new task", s.Routing)
}
