package otlp

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
)

// defaultTimeout is the specification's timeout for one batch.
const defaultTimeout = 10 * time.Second

// Environ looks a variable up.
type Environ func(name string) (string, bool)

// target is the destination of batches.
type target struct {
	url     string
	headers http.Header
	timeout time.Duration
}

// readTarget reads the environment. The URL is empty if nothing is to be sent.
func readTarget(environ Environ) (target, error) {
	none := target{}
	if strings.EqualFold(value(environ, "OTEL_SDK_DISABLED"), "true") { // the specification's booleans have no case
		return none, nil
	}
	if exporter := value(environ, "OTEL_TRACES_EXPORTER"); exporter != "" && exporter != "otlp" {
		return none, nil
	}
	endpoint, err := readEndpoint(environ)
	if err != nil || endpoint == "" {
		return none, err
	}
	if protocol := of(environ, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		return none, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q, and http/protobuf alone is spoken; name an endpoint for it, and set it to http/protobuf", protocol)
	}
	t := target{url: endpoint, timeout: defaultTimeout}
	if t.headers, err = readHeaders(of(environ, "HEADERS")); err != nil {
		return none, err
	}
	if text := of(environ, "TIMEOUT"); text != "" {
		ms, err := strconv.Atoi(text)
		if err != nil || ms <= 0 {
			return none, fmt.Errorf("OTEL_EXPORTER_OTLP_TIMEOUT is %q; give a number of milliseconds", text)
		}
		t.timeout = time.Duration(ms) * time.Millisecond
	}
	return t, nil
}

// readEndpoint returns the URL for traces.
func readEndpoint(environ Environ) (string, error) {
	name := "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT"
	endpoint := value(environ, name)
	if endpoint == "" {
		name = "OTEL_EXPORTER_OTLP_ENDPOINT"
		endpoint = value(environ, name)
	}
	if endpoint == "" {
		return "", nil
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return "", fmt.Errorf("%s is no address; give one such as http://localhost:4318", name) // it may hold a password
	}
	if name == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath("v1", "traces")
	}
	return u.String(), nil
}

// readHeaders reads percent-encoded name=value pairs separated by commas. An error
// contains no text of a pair, which may be a misplaced key.
func readHeaders(text string) (http.Header, error) {
	headers := http.Header{}
	for i, pair := range strings.Split(text, ",") {
		if strings.TrimSpace(pair) == "" {
			continue
		}
		name, encoded, ok := strings.Cut(pair, "=")
		decoded, err := url.PathUnescape(strings.TrimSpace(encoded))
		if !ok || err != nil || strings.TrimSpace(name) == "" {
			return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_HEADERS: header %d is not of the form name=value, with percent-encoding", i+1)
		}
		headers.Set(strings.TrimSpace(name), decoded)
	}
	return headers, nil
}

// of returns the variable for traces, or else that for all signals.
func of(environ Environ, what string) string {
	if text := value(environ, "OTEL_EXPORTER_OTLP_TRACES_"+what); text != "" {
		return text
	}
	return value(environ, "OTEL_EXPORTER_OTLP_"+what)
}

func value(environ Environ, name string) string {
	text, _ := environ(name)
	return strings.TrimSpace(text)
}
