package daemon

import (
	"context"
	"encoding/json"

	"github.com/winnow-mcp/winnow/daemon/rpc"
	"github.com/winnow-mcp/winnow/protocol"
)

// inTask makes a route of a method on an open task. Requests on one task take
// effect in the order in which they came.
func inTask[P, R any](s *Server, id func(p *P) string, f func(ctx context.Context, e *taskEntry, p *P) (R, error)) rpc.Route {
	return inFoundTask(s.tasks.get, id, f)
}

// onTask makes a route of a method that looks at an open task.
func onTask[P, R any](s *Server, id func(p *P) string, f func(ctx context.Context, e *taskEntry, p *P) (R, error)) rpc.Route {
	return inFoundTask(s.tasks.look, id, f)
}

func inFoundTask[P, R any](find func(id string) (*taskEntry, error), id func(p *P) string, f func(ctx context.Context, e *taskEntry, p *P) (R, error)) rpc.Route {
	return func(ctx context.Context, params json.RawMessage) (any, error) {
		p, err := rpc.Read[P](params)
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
func (e *taskEntry) inLane(ctx context.Context, work func() (any, error)) rpc.Deferred {
	place := e.lane.join()
	return func() (any, error) {
		defer place.leave()
		if err := place.wait(ctx); err != nil {
			return nil, err
		}
		return work()
	}
}

// routes returns the answer to each method of [protocol.Methods] that is sent
// to the server. The lifecycle's own are in lifecycle.go; $/cancelRequest is
// the connection's.
func (s *Server) routes() map[string]rpc.Route {
	return map[string]rpc.Route{
		protocol.MethodInitialize:           rpc.Sync(s.initialize),
		protocol.MethodInitialized:          rpc.Notification(s.initialized),
		protocol.MethodShutdown:             rpc.Sync(s.shutdown),
		protocol.MethodExit:                 rpc.Notification(s.exit),
		protocol.MethodDidChangeSettings:    rpc.Notification(s.didChangeSettings),
		protocol.MethodDidChangeFolders:     rpc.Notification(s.didChangeFolders),
		protocol.MethodDidGrantTrust:        rpc.Notification(s.didGrantTrust),
		protocol.MethodSetLogLevel:          rpc.Sync(s.setLogLevel),
		protocol.MethodCatalogList:          rpc.Sync(s.catalogList),
		protocol.MethodSetHostTools:         rpc.Sync(s.setHostTools),
		protocol.MethodCatalogSearch:        rpc.Async(s.catalogSearch),
		protocol.MethodServerRestart:        rpc.Async(s.serverRestart),
		protocol.MethodServerStop:           rpc.Async(s.serverStop),
		protocol.MethodServerSignIn:         rpc.Async(s.serverSignIn),
		protocol.MethodServerLog:            rpc.Sync(s.serverLog),
		protocol.MethodServerConsent:        rpc.Async(s.serverConsent),
		protocol.MethodServerSetEnabled:     rpc.Async(s.serverSetEnabled),
		protocol.MethodToolSetEnabled:       rpc.Async(s.toolSetEnabled),
		protocol.MethodToolApprove:          rpc.Async(s.toolApprove),
		protocol.MethodToolSetAlwaysLoad:    rpc.Async(s.toolSetAlwaysLoad),
		protocol.MethodEditUndo:             rpc.Async(s.editUndo),
		protocol.MethodToolSetDescription:   rpc.Async(s.toolSetDescription),
		protocol.MethodModeList:             rpc.Sync(s.modeList),
		protocol.MethodModeSet:              rpc.Sync(s.modeSet),
		protocol.MethodModeSetServerBlocked: rpc.Async(s.modeSetServerBlocked),
		protocol.MethodTaskOpen:             s.taskOpen,
		protocol.MethodTaskTurn:             inTask(s, func(p *protocol.TaskTurnParams) string { return p.Task }, s.taskTurn),
		protocol.MethodTaskCompact:          inTask(s, func(p *protocol.TaskCompactParams) string { return p.Task }, s.taskCompact),
		protocol.MethodTaskResume:           rpc.Sync(s.taskResume),
		protocol.MethodTaskClose:            rpc.Sync(s.taskClose),
		protocol.MethodTaskList:             rpc.Sync(s.taskList),
		protocol.MethodTaskLoad:             inTask(s, func(p *protocol.TaskLoadParams) string { return p.Task }, s.taskLoad),
		protocol.MethodTaskSearch:           inTask(s, func(p *protocol.TaskSearchParams) string { return p.Task }, s.taskSearch),
		protocol.MethodTaskDescribeCall:     inTask(s, func(p *protocol.TaskDescribeCallParams) string { return p.Task }, s.taskDescribeCall),
		protocol.MethodTaskCall:             s.taskCall,
		protocol.MethodTaskExplain:          onTask(s, func(p *protocol.TaskExplainParams) string { return p.Task }, s.taskExplain),
		protocol.MethodTaskUsage:            onTask(s, func(p *protocol.TaskUsageParams) string { return p.Task }, s.taskUsage),
		protocol.MethodConversationRoute:    s.conversationRoute,
		protocol.MethodLearnedClear:         rpc.Async(s.learnedClear),
		protocol.MethodGatewayInfo:          rpc.Async(s.gatewayInfo),
	}
}
