package plainwords_test

import (
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"syscall"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/plainwords"
)

// failed are errors as Go's library makes them, by what a person reads of them.
func failed(t *testing.T) map[string]error {
	t.Helper()
	missing := filepath.Join(t.TempDir(), "gone.json")
	_, open := os.ReadFile(missing)
	_, program := exec.LookPath("no-such-program-xyz")
	_, number := strconv.Atoi("ten")
	_, expression := regexp.Compile(filepath.Base("a(")) // which no linter reads
	var list []string
	kind := json.Unmarshal([]byte(`{}`), &list)
	nobody, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := nobody.Addr().String()
	if err := nobody.Close(); err != nil {
		t.Fatal(err)
	}
	return map[string]error{
		missing + ": " + syscall.ENOENT.Error():                                                     open,
		`there is no program "no-such-program-xyz" in PATH`:                                         program,
		`"ten" is no such number`:                                                                   number,
		`the regular expression is wrong at "a(": missing closing )`:                                expression,
		"the JSON must be a list, not an object":                                                    kind,
		"http://" + address + ": no connection to " + address + ": " + syscall.ECONNREFUSED.Error(): get(t, http.DefaultClient, "http://"+address),
		`there is no host "nowhere.invalid"`:                                                        &net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "no such host", Name: "nowhere.invalid"}},
		"it took too long":                                                                          context.DeadlineExceeded,
		"the other side ended in the middle":                                                        io.ErrUnexpectedEOF,
	}
}

// get asks an address that fails.
func get(t *testing.T, client *http.Client, address string) error {
	t.Helper()
	resp, err := client.Get(address)
	if err == nil {
		_ = resp.Body.Close()
		t.Fatalf("%s answers", address)
	}
	return err
}

// masked is an error whose text has no secrets any more.
type masked struct {
	text string
	err  error
}

func (m masked) Error() string { return m.text }
func (m masked) Unwrap() error { return m.err }

// TestOf: no name of Go's, of a type or of a system call is left, however an error
// is wrapped, and what stands around it stays.
func TestOf(t *testing.T) {
	t.Parallel()
	for want, err := range failed(t) {
		for _, wrapped := range []error{err, fmt.Errorf("read the answer: %w", err), errors.Join(err)} {
			if got := plainwords.Of(wrapped); got != want && got != "read the answer: "+want {
				t.Errorf("got %q, want %q", got, want)
			}
		}
	}
	hidden := masked{"Post \"http://h/?key=[redacted]\": read tcp: context deadline exceeded", &url.Error{Op: "Post", URL: "http://h/?key=abc", Err: context.DeadlineExceeded}}
	if got, want := plainwords.Of(fmt.Errorf("start: %w", hidden)), "start: http://h/?key=[redacted]: read tcp: it took too long"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if plainwords.Of(nil) != "" || plainwords.Of(errors.New("its own words")) != "its own words" {
		t.Error("what is no error of Go's is changed")
	}
}

// TestOf_certificates: why a certificate does not count.
func TestOf_certificates(t *testing.T) {
	t.Parallel()
	server := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(server.Close)
	known := server.Client().Transport.(*http.Transport).Clone()
	known.TLSClientConfig = known.TLSClientConfig.Clone()
	known.TLSClientConfig.ServerName = "another.invalid"
	for want, client := range map[string]*http.Client{
		"its certificate is signed by an authority that this machine does not know": {Transport: &http.Transport{TLSClientConfig: &tls.Config{}}},
		`its certificate is not for "another.invalid"`:                              {Transport: known},
	} {
		if got := plainwords.Of(get(t, client, server.URL)); got != server.URL+": "+want {
			t.Errorf("got %q, want %q behind the address", got, want)
		}
	}
}

// TestMissing: one variable, two, several, none.
func TestMissing(t *testing.T) {
	t.Parallel()
	for want, variables := range map[string][]string{
		"": nil, "A is missing": {"A"}, "A and B are missing": {"A", "B"}, "A, B and C are missing": {"A", "B", "C"},
	} {
		if got := plainwords.Missing(variables...); got != want {
			t.Errorf("of %v: %q, want %q", variables, got, want)
		}
	}
}
