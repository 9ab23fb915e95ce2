// Package telemetry sends counts of what routing does, if the user allows it. No event
// contains a text, an argument or a name of the user's. Tasks that are not routed send
// none. It makes no decisions and stores nothing.
package telemetry

import (
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// Sender sends events if the setting permits.
type Sender struct {
	send    func(protocol.TelemetryEventParams)
	enabled func() bool
}

// New returns a sender that calls send for each event while enabled returns true.
func New(send func(protocol.TelemetryEventParams), enabled func() bool) *Sender {
	return &Sender{send: send, enabled: enabled}
}

func (t *Sender) event(name protocol.TelemetryEvent, numbers map[string]float64, labels map[string]string) {
	if t.enabled() {
		t.send(protocol.TelemetryEventParams{Name: name, Numbers: numbers, Labels: labels})
	}
}

// TaskStart reports a task that began.
func (t *Sender) TaskStart(a *protocol.Attachment) {
	if a.Mode != protocol.AttachDynamic {
		return
	}
	t.event(protocol.EventTaskStart, map[string]float64{
		"scopedCount":   float64(a.Counts.Scoped),
		"attachedCount": float64(a.Counts.Attached),
	}, map[string]string{"ranker": a.Ranker})
}

// RankerFallback reports a ranking that had to do without its provider.
func (t *Sender) RankerFallback(from, to, reason string) {
	t.event(protocol.EventRankerFallback, nil, map[string]string{"from": from, "to": to, "reason": reason})
}

// WindowStep reports a turn that attached added tools.
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

// LoadInvoked reports a load by the model of a task whose tools are chosen.
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
