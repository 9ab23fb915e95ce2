// Package plainwords converts errors of Go's library into plain text for messages, rows
// and answers for models, and has texts of causes that several packages report. The text
// says what happened, without names of functions, types or system calls.
//
// It adds neither an owner nor a next step; the package that returns the error does.
package plainwords

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"os"
	"os/exec"
	"regexp"
	"regexp/syntax"
	"strconv"
	"strings"

	"github.com/winnow-mcp/winnow/protocol/ijson"
)

// Missing says that environment variables have no value, or returns "" for none.
func Missing(variables ...string) string {
	switch last := len(variables) - 1; last {
	case -1:
		return ""
	case 0:
		return variables[0] + " is missing"
	default:
		return strings.Join(variables[:last], ", ") + " and " + variables[last] + " are missing"
	}
}

// Of returns the text of an error, with wrapped errors of Go's library in plain words and
// the rest unchanged. It returns "" for nil.
func Of(err error) string {
	if err == nil {
		return ""
	}
	if words, ok := worded(err); ok {
		return words
	}
	return request.ReplaceAllString(reworded(err.Error(), wrapped(err)), "$1: ")
}

// request matches the beginning of a request's error, in a text without secrets.
var request = regexp.MustCompile(`\b(?:Get|Post|Put|Delete|Head) "([^"]*)": `)

// reworded replaces the texts of errors in a text. If an error's text is not found,
// because secrets were removed, it continues with those that it wraps.
func reworded(text string, errs []error) string {
	for _, inner := range errs {
		if said := inner.Error(); strings.Contains(text, said) {
			text = strings.Replace(text, said, Of(inner), 1)
		} else {
			text = reworded(text, wrapped(inner))
		}
	}
	return text
}

// wrapped returns the errors that an error wraps.
func wrapped(err error) []error {
	switch e := err.(type) { //nolint:errorlint // it is about this error, and not about one that it wraps
	case interface{ Unwrap() error }:
		if inner := e.Unwrap(); inner != nil {
			return []error{inner}
		}
	case interface{ Unwrap() []error }:
		return e.Unwrap()
	}
	return nil
}

// worded returns the text of an error of Go's library, or false for any other.
func worded(err error) (string, bool) {
	switch e := err.(type) { //nolint:errorlint // those that this one wraps have their turn
	case *url.Error:
		return e.URL + ": " + Of(e.Err), true
	case *net.DNSError:
		if e.IsTimeout {
			return fmt.Sprintf("the name server did not say in time where %q is", e.Name), true
		}
		return fmt.Sprintf("there is no host %q", e.Name), true
	case *net.OpError:
		return connection(e), true
	case *fs.PathError:
		return e.Path + ": " + Of(e.Err), true
	case *os.LinkError:
		return e.New + ": " + Of(e.Err), true
	case *os.SyscallError:
		return Of(e.Err), true
	case *exec.Error:
		if errors.Is(e.Err, exec.ErrNotFound) {
			return fmt.Sprintf("there is no program %q in PATH", e.Name), true
		}
		return e.Name + ": " + Of(e.Err), true
	case *tls.CertificateVerificationError:
		return certificate(e.Err), true
	case *strconv.NumError:
		return fmt.Sprintf("%q is no such number", e.Num), true
	case *syntax.Error:
		return fmt.Sprintf("the regular expression is wrong at %q: %s", e.Expr, e.Code), true
	case *json.SyntaxError, *json.UnmarshalTypeError:
		return ijson.Words(err).Error(), true
	}
	// Of an error that wraps another, only the inner text is changed.
	switch last := len(wrapped(err)) == 0; {
	case last && (errors.Is(err, context.DeadlineExceeded) || errors.Is(err, os.ErrDeadlineExceeded)):
		return "it took too long", true
	case last && (errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF)):
		return "the other side ended in the middle", true
	}
	return "", false
}

// connection returns the text of a network error.
func connection(e *net.OpError) string {
	why := Of(e.Err)
	var host *net.DNSError
	if errors.As(e.Err, &host) || e.Addr == nil {
		return why
	}
	if e.Op == "dial" {
		return fmt.Sprintf("no connection to %s: %s", e.Addr, why)
	}
	return fmt.Sprintf("the connection to %s broke: %s", e.Addr, why)
}

// certificate returns why a server's certificate is not trusted.
func certificate(err error) string {
	var unknown x509.UnknownAuthorityError
	var name x509.HostnameError
	var invalid x509.CertificateInvalidError
	switch {
	case errors.As(err, &unknown):
		return "its certificate is signed by an authority that this machine does not know"
	case errors.As(err, &name):
		return fmt.Sprintf("its certificate is not for %q", name.Host)
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired:
		return "its certificate is not valid at this time"
	}
	return "its certificate does not count: " + strings.TrimPrefix(err.Error(), "x509: ")
}
