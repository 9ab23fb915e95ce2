package embed

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/cenkalti/backoff/v5"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

const (
	// requestBytes is the most text in one request. It keeps 128 long texts
	// under the token limits per request, the lowest of which is 120,000.
	requestBytes = 200 << 10
	// requestsAtOnce is the most requests for documents at a time.
	requestsAtOnce = 4
	// answerBytes is the most that is read of a response: 128 vectors of 4,096 numbers of
	// 25 characters are 13 MB.
	answerBytes = 64 << 20
	// tries is how often one request for documents is sent.
	tries = 4
	// longestWait is the longest Retry-After that is waited for within a request; for a
	// longer one, the caller gets the error.
	longestWait = 20 * time.Second
)

// remote is a [Provider] behind HTTP.
type remote struct {
	config   Config
	dialect  dialect
	endpoint string
	client   http.Client
}

func newRemote(config Config, speaks dialect, client *http.Client) *remote {
	if client == nil {
		client = http.DefaultClient
	}
	r := &remote{
		config:   config,
		dialect:  speaks,
		endpoint: strings.TrimSuffix(config.URL, "/") + speaks.path(config),
		client:   *client,
	}
	// Go drops Authorization when a redirect leaves the host, but not the
	// headers that Azure and Gemini use.
	r.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return r
}

// Space identifies the vectors.
func (r *remote) Space() Space {
	return Space{Provider: r.config.Provider, Endpoint: r.endpoint, Model: r.config.Model, Dim: r.config.Dimensions}
}

// Limits returns the API's limits.
func (r *remote) Limits() Limits {
	return Limits{Texts: r.dialect.texts, Bytes: requestBytes, Calls: requestsAtOnce}
}

// Embed calls the API. It retries for documents if that may help, but not for a query,
// because a second response would be too late.
func (r *remote) Embed(ctx context.Context, purpose Purpose, texts []string) ([][]float32, error) {
	body, err := json.Marshal(r.dialect.body(r.config, purpose, texts))
	if err != nil {
		return nil, fmt.Errorf("encode a request for embeddings: %w", err)
	}
	if purpose == ForQuery {
		return r.ask(ctx, body, len(texts))
	}
	return r.askRepeatedly(ctx, body, len(texts))
}

// askRepeatedly retries until there is a response, a permanent failure, or no time left.
func (r *remote) askRepeatedly(ctx context.Context, body []byte, texts int) ([][]float32, error) {
	wait := &patience{BackOff: &backoff.ExponentialBackOff{
		InitialInterval: 500 * time.Millisecond, RandomizationFactor: .5, Multiplier: 2, MaxInterval: 10 * time.Second,
	}}
	var last error
	vectors, err := backoff.Retry(ctx, func() ([][]float32, error) {
		ctx, cancel := context.WithTimeout(ctx, r.config.Timeout)
		defer cancel()
		vectors, err := r.ask(ctx, body, texts)
		last, wait.asked = err, retryAfter(err)
		if err != nil && !worthRepeating(err) {
			return nil, backoff.Permanent(err)
		}
		return vectors, err
	}, backoff.WithBackOff(wait), backoff.WithMaxTries(tries))
	if err != nil {
		// backoff may return its own wrapper or the context's error; the last failure is
		// more informative.
		return nil, last
	}
	return vectors, nil
}

// worthRepeating reports whether the same request may succeed a little later.
func worthRepeating(err error) bool {
	failure, ok := errors.AsType[*Error](err)
	if !ok {
		return false
	}
	switch failure.Kind {
	case Unavailable:
		return true
	case Quota:
		return failure.Status == http.StatusTooManyRequests && failure.RetryAfter <= longestWait
	default:
		return false
	}
}

// patience is a backoff that waits as long as the provider requested. The library's
// RetryAfter error does so too, but loses the cause.
type patience struct {
	backoff.BackOff
	asked time.Duration
}

// NextBackOff returns how long to wait before the next try.
func (p *patience) NextBackOff() time.Duration {
	return max(p.BackOff.NextBackOff(), p.asked)
}

// ask sends one request and reads its response.
func (r *remote) ask(ctx context.Context, body []byte, texts int) ([][]float32, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, r.endpoint, bytes.NewReader(body))
	if err != nil {
		return nil, r.failure(Rejected, nil, "make a request: "+err.Error())
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept", "application/json")
	if r.config.Key != "" {
		r.dialect.authorize(request.Header, r.config.Key)
	}
	response, err := r.client.Do(request)
	if err != nil {
		return nil, r.failure(Unavailable, contextError(ctx, err), withoutAddress(err).Error())
	}
	defer response.Body.Close()
	answer, err := io.ReadAll(io.LimitReader(response.Body, answerBytes+1))
	if err != nil {
		return nil, r.failure(Unavailable, contextError(ctx, err), "read the answer: "+ijson.Words(err).Error())
	}
	if response.StatusCode != http.StatusOK {
		return nil, r.refusal(response, answer)
	}
	if len(answer) > answerBytes {
		return nil, r.failure(Garbled, nil, fmt.Sprintf("the answer is larger than %d MB", answerBytes>>20))
	}
	return r.read(answer, texts)
}

// read takes the vectors from a response and validates them.
func (r *remote) read(answer []byte, texts int) ([][]float32, error) {
	vectors, err := r.dialect.vectors(answer)
	if err == nil {
		err = checkVectors(vectors, texts)
	}
	if err != nil {
		return nil, r.failure(Garbled, nil, "read the answer: "+err.Error())
	}
	if want, got := r.config.Dimensions, len(vectors[0]); want != 0 && got != want {
		return nil, r.failure(Dimension, nil, fmt.Sprintf("asked for %d dimensions, got %d", want, got))
	}
	return vectors, nil
}

// failure describes an error. err is the context's error, if that was the cause.
func (r *remote) failure(kind Kind, err error, cause string) *Error {
	return &Error{
		Provider: r.config.Provider, Endpoint: r.endpoint, Kind: kind,
		Cause: r.config.Key.redact(cause), err: err,
	}
}

// contextError returns ctx's error if it ended, and otherwise err's own deadline.
func contextError(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if errors.Is(err, context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return nil
}

// withoutAddress strips the method and address that http.Client puts before
// its errors: [Error] names the address itself.
func withoutAddress(err error) error {
	if wrapped, ok := errors.AsType[*url.Error](err); ok {
		return wrapped.Err
	}
	return err
}
