// Package telemetry counts what routing does, for hosts whose user allows it.
// No event holds a text, an argument or a name of the user's, and there is none
// for a task that is not routed. It decides nothing and keeps nothing.
package telemetry

import (
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Sender sends events while the setting says so.
type Sender struct {
	send    func(protocol.TelemetryEventParams)
	enabled func() bool
}

// New returns a sender.
func New(send func(protocol.TelemetryEventParams), enabled func() bool) *Sender {
	return &Sender{send: send, enabled: enabled}
}

func (t *Sender) event(name protocol.TelemetryEvent, numbers map[string]float64, labels map[string]string) {
	if t.enabled() {
		t.send(protocol.TelemetryEventParams{Name: name, Numbers: numbers, Labels: labels})
	}
}

// TaskStart tells of a task that began.
func (t *Sender) TaskStart(a *protocol.Attachment) {
	if a.Mode != protocol.AttachDynamic {
		return
	}
	t.event(protocol.EventTaskStart, map[string]float64{
		"scopedCount":   float64(a.Counts.Scoped),
		"attachedCount": float64(a.Counts.Attached),
	}, map[string]string{"ranker": a.Ranker})
}

// RankerFallback tells of a ranking that had to do without its provider.
func (t *Sender) RankerFallback(from, to, reason string) {
	t.event(protocol.EventRankerFallback, nil, map[string]string{"from": from, "to": to, "reason": reason})
}

// WindowStep tells of a turn that attached added tools.
func (t *Sender) WindowStep(a *protocol.Attachment, added int) {
	if a.Mode != protocol.AttachDynamic || added <= 0 {
		return
	}
	t.event(protocol.EventWindowStep, map[string]float64{
		"turn":          float64(a.Turn),
		"addedCount":    float64(added),
		"totalAttached": float64(len(a.Tools)),
	}, nil)
}

// LoadInvoked tells of a load by the model of a task whose tools are chosen.
func (t *Sender) LoadInvoked(task *router.Task, r router.Request, loaded []protocol.LoadedTool) {
	if task.Routing != protocol.AttachDynamic {
		return
	}
	already := 0
	for _, tool := range loaded {
		if tool.Already {
			already++
		}
	}
	t.event(protocol.EventLoadInvoked, map[string]float64{
		"taskTurn":             float64(task.Turn),
		"queryLength":          float64(utf8.RuneCountInString(r.Query)),
		"returnedCount":        float64(len(loaded)),
		"alreadyAttachedCount": float64(already),
	}, nil)
}
