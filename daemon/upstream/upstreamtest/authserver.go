package upstreamtest

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// AuthServer is an OAuth authorization server: the npm package oidc-provider, run by node
// as a child of the test. Its pages accept any login.
type AuthServer struct {
	// Issuer is its address.
	Issuer string
	client *http.Client
}

// StartAuthServer starts an authorization server for the duration of the test. It
// installs the package if needed, with npm and its registry. Without node or npm the test
// is skipped, or fails if CI is set.
//
// It takes assertions (ID-JAG) of the issuers in trusts.
func StartAuthServer(t testing.TB, trusts ...string) *AuthServer {
	t.Helper()
	dir := authServerDir(t)
	node := need(t, "node")
	installAuthServer(t, dir)

	cmd := exec.Command(node, append([]string{"server.mjs"}, trusts...)...)
	cmd.Dir = dir
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatalf("authorization server: %v", err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatalf("authorization server: %v", err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("authorization server: %v", err)
	}
	s := &AuthServer{client: &http.Client{Transport: &http.Transport{}, Timeout: 30 * time.Second}}
	t.Cleanup(func() {
		s.client.CloseIdleConnections()
		_ = stdin.Close()
		if err := cmd.Wait(); err != nil {
			t.Errorf("authorization server: %v", err)
		}
	})
	line, err := bufio.NewReader(stdout).ReadBytes('\n')
	if err != nil {
		t.Fatalf("authorization server: it ended before it listened: %v", err)
	}
	var hello struct {
		Issuer string `json:"issuer"`
	}
	if err := json.Unmarshal(line, &hello); err != nil || hello.Issuer == "" {
		t.Fatalf("authorization server: it printed %q (%v)", line, err)
	}
	s.Issuer = hello.Issuer
	return s
}

func authServerDir(t testing.TB) string {
	t.Helper()
	return filepath.Join(ModuleRoot(t), "daemon", "upstream", "upstreamtest", "authserver")
}

// startDir is the working directory at the start: the folder of the test's package.
var startDir, errStartDir = os.Getwd()

// ModuleRoot returns the folder of go.mod, searched from the test's folder upward. A
// binary built with -trimpath has no source paths.
func ModuleRoot(t testing.TB) string {
	t.Helper()
	if errStartDir != nil {
		t.Fatal(errStartDir)
	}
	for dir := startDir; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
	}
	t.Fatalf("no go.mod above %s", startDir)
	return ""
}

// need returns the path of a program that the test requires.
func need(t testing.TB, program string) string {
	t.Helper()
	path, err := exec.LookPath(program)
	if err == nil {
		return path
	}
	message := fmt.Sprintf("this test needs %s (Node.js 20 or later): %v", program, err)
	if os.Getenv("CI") != "" {
		t.Fatal(message)
	}
	t.Skip(message)
	return ""
}

// installAuthServer installs the package, unless the folder or a parent has it.
func installAuthServer(t testing.TB, dir string) {
	t.Helper()
	for above := dir; above != filepath.Dir(above); above = filepath.Dir(above) {
		if _, err := os.Stat(filepath.Join(above, "node_modules", "oidc-provider")); err == nil {
			return
		}
	}
	// Several tests may install at once: each installs into a temporary folder, and one
	// rename succeeds.
	aside, err := os.MkdirTemp(dir, "node_modules-")
	if err != nil {
		t.Fatalf("install the authorization server: %v", err)
	}
	defer func() { _ = os.RemoveAll(aside) }()
	for _, name := range []string{"package.json", "package-lock.json"} {
		data, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = os.WriteFile(filepath.Join(aside, name), data, 0o600)
		}
		if err != nil {
			t.Fatalf("install the authorization server: %v", err)
		}
	}
	cmd := exec.Command(need(t, "npm"), "ci", "--no-audit", "--no-fund")
	cmd.Dir = aside
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("npm ci for the authorization server: %v\n%s", err, out)
	}
	final := filepath.Join(dir, "node_modules")
	if err := os.Rename(filepath.Join(aside, "node_modules"), final); err != nil {
		if _, statErr := os.Stat(final); statErr != nil {
			t.Fatalf("install the authorization server: %v", err)
		}
	}
}

