package editor_test

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/daemontest"
	"github.com/winnow-mcp/winnow/daemon/engine"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/faces/editor"
	"github.com/winnow-mcp/winnow/protocol"
)

// ask is what reaches the engine: a method of one of its parts.
type ask struct {
	// of is the part and its method, as in "Modes.List".
	of string
	// args are the method's arguments without its context; a task's entry is its
	// id.
	args []any
	// answer is what the engine answers; nil is a zero value.
	answer any
}

// fake is an engine that notes what it is asked, and answers what a test has for
// it. fakeparts_test.go has its parts.
type fake struct {
	// user and opened are what initialize has handed over.
	user   host.Host
	opened *protocol.InitializeParams
	// held is told when a method begins to wait; see fake.hold.
	held chan struct{}

	// mu guards what follows.
	mu      sync.Mutex
	asked   []ask
	answers []ask // those that are left
	// failAt is the method that fails with failure, by its place in asked; -1 for
	// none. So is holdAt the one that waits until its context ends.
	failAt, holdAt int
	failure        error
	failed         bool
	started        int
	closed         bool
}

func newFake() *fake { return &fake{held: make(chan struct{}), failAt: -1, holdAt: -1} }

// overFake is a host of a session over a fake engine, which is initialized.
func overFake(t *testing.T) (*daemontest.Host, *fake) {
	t.Helper()
	f, h := startFake(t, daemontest.Options{})
	initialize(h)
	return h, f
}

// initialize opens a session. What it asks of the engine has been asked when it
// returns.
func initialize(h *daemontest.Host) {
	h.Initialize(nil)
	daemontest.Call[protocol.ModeListResult](h, protocol.MethodModeList, protocol.Empty{})
}

// startFake is a host of a session over a fake engine, which is not initialized.
func startFake(t *testing.T, o daemontest.Options) (*fake, *daemontest.Host) {
	t.Helper()
	f := newFake()
	return f, daemontest.RunServer(t, o, func(log *slog.Logger, level *slog.LevelVar) daemontest.Server { return f.session(log, level) })
}

// session is a session over the fake.
func (f *fake) session(log *slog.Logger, level *slog.LevelVar) *editor.Session {
	return editor.NewOver(editor.Options{
		Name: "winnowd", Engine: engine.Options{Version: "test", Log: log}, LogLevel: level, ShutdownTime: daemontest.ShutdownTime,
	}, f.open, fakeGateway{f})
}

func (f *fake) open(h host.Host, p *protocol.InitializeParams) *editor.Parts {
	f.user, f.opened = h, p
	open := newTasks(f)
	return &editor.Parts{
		Engine: fakeEngine{f}, Record: fakeRecord{f}, Approvals: fakeApprovals{f}, Settings: fakeSettings{f}, Workspace: fakeWorkspace{f}, Catalog: fakeCatalog{f},
		HostTools: fakeHostTools{f}, Modes: fakeModes{f}, Upstream: fakeUpstream{f}, Edits: fakeEdits{f},
		Imports: fakeImports{f}, Locks: fakeLocks{f}, Savings: fakeSavings{f}, Tasks: open, Turns: fakeTurns{f},
		Inspector: fakeInspector{f, open}, Requests: fakeRequests{f}, Calls: fakeCalls{f}, Loads: fakeLoads{f},
	}
}

// expect makes the fake forget what it was asked, and answer what comes now.
func (f *fake) expect(answers []ask) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked, f.answers, f.failAt, f.holdAt, f.failed = nil, slices.Clone(answers), -1, -1, false
}

// fail makes a method fail, by its place in what is asked from now on.
func (f *fake) fail(at int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.failAt, f.failure = at, err
}

// hold makes a method wait until its context ends, by its place in what is asked
// from now on; one that has no context does not wait.
func (f *fake) hold(at int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.holdAt = at
}

// took returns what was asked, without the answers.
func (f *fake) took() []ask {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.asked)
}

// hasFailed reports whether the method of fake.fail was asked, and returns errors.
func (f *fake) hasFailed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.failed
}

// isClosed reports whether the session has closed its engine.
func (f *fake) isClosed() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.closed
}

// starts is how often the session has let the engine start.
func (f *fake) starts() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.started
}

// note notes that a method was asked, and returns its place and its answer.
func note[R any](f *fake, of string, args []any) (at int, answer R) {
	f.mu.Lock()
	defer f.mu.Unlock()
	at = len(f.asked)
	f.asked = append(f.asked, ask{of: of, args: args})
	if i := slices.IndexFunc(f.answers, func(a ask) bool { return a.of == of }); i >= 0 {
		answer, _ = f.answers[i].answer.(R)
		f.answers = slices.Delete(f.answers, i, i+1)
	}
	return at, answer
}

// fails returns the error of the method at a place.
func (f *fake) fails(at int) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if at != f.failAt {
		return nil
	}
	f.failed = true
	return f.failure
}

// waits waits until ctx ends, if the method at a place is to.
func (f *fake) waits(ctx context.Context, at int) error {
	f.mu.Lock()
	waits := at == f.holdAt
	f.mu.Unlock()
	if !waits {
		return nil
	}
	f.held <- struct{}{}
	<-ctx.Done()
	return ctx.Err()
}

// cannotFail is the body of a method that cannot fail.
func cannotFail[R any](f *fake, of string, args ...any) R {
	_, answer := note[R](f, of, args)
	return answer
}

// mayFail is the body of a method that may fail.
func mayFail[R any](f *fake, of string, args ...any) (R, error) {
	at, answer := note[R](f, of, args)
	if err := f.fails(at); err != nil {
		var none R
		return none, err
	}
	return answer, nil
}

// mayWait is the body of a method that may fail, and may wait.
func mayWait[R any](ctx context.Context, f *fake, of string, args ...any) (R, error) {
	work, err := placed[R](ctx, f, of, args...)
	if err != nil {
		var none R
		return none, err
	}
	return work()
}

// placed is the body of a method that takes its place now, and works later.
func placed[R any](ctx context.Context, f *fake, of string, args ...any) (func() (R, error), error) {
	at, answer := note[R](f, of, args)
	if err := f.fails(at); err != nil {
		return nil, err
	}
	return func() (R, error) { return answer, f.waits(ctx, at) }, nil
}
