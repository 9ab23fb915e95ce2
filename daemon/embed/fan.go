package embed

import (
	"context"
	"errors"
)

// answer is what became of one batch of texts.
type answer struct {
	texts   []string
	vectors [][]float32
	err     error
}

// fan embeds texts in batches, several at a time as the provider's limits
// allow, and gives each answer to take, one after another. take may return
// batches to do in addition. Its first error ends the work and is returned:
// errSuperseded lets the batches under way finish and takes their answers too,
// any other error cancels them.
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