// resourceClient and resourceSecret are the credentials in server.mjs with which a test's
// MCP server validates tokens.
const resourceClient, resourceSecret = "resource", "resource-secret"

// Active reports whether an access token is valid, and returns its audience.
func (s *AuthServer) Active(ctx context.Context, token string) (active bool, audience string, err error) {
	active, audience, _, err = s.Whose(ctx, token)
	return active, audience, err
}

// Whose is Active, and returns the subject as well.
func (s *AuthServer) Whose(ctx context.Context, token string) (active bool, audience, subject string, err error) {
	var answer struct {
		Active   bool   `json:"active"`
		Audience string `json:"aud"`
		Subject  string `json:"sub"`
	}
	err = s.post(ctx, "/token/introspection", url.Values{"token": {token}}, true, &answer)
	return answer.Active, answer.Audience, answer.Subject, err
}

// Token returns an access token of a program for a resource. Programs are alice, bob, and
// brief, whose tokens alone expire after 8 seconds. For a resource that begins with
// `https://team.`, the token is a JWT with their groups.
func (s *AuthServer) Token(ctx context.Context, program, resource string) (string, error) {
	form := url.Values{
		"grant_type": {"client_credentials"}, "resource": {resource}, "scope": {"tools:call"},
		"client_id": {program}, "client_secret": {program + "-secret"},
	}
	var answer struct {
		Token string `json:"access_token"`
	}
	err := s.post(ctx, "/token", form, false, &answer)
	return answer.Token, err
}

// Register registers a client with a secret and one redirect address.
func (s *AuthServer) Register(ctx context.Context, back string) (id, secret string, err error) {
	body, err := json.Marshal(map[string]any{"redirect_uris": []string{back}, "grant_types": []string{"authorization_code", "refresh_token"}})
	if err != nil {
		return "", "", err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Issuer+"/reg", bytes.NewReader(body))
	if err != nil {
		return "", "", err
	}
	r.Header.Set("Content-Type", "application/json")
	response, err := s.client.Do(r)
	if err != nil {
		return "", "", err
	}
	defer func() { _ = response.Body.Close() }()
	var answer struct {
		ID     string `json:"client_id"`
		Secret string `json:"client_secret"`
	}
	if err := json.NewDecoder(response.Body).Decode(&answer); err != nil || response.StatusCode != http.StatusCreated {
		return "", "", fmt.Errorf("a client is not registered: HTTP %d, %w", response.StatusCode, err)
	}
	return answer.ID, answer.Secret, nil
}

// Revoke revokes a token of a public client, and with it the whole sign-in.
func (s *AuthServer) Revoke(ctx context.Context, clientID, token string) error {
	form := url.Values{"token": {token}, "client_id": {clientID}}
	return s.post(ctx, "/token/revocation", form, false, nil)
}

// Withdraw revokes a token of one of the programs.
func (s *AuthServer) Withdraw(ctx context.Context, program, token string) error {
	return s.post(ctx, "/token/revocation", url.Values{"token": {token}, "client_id": {program}, "client_secret": {program + "-secret"}}, false, nil)
}

func (s *AuthServer) post(ctx context.Context, path string, form url.Values, asResource bool, out any) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.Issuer+path, strings.NewReader(form.Encode()))
	if err != nil {
		return err
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	if asResource {
		r.SetBasicAuth(resourceClient, resourceSecret)
	}
	response, err := s.client.Do(r)
	if err != nil {
		return err
	}
	body, err := io.ReadAll(response.Body)
	if closeErr := response.Body.Close(); err == nil {
		err = closeErr
	}
	if err != nil {
		return err
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: HTTP %d: %s", path, response.StatusCode, body)
	}
	if out == nil {
		return nil
	}
	return json.Unmarshal(body, out)
}
