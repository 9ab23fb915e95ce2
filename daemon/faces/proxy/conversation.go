package proxy

import (
	"slices"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/faces/proxy/wire"
)

// maxConversations is how many conversations' hidden rounds are kept; those of
// the one used longest ago go first. A conversation without them goes on, at
// the cost of one cache miss.
const maxConversations = 128

// maxHidden bounds the hidden rounds of one conversation.
const maxHidden = 64

// history keeps what the clients' conversations lack: the rounds with mcp_load.
type history struct {
	mu    sync.Mutex
	tasks map[string]*hiddenRounds
	order []string // the task used last at the end
}

// hiddenRounds are those of one conversation.
type hiddenRounds struct {
	answers []hiddenAnswer
}

// hiddenAnswer are the rounds within one answer.
type hiddenAnswer struct {
	// at is the position of the answer among the client's messages.
	at     int
	rounds []wire.Round
}

func newHistory() *history { return &history{tasks: map[string]*hiddenRounds{}} }

// putBack returns what the messages of a request lack.
func (h *history) putBack(task string, q *wire.Request) []wire.Insertion {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.tasks[task]
	if !ok {
		return nil
	}
	h.use(task)
	var all []wire.Insertion
	for _, a := range known.answers {
		if a.at < len(q.Messages) && q.Messages[a.at].Role == wire.RoleAssistant {
			all = append(all, q.PutBack(a.at, a.rounds)...)
		}
	}
	return all
}

// remember keeps the rounds of an answer, in place of those of an earlier
// answer to the same request.
func (h *history) remember(task string, at int, rounds []wire.Round) {
	h.mu.Lock()
	defer h.mu.Unlock()
	known, ok := h.tasks[task]
	if !ok {
		known = &hiddenRounds{}
		h.tasks[task] = known
	}
	h.use(task)
	known.answers = slices.DeleteFunc(known.answers, func(a hiddenAnswer) bool { return a.at >= at })
	known.answers = append(known.answers, hiddenAnswer{at, rounds})
	if extra := len(known.answers) - maxHidden; extra > 0 {
		known.answers = known.answers[extra:]
	}
}

// forget drops the rounds of a conversation whose history is another one now.
func (h *history) forget(task string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.tasks, task)
	h.order = slices.DeleteFunc(h.order, func(t string) bool { return t == task })
}

// use makes a task the one used last.
func (h *history) use(task string) {
	h.order = append(slices.DeleteFunc(h.order, func(t string) bool { return t == task }), task)
	if len(h.order) > maxConversations {
		delete(h.tasks, h.order[0])
		h.order = h.order[1:]
	}
}
