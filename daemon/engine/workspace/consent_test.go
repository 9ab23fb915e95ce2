package workspace_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/engine/host"
	"github.com/winnow-mcp/winnow/daemon/upstream/upstreamtest"
	"github.com/winnow-mcp/winnow/protocol"
)

// TestConsent: the servers of another client's file are listed at once, start
// after the user's consent, stop when it is withdrawn, and the answer is
// remembered.
func TestConsent(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pids")
	o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir()}
	file := configtest.ClaudeFile(t, o.Workspace, configtest.Servers{"theirs": configtest.Scripted(t, upstreamtest.Script{PIDFile: pidFile})})
	configtest.Save(t, o.Workspace, configtest.Servers{"ours": configtest.Scripted(t, upstreamtest.Script{})}, nil)
	h := enginetest.Start(t, o, nil)
	h.UntilState("ours", protocol.ServerReady)
	s := h.UntilState("theirs", protocol.ServerWaitingForConsent)
	if s.File != file || s.Tools != 0 {
		t.Errorf("a server that waits: %+v", s)
	}
	if configtest.Read(t, pidFile) != "" {
		t.Error("it was started without consent")
	}
	answer := func(allow bool) {
		enginetest.Call(h, h.ServerConsent, protocol.ServerConsentParams{File: file, Allow: allow})
	}
	answer(true)
	h.UntilState("theirs", protocol.ServerReady)
	a := h.Open("echo")
	if got := h.CallText(a.Task, "mcp__theirs__echo", `{"text":"x"}`); got != `{"text":"x"}` {
		t.Errorf("it answered %q", got)
	}
	answer(false)
	if s := h.UntilState("theirs", protocol.ServerDeclined); s.Tools != 0 {
		t.Errorf("a declined server lists %d tools", s.Tools)
	}
	if e := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: a.Task, Name: "mcp__theirs__echo"}); e.Data.Kind != protocol.KindUnavailable {
		t.Errorf("a call of a declined server: %v", e)
	}
	h.Close()

	next := enginetest.Start(t, o, nil)
	next.UntilState("ours", protocol.ServerReady)
	next.UntilState("theirs", protocol.ServerDeclined)
}

// TestTrust: nothing that an untrusted workspace defines starts, whatever file
// it is in, until the user trusts it.
func TestTrust(t *testing.T) {
	t.Parallel()
	pidFile := filepath.Join(t.TempDir(), "pids")
	o := enginetest.Options{Workspace: t.TempDir(), Home: t.TempDir(), Untrusted: true}
	configtest.Save(t, o.Workspace, configtest.Servers{"workspace": configtest.Scripted(t, upstreamtest.Script{PIDFile: pidFile})}, nil)
	user, err := json.Marshal(protocol.WinnowFile{Servers: configtest.Servers{"user": configtest.Scripted(t, upstreamtest.Script{})}})
	if err != nil {
		t.Fatal(err)
	}
	configtest.Write(t, filepath.Join(o.Home, ".config", "winnow", "winnow.json"), string(user))
	h := enginetest.Start(t, o, nil)
	h.UntilState("user", protocol.ServerReady)
	h.UntilState("workspace", protocol.ServerWaitingForTrust)
	if e := enginetest.Refused(h, h.TaskCall, protocol.TaskCallParams{Task: h.Open("x").Task, Name: "mcp__workspace__echo"}); e.Data.Kind != protocol.KindUnknownTool {
		t.Errorf("a call before trust: %v", e)
	}
	if configtest.Read(t, pidFile) != "" {
		t.Error("it was started without trust")
	}
	h.Engine.GrantTrust()
	h.UntilState("workspace", protocol.ServerReady)
}

