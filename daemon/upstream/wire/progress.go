package wire

import (
	"fmt"
	"sync"

	"github.com/winnow-mcp/winnow/daemon/hiddentext"
)

// progressReceivers are the calls that receive progress notifications.
type progressReceivers struct {
	// mu guards what follows.
	mu sync.Mutex
	// steps holds the receivers by token; last is the number of the newest token.
	steps map[string]chan Progress
	last  uint64
}

// receive returns a token and the channel for the progress that carries it. The caller
// must call stop.
func (r *progressReceivers) receive() (token string, steps <-chan Progress, stop func()) {
	const buffered = 16
	ch := make(chan Progress, buffered)
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	token = fmt.Sprintf("winnow-%d", r.last)
	if r.steps == nil {
		r.steps = map[string]chan Progress{}
	}
	r.steps[token] = ch
	return token, ch, func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.steps, token)
	}
}

// hand passes a progress notification to its call. It does not block.
func (r *progressReceivers) hand(fields map[string]any) {
	token, _ := fields["progressToken"].(string)
	var p Progress
	p.Progress, _ = fields["progress"].(float64)
	p.Total, _ = fields["total"].(float64)
	message, _ := fields["message"].(string)
	p.Message, _ = hiddentext.Text(message)
	r.mu.Lock()
	defer r.mu.Unlock()
	select {
	case r.steps[token] <- p:
	default:
		// The receiver is slow or gone; later progress supersedes this one.
	}
}
