package gatewaytest

import (
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/mark3labs/mcp-go/client/transport"

	"github.com/winnow-mcp/winnow/protocol"
)

// listening is streamable HTTP with a stream on which the client listens between
// requests. Messages before the stream is open are lost.
type listening struct {
	*transport.StreamableHTTP

	stream *firstStream
}

// firstStream records when the first stream has been opened.
type firstStream struct {
	once sync.Once
	open chan struct{}
}

// RoundTrip implements [http.RoundTripper].
func (s *firstStream) RoundTrip(r *http.Request) (*http.Response, error) {
	response, err := http.DefaultTransport.RoundTrip(r)
	if err == nil && r.Method == http.MethodGet && response.StatusCode == http.StatusOK {
		s.once.Do(func() { close(s.open) })
	}
	return response, err
}

func listen(t testing.TB, info protocol.GatewayInfoResult) *listening {
	t.Helper()
	stream := &firstStream{open: make(chan struct{})}
	//lint:ignore SA1019 only the revisions that have sessions have lists of one's own
	continuous := transport.WithContinuousListening()
	s, err := transport.NewStreamableHTTP(info.URL, continuous,
		transport.WithHTTPBasicClient(&http.Client{Transport: stream}),
		transport.WithHTTPHeaders(map[string]string{"Authorization": "Bearer " + info.Token}))
	if err != nil {
		t.Fatal(err)
	}
	return &listening{s, stream}
}

// untilOpen waits until the stream is open, which is after the handshake.
func (l *listening) untilOpen(t testing.TB) {
	t.Helper()
	select {
	case <-l.stream.open:
	case <-time.After(patience):
		t.Fatal("waited in vain for the stream on which the client listens")
	}
}
