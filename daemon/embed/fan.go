package embed

import (
	"context"
	"errors"
)

// answer is the result of one batch of texts.
type answer struct {
	texts   []string
	vectors [][]float32
	err     error
}

// fan embeds texts in batches, several concurrently within the provider's limits, and
// passes each answer to take, sequentially. take may return additional batches. The first
// error of take ends the work and is returned: after errSuperseded, running batches
// finish and their answers are taken too; any other error cancels them.
func fan(ctx context.Context, provider Provider, texts []string, take func(answer) ([][]string, error)) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	limits := provider.Limits()
	waiting, answers := batches(texts, limits), make(chan answer)
	var failure error
	for running := 0; running > 0 || failure == nil && len(waiting) > 0; {
		if failure == nil && len(waiting) > 0 && running < max(1, limits.Calls) {
			batch := waiting[0]
			waiting = waiting[1:]
			running++
			go func() {
				vectors, err := provider.Embed(ctx, ForDocument, batch)
				answers <- answer{batch, vectors, err}
			}()
			continue
		}
		next := <-answers
		running--
		if failure != nil && !errors.Is(failure, errSuperseded) {
			continue
		}
		more, err := take(next)
		waiting = append(waiting, more...)
		if failure == nil {
			failure = err
		}
		if err != nil && !errors.Is(err, errSuperseded) {
			cancel()
		}
	}
	return failure
}
