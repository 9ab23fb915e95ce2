package otlp

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/winnow-mcp/winnow/daemon/secrets"
)

// client posts batches; it implements [otlptrace.Client].
type client struct {
	target target
	http   *http.Client
}

// Start does nothing.
func (*client) Start(context.Context) error { return nil }

// Stop does nothing.
func (*client) Stop(context.Context) error { return nil }

// UploadTraces posts a batch. The message is TracesData, which has the same encoding as
// ExportTraceServiceRequest, whose package links gRPC.
func (c *client) UploadTraces(ctx context.Context, spans []*tracepb.ResourceSpans) error {
	body, err := proto.Marshal(&tracepb.TracesData{ResourceSpans: spans})
	if err != nil {
		return fmt.Errorf("encode: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.target.timeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, c.target.url, bytes.NewReader(body))
	if err != nil {
		return c.failed(err)
	}
	request.Header = c.target.headers.Clone()
	request.Header.Set("Content-Type", "application/x-protobuf")
	response, err := c.http.Do(request)
	if err != nil {
		return c.failed(err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10)) // so that the connection is reused
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return fmt.Errorf("%s answers %s", secrets.ShowURL(c.target.url), response.Status)
	}
	return nil
}

// failed says where a batch could not be sent, without the credentials in the URL that an
// error of [http.Client] repeats.
func (c *client) failed(err error) error {
	if repeats := (*url.Error)(nil); errors.As(err, &repeats) {
		err = repeats.Err
	}
	return fmt.Errorf("send to %s: %w", secrets.ShowURL(c.target.url), err)
}
