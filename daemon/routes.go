package daemon

import (
	"context"
	"encoding/json"

	"github.com/winnow-mcp/winnow/protocol"
)

// route answers one method.
type route func(ctx context.Context, params json.RawMessage) (any, error)

// now makes a route of a method that is answered at once.
func now[P, R any](f func(ctx context.Context, p *P) (R, error)) route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := read[P](params)
		if err != nil {
			return nil, err
		}
		return f(ctx, p)
	}
}

// beside makes a route of a method that may wait: later messages do not.
func beside[P, R any](f func(ctx context.Context, p *P) (R, error)) route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := read[P](params)
		if err != nil {
			return nil, err
		}
		return later(func() (any, error) { return f(ctx, p) }), nil
	}
}

// told makes a route of a notification.
func told[P any](f func(ctx context.Context, p *P) error) route {
	return now(func(ctx context.Context, p *P) (protocol.Empty, error) { return protocol.Empty{}, f(ctx, p) })
}

// inTask makes a route of a method on an open task. Requests on one task take
// effect in the order in which they came.
func inTask[P, R any](s *Server, id func(p *P) string, f func(ctx context.Context, e *taskEntry, p *P) (R, error)) route {
	return inFoundTask(s.tasks.get, id, f)
}

// onTask makes a route of a method that looks at an open task.
func onTask[P, R any](s *Server, id func(p *P) string, f func(ctx context.Context, e *taskEntry, p *P) (R, error)) route {
	return inFoundTask(s.tasks.look, id, f)
}

func inFoundTask[P, R any](find func(id string) (*taskEntry, error), id func(p *P) string, f func(ctx context.Context, e *taskEntry, p *P) (R, error)) route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := read[P](params)
		if err != nil {
			return nil, err
		}
		e, err := find(id(p))
		if err != nil {
			return nil, err
		}
		return e.inLane(ctx, func() (any, error) { return f(ctx, e, p) }), nil
	}
}

// inLane takes the next place in the task's lane, and works when its turn
// comes.
func (e *taskEntry) inLane(ctx context.Context, work func() (any, error)) later {
	place := e.lane.join()
	return func() (any, error) {
		defer place.leave()
		if err := place.wait(ctx); err != nil {
			return nil, err
		}
		return work()
	}
}

func read[P any](params json.RawMessage) (*P, error) {
	p := new(P)
	if err := decode(params, p); err != nil {
		return nil, invalid("params: %v", err)
	}
	return p, nil
}

// routes returns the answer to each method of [protocol.Methods] that is sent
// to the server. The lifecycle's own are in lifecycle.go; $/cancelRequest is
// the connection's.
func (s *Server) routes() map[string]route {
	return map[string]route{
		protocol.MethodInitialize:           now(s.initialize),
		protocol.MethodInitialized:          told(s.initialized),
		protocol.MethodShutdown:             now(s.shutdown),
		protocol.MethodExit:                 told(s.exit),
		protocol.MethodDidChangeSettings:    told(s.didChangeSettings),
		protocol.MethodDidChangeFolders:     told(s.didChangeFolders),
		protocol.MethodDidGrantTrust:        told(s.didGrantTrust),
		protocol.MethodSetLogLevel:          now(s.setLogLevel),
		protocol.MethodCatalogList:          now(s.catalogList),
		protocol.MethodSetHostTools:         s.setHostTools,
		protocol.MethodCatalogSearch:        beside(s.catalogSearch),
		protocol.MethodServerRestart:        beside(s.serverRestart),
		protocol.MethodServerStop:           beside(s.serverStop),
		protocol.MethodServerSignIn:         beside(s.serverSignIn),
		protocol.MethodServerLog:            now(s.serverLog),
		protocol.MethodServerConsent:        beside(s.serverConsent),
		protocol.MethodServerSetEnabled:     beside(s.serverSetEnabled),
		protocol.MethodToolSetEnabled:       beside(s.toolSetEnabled),
		protocol.MethodToolApprove:          beside(s.toolApprove),
		protocol.MethodToolSetAlwaysLoad:    beside(s.toolSetAlwaysLoad),
		protocol.MethodEditUndo:             beside(s.editUndo),
		protocol.MethodImportList:           beside(s.importList),
		protocol.MethodImportPlan:           beside(s.importPlan),
		protocol.MethodImportWillApply:      beside(s.importWillApply),
		protocol.MethodImportHistory:        beside(s.importHistoryList),
		protocol.MethodImportUndo:           beside(s.importUndo),
		protocol.MethodImportDidUndo:        beside(s.importDidUndo),
		protocol.MethodToolSetDescription:   beside(s.toolSetDescription),
		protocol.MethodModeList:             now(s.modeList),
		protocol.MethodModeSet:              now(s.modeSet),
		protocol.MethodModeSetServerBlocked: beside(s.modeSetServerBlocked),
		protocol.MethodTaskOpen:             s.taskOpen,
		protocol.MethodTaskTurn:             inTask(s, func(p *protocol.TaskTurnParams) string { return p.Task }, s.taskTurn),
		protocol.MethodTaskCompact:          inTask(s, func(p *protocol.TaskCompactParams) string { return p.Task }, s.taskCompact),
		protocol.MethodTaskResume:           now(s.taskResume),
		protocol.MethodTaskClose:            now(s.taskClose),
		protocol.MethodTaskList:             now(s.taskList),
		protocol.MethodTaskLoad:             inTask(s, func(p *protocol.TaskLoadParams) string { return p.Task }, s.taskLoad),
		protocol.MethodTaskSearch:           inTask(s, func(p *protocol.TaskSearchParams) string { return p.Task }, s.taskSearch),
		protocol.MethodTaskDescribeCall:     inTask(s, func(p *protocol.TaskDescribeCallParams) string { return p.Task }, s.taskDescribeCall),
		protocol.MethodTaskCall:             s.taskCall,
		protocol.MethodTaskExplain:          onTask(s, func(p *protocol.TaskExplainParams) string { return p.Task }, s.taskExplain),
		protocol.MethodTaskUsage:            onTask(s, func(p *protocol.TaskUsageParams) string { return p.Task }, s.taskUsage),
		protocol.MethodConversationRoute:    s.conversationRoute,
		protocol.MethodLearnedClear:         beside(s.learnedClear),
		protocol.MethodGatewayInfo:          beside(s.gatewayInfo),
	}
}
