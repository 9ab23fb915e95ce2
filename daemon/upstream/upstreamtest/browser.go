package upstreamtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// Browser plays a user in a browser at the pages of an [AuthServer].
type Browser struct {
	// Deny makes the user refuse at the first page.
	Deny bool
	// Login is who signs in; empty is somebody.
	Login string
	// Transport reaches the pages; nil is the network.
	Transport http.RoundTripper
	// LastPage is the text of the page at which the user ended.
	LastPage string
}

// Open follows the address, signs in, consents, and goes where the
// authorization server sends the user at the end.
func (b *Browser) Open(ctx context.Context, address string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: cmp.Or[http.RoundTripper](b.Transport, transport), Jar: jar, Timeout: 30 * time.Second}

	page, at, err := visit(ctx, client, http.MethodGet, address, nil)
	// A sign-in has two pages, for who and for what, and where somebody is recognized
	// first there are two of them; one more is too many.
	for range 5 {
		if err != nil {
			return err
		}
		action, prompt := form(page)
		if action == "" {
			b.LastPage = page
			return nil
		}
		target, parseErr := at.Parse(action)
		if parseErr != nil {
			return parseErr
		}
		if b.Deny {
			page, at, err = visit(ctx, client, http.MethodGet, target.JoinPath("abort").String(), nil)
			continue
		}
		fields := url.Values{"prompt": {prompt}, "login": {cmp.Or(b.Login, "somebody")}, "password": {"anything"}}
		page, at, err = visit(ctx, client, http.MethodPost, target.String(), fields)
	}
	return errors.Join(err, errors.New("the sign-in has more pages than a user would fill in"))
}

// form returns the address and the kind of the form on a page.
func form(page string) (action, prompt string) {
	if match := regexp.MustCompile(`<form[^>]*action="([^"]+)"`).FindStringSubmatch(page); match != nil {
		action = html.UnescapeString(match[1])
	}
	if match := regexp.MustCompile(`name="prompt" value="([^"]+)"`).FindStringSubmatch(page); match != nil {
		prompt = match[1]
	}
	return action, prompt
}

// visit makes one request, follows redirections and returns the page and its
// address.
func visit(ctx context.Context, client *http.Client, method, address string, fields url.Values) (string, *url.URL, error) {
	r, err := http.NewRequestWithContext(ctx, method, address, strings.NewReader(fields.Encode()))
	if err != nil {
		return "", nil, err
	}
	if fields != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := client.Do(r)
	if err != nil {
		return "", nil, err
	}
	body, err := io.ReadAll(response.Body)
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	if err == nil && response.StatusCode >= http.StatusBadRequest {
		err = fmt.Errorf("%s %s: HTTP %d: %s", method, address, response.StatusCode, body)
	}
	return string(body), response.Request.URL, err
}
