package daemon

import (
	"context"

	"github.com/winnow-mcp/winnow/daemon/engine/failure"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// viewOf returns what the task sees now: the newest catalogue, under the mode
// policy of its latest turn. A request that runs keeps the policy with which
// it began.
func (s *Server) viewOf(e *taskEntry) (*router.View, router.Task, error) {
	t, _, mode := e.snapshot()
	v, err := s.workspace.view(t.Source, mode)
	if err != nil {
		return nil, t, err
	}
	if v.Settings.Shadow {
		v = v.Unrouted()
	}
	return v, t, nil
}

// change stores the next value of a task between two turns.
func (e *taskEntry) change(t router.Task) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.task = t
}

// taskLoad answers task/load.
func (s *Server) taskLoad(ctx context.Context, e *taskEntry, p *protocol.TaskLoadParams) (protocol.TaskLoadResult, error) {
	v, t, err := s.viewOf(e)
	if err != nil {
		return protocol.TaskLoadResult{}, err
	}
	if p.Query == "" && len(p.Names) == 0 {
		return protocol.TaskLoadResult{}, failure.Invalid("task/load needs a query or names")
	}
	v = s.workspace.embeddings.see(ctx, v, p.Query)
	return s.load(e, v, t, router.Request{Query: p.Query, Names: p.Names, Limit: p.Limit}), nil
}

// load attaches what the model asked for.
func (s *Server) load(e *taskEntry, v *router.View, t router.Task, r router.Request) protocol.TaskLoadResult {
	t, loaded := v.Load(t, r)
	e.change(t)
	s.workspace.learn(&t, loaded.Sought)
	s.workspace.telemetry.loadInvoked(&t, r, loaded.Tools)
	return protocol.TaskLoadResult{Loaded: loaded.Tools, Text: loaded.Text, Attachment: v.Attachment(&t)}
}

// taskSearch answers task/search.
func (s *Server) taskSearch(ctx context.Context, e *taskEntry, p *protocol.TaskSearchParams) (protocol.TaskSearchResult, error) {
	v, t, err := s.viewOf(e)
	if err != nil {
		return protocol.TaskSearchResult{}, err
	}
	v = s.workspace.embeddings.see(ctx, v, p.Query)
	result := protocol.TaskSearchResult{Ranker: v.RankerName(), Compared: v.Attachment(&t).Counts.Scoped}
	for _, m := range v.Search(&t, p.Query, p.Limit, false) {
		tool := &v.Catalog.Tools[m.Doc]
		result.Tools = append(result.Tools, protocol.TaskSearchTool{
			FoundTool: foundTool(tool, m, false),
			Attached:  t.Has(tool.ID) >= 0,
			Signature: tool.Signature(),
		})
	}
	return result, nil
}

// taskExplain answers task/explain.
func (s *Server) taskExplain(_ context.Context, e *taskEntry, p *protocol.TaskExplainParams) (protocol.TaskExplainResult, error) {
	j, err := s.judge(e)
	if err != nil {
		return protocol.TaskExplainResult{}, err
	}
	result := protocol.TaskExplainResult{Ranker: j.view.RankerName(), Gating: j.task.Gated, Shadow: j.shadow}
	if p.Tool == "" {
		result.Tools = j.explain()
		return result, nil
	}
	id, err := j.view.Find(&j.task, p.Tool)
	if err != nil {
		return protocol.TaskExplainResult{}, err
	}
	for _, tool := range j.explain() {
		if tool.Server == id.Server && tool.Tool == id.Tool {
			result.Tools = append(result.Tools, tool)
		}
	}
	return result, nil
}

// taskUsage answers task/usage.
func (s *Server) taskUsage(_ context.Context, e *taskEntry, p *protocol.TaskUsageParams) (protocol.TaskUsageResult, error) {
	j, err := s.judge(e)
	if err != nil {
		return protocol.TaskUsageResult{}, err
	}
	usage := j.view.TokenUsage(&j.task, p.Sections)
	usage.Shadow = j.shadow
	return usage, nil
}