// TestInputs: a server that needs a value gets it from the user, once; one
// whose user declines says so.
func TestInputs(t *testing.T) {
	t.Parallel()
	e := configtest.Scripted(t, upstreamtest.Script{})
	e.Env["TOKEN"] = "${input:token}"
	file, err := json.Marshal(protocol.WinnowFile{
		Servers: configtest.Servers{"s": e},
		Inputs:  []protocol.InputEntry{{ID: "token", Type: protocol.InputPromptString, Description: "The token", Password: true}},
	})
	if err != nil {
		t.Fatal(err)
	}
	secret := "secret-value"
	for _, test := range []struct {
		name   string
		can    bool
		answer func(protocol.InputRequestParams) (string, error)
		state  protocol.ServerState
		says   string
	}{
		{"given", true, func(protocol.InputRequestParams) (string, error) { return secret, nil }, protocol.ServerReady, ""},
		{"dismissed", true, nil, protocol.ServerFailed, "no value"},
		{"a host without prompts", false, nil, protocol.ServerFailed, "cannot ask"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			asked := make(chan protocol.InputRequestParams, 10)
			o := enginetest.Options{Workspace: t.TempDir(), User: &enginetest.User{
				Can: protocol.ClientCapabilities{Prompt: test.can},
				OnInput: func(p protocol.InputRequestParams) (string, error) {
					asked <- p
					if test.answer == nil {
						return "", host.ErrDismissed
					}
					return test.answer(p)
				},
			}}
			configtest.Write(t, configtest.WinnowFile(o.Workspace), string(file))
			h := enginetest.Start(t, o, nil)
			s := h.UntilState("s", test.state)
			if !strings.Contains(s.Error, test.says) {
				t.Errorf("it is %s: %q, want %q", s.State, s.Error, test.says)
			}
			if test.can {
				want := protocol.InputRequestParams{
					ID: "token", Server: "s", File: configtest.WinnowFile(o.Workspace), Workspace: true,
					Kind: protocol.InputPromptString, Description: "The token", Password: true,
				}
				if p := <-asked; !reflect.DeepEqual(p, want) {
					t.Errorf("the host was asked %+v, want %+v", p, want)
				}
			}
			if test.state != protocol.ServerReady {
				return
			}
			if env := h.CallText(h.Open("env").Task, "env", `{}`); !strings.Contains(env, "TOKEN=[redacted]") || strings.Contains(env, secret) {
				t.Errorf("the server's environment is told as %s, want the token masked", env)
			}
			h.ChangeSettings(`{"results":{"maskSecrets":false}}`)
			h.Until("the setting to count", func() bool {
				return strings.Contains(h.CallText(h.Open("env").Task, "env", `{}`), "TOKEN="+secret)
			})
			if strings.Contains(h.Log(), secret) {
				t.Error("the value is in the log")
			}
		})
	}
}

// TestRedirect: the user reads both addresses, and a yes is kept, listed and taken
// back as others are; without a yes nothing is followed.
func TestRedirect(t *testing.T) {
	t.Parallel()
	to := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(to.Close)
	from := httptest.NewServer(http.RedirectHandler(to.URL+"/mcp", http.StatusTemporaryRedirect))
	t.Cleanup(from.Close)
	for _, test := range []struct {
		can  bool
		says string
	}{{true, "404"}, {false, "cannot ask"}} {
		asked := make(chan protocol.InputRequestParams, 10)
		o := enginetest.Options{Workspace: t.TempDir(), Storage: t.TempDir(), User: &enginetest.User{
			Can:     protocol.ClientCapabilities{Prompt: test.can},
			OnInput: func(p protocol.InputRequestParams) (string, error) { asked <- p; return p.Options[0], nil },
		}}
		configtest.Write(t, configtest.WinnowFile(o.Workspace), fmt.Sprintf(`{"servers":{"s":{"url":%q}}}`, from.URL+"/mcp"))
		h := enginetest.Start(t, o, nil)
		if s := h.UntilState("s", protocol.ServerFailed); !strings.Contains(s.Error, test.says) {
			t.Errorf("it says %q, want %q", s.Error, test.says)
		}
		if !test.can {
			continue
		}
		p := <-asked
		if p.ID != "redirect from "+from.URL+" to "+to.URL || p.Server != "s" || p.File != "" || !strings.Contains(p.Description, from.URL+"/mcp to "+to.URL+"/mcp") {
			t.Errorf("the host was asked %+v", p)
		}
		h.Close()
		for len(asked) > 0 { // further tries of the first session, before the answer
			<-asked
		}
		next := enginetest.Start(t, o, nil)
		next.UntilState("s", protocol.ServerFailed)
		if len(asked) > 0 {
			t.Error("the user is asked again")
		}
		i := slices.IndexFunc(next.Engine.Approvals.List(), func(a protocol.Approval) bool { return a.Kind == protocol.ApprovalRedirect })
		if i < 0 {
			t.Fatal("the yes is not in the list")
		}
		a := next.Engine.Approvals.List()[i]
		if a.Server != "s" || a.To != to.URL || a.Since == 0 {
			t.Errorf("the list has %+v", a)
		}
		if _, err := next.Engine.Approvals.Revoke(t.Context(), &protocol.ApprovalRevokeParams{ID: a.ID}); err != nil {
			t.Fatal(err)
		}
		if err := next.Engine.Upstream.Restart("s"); err != nil {
			t.Fatal(err)
		}
		<-asked
	}
}
