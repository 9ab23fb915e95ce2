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

// Browser simulates a user in a browser on the pages of an [AuthServer].
type Browser struct {
	// Deny refuses at the first page.
	Deny bool
	// Login is the name to sign in with; the default is "somebody".
	Login string
	// Transport makes the requests. If nil, the network is used.
	Transport http.RoundTripper
	// LastPage is the text of the final page.
	LastPage string
}

// Open opens the address, signs in, consents, and follows the final redirect.
func (b *Browser) Open(ctx context.Context, address string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	client := &http.Client{Transport: cmp.Or[http.RoundTripper](b.Transport, transport), Jar: jar, Timeout: 30 * time.Second}

	page, at, err := visit(ctx, client, http.MethodGet, address, nil)
	// A sign-in has a login page and a consent page, after a recognized login two more;
	// allow one extra.
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

// form returns the action and the prompt field of the form on a page.
func form(page string) (action, prompt string) {
	if match := regexp.MustCompile(`<form[^>]*action="([^"]+)"`).FindStringSubmatch(page); match != nil {
		action = html.UnescapeString(match[1])
	}
	if match := regexp.MustCompile(`name="prompt" value="([^"]+)"`).FindStringSubmatch(page); match != nil {
		prompt = match[1]
	}
	return action, prompt
}

// visit makes one request, follows redirects, and returns the page and its URL.
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
