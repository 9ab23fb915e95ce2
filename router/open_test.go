package router

import (
	"slices"

	"github.com/winnow-mcp/winnow/protocol"
)

// Opening is what a task of a test begins with.
type Opening struct {
	ID      string
	Message string
	Model   protocol.ModelLimits
	Choices protocol.TaskChoices
	// Called are tools that the conversation has called already.
	Called []ToolID
}

// Open begins a task with its first message.
func (v *View) Open(o Opening) Task {
	t := Task{
		ID:      o.ID,
		Source:  v.Catalog.Source,
		Model:   o.Model,
		Choices: o.Choices,
		Called:  slices.Clone(o.Called),
	}
	return v.Turn(t, o.Message)
}
