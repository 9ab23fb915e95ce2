package daemon

import (
	"unicode/utf8"

	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// telemetry sends counts of what routing does, while the setting says so. No
// event holds a text, an argument or a name of the user's, and there is none
// for a task that is not routed.
type telemetry struct {
	conn    *rpc.Conn
	enabled func() bool
}

func (t *telemetry) send(name protocol.TelemetryEvent, numbers map[string]float64, labels map[string]string) {
	if t.enabled() {
		t.conn.Notify(protocol.MethodTelemetryEvent, protocol.TelemetryEventParams{Name: name, Numbers: numbers, Labels: labels})
	}
}

func (t *telemetry) taskStart(a *protocol.Attachment) {
	if a.Mode != protocol.AttachDynamic {
		return
	}
	t.send(protocol.EventTaskStart, map[string]float64{
		"scopedCount":   float64(a.Counts.Scoped),
		"attachedCount": float64(a.Counts.Attached),
	}, map[string]string{"ranker": a.Ranker})
}

func (t *telemetry) rankerFallback(from, to, reason string) {
	t.send(protocol.EventRankerFallback, nil, map[string]string{"from": from, "to": to, "reason": reason})
}

func (t *telemetry) windowStep(a *protocol.Attachment, added int) {
	if a.Mode != protocol.AttachDynamic || added <= 0 {
		return
	}
	t.send(protocol.EventWindowStep, map[string]float64{
		"turn":          float64(a.Turn),
		"addedCount":    float64(added),
		"totalAttached": float64(len(a.Tools)),
	}, nil)
}

func (t *telemetry) loadInvoked(task *router.Task, r router.Request, loaded []protocol.LoadedTool) {
	already := 0
	for _, tool := range loaded {
		if tool.Already {
			already++
		}
	}
	t.send(protocol.EventLoadInvoked, map[string]float64{
		"taskTurn":             float64(task.Turn),
		"queryLength":          float64(utf8.RuneCountInString(r.Query)),
		"returnedCount":        float64(len(loaded)),
		"alreadyAttachedCount": float64(already),
	}, nil)
}
