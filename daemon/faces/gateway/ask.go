package gateway

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/codec"
	"github.com/winnow-mcp/winnow/daemon/engine/calls"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/mcpserver"
	"github.com/winnow-mcp/winnow/daemon/upstream"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/protocol/ijson"
	"github.com/winnow-mcp/winnow/router"
)

// What a client can be asked, as MCP names it.
const (
	askSampling    = "sampling/createMessage"
	askElicitation = "elicitation/create"
	askRoots       = "roots/list"
)

// modeURL is that of an elicitation by a page to open.
const modeURL = "url"

// questions are what a client is asked: by servers, and by Winnow about calls.
type questions struct {
	client mcpserver.Person
	// confirm says when the user is asked about a call that may write.
	confirm *protocol.GatewaySettings
	// tell tells the person something.
	tell func(protocol.ShowMessageParams)
}

// passOn returns what passes a server's request on to the client. The user is
// told which server it is that asks.
func (q *questions) passOn(ask mcpserver.Ask) func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
	return func(ctx context.Context, server, method string, params json.RawMessage) (json.RawMessage, error) {
		if err := q.refusal(method, params); err != nil {
			return nil, err
		}
		if method == askElicitation {
			params = named(params, server)
		}
		return ask(ctx, method, params)
	}
}

// refusal says that the client cannot be asked something; nil when it can.
func (q *questions) refusal(method string, params json.RawMessage) error {
	can, what := false, method
	switch method {
	case askSampling:
		can = q.client.Samples
	case askRoots:
		can = q.client.HasRoots
	case askElicitation:
		var asked struct {
			Mode string `json:"mode"`
		}
		if json.Unmarshal(params, &asked) == nil && asked.Mode == modeURL {
			can, what = q.client.ElicitsURL, method+" of mode "+modeURL
		} else {
			can = q.client.Elicits
		}
	}
	if !can {
		return fmt.Errorf("the client %q does not support %s", q.client.Name, what)
	}
	return nil
}

// pages returns what such an error asks for, where the client can do it; else
// nil.
func (q *questions) pages(err error) *mcpserver.PagesNeeded {
	var refused *upstream.RPCError
	if !q.client.ElicitsURL || !errors.As(err, &refused) || refused.Code != upstream.CodeURLRequired {
		return nil
	}
	var data struct {
		Elicitations []json.RawMessage `json:"elicitations"`
	}
	if json.Unmarshal(refused.Data, &data) != nil || len(data.Elicitations) == 0 {
		return nil
	}
	for i, one := range data.Elicitations {
		data.Elicitations[i] = named(one, refused.Server)
	}
	return &mcpserver.PagesNeeded{Elicitations: data.Elicitations}
}

// named adds the server's name to the message of an elicitation.
func named(params json.RawMessage, server string) json.RawMessage {
	return editJSON(params, "message", func(message string) string {
		return fmt.Sprintf("MCP server %q asks: %s", server, message)
	})
}

// editJSON changes one text member of a JSON object. What is no such object
// stays as it is, and so does every other byte.
func editJSON(object json.RawMessage, member string, change func(string) string) json.RawMessage {
	return ijson.ReplaceString(object, member, change)
}

// maxShownArguments bounds the arguments that a user is shown, in characters.
const maxShownArguments = 2000

// errDeclined is told to the model when the user did not want a call.
var errDeclined = errors.New("the user declined this call, and it was not made; do not make it again unless the user asks for it")

// confirmer returns what asks the user about a call that may write; nil when
// nobody is asked.
func (q *questions) confirmer(ask mcpserver.Ask) calls.Confirm {
	if !q.client.Elicits || q.confirm.ConfirmWrites == protocol.ConfirmNever && len(q.confirm.ConfirmWritesFor) == 0 {
		return nil
	}
	return func(ctx context.Context, d calls.Decision) (calls.Answer, error) {
		switch when := q.confirm.Confirms(d.ID.Server); {
		case when == protocol.ConfirmNever, when == protocol.ConfirmDispatched && !d.Dispatched && d.Passed() == "":
			return calls.Answer{}, nil
		}
		answer, err := ask(ctx, askElicitation, codec.Marshal(confirmation(d, remembers(d) && router.TakesFields(q.client.Name))))
		if err != nil {
			return calls.Answer{}, fmt.Errorf("the user could not be asked about this call, and it was not made: %w", err)
		}
		var reply struct {
			Action  string `json:"action"`
			Content struct {
				Ask string `json:"ask"`
			} `json:"content"`
		}
		if err := json.Unmarshal(answer, &reply); err != nil {
			return calls.Answer{}, q.unanswered(d)
		}
		switch reply.Action {
		case "accept":
			return calls.Answer{Asked: true, Always: reply.Content.Ask == askNoMore && remembers(d)}, nil
		case "decline":
			return calls.Answer{Asked: true}, q.declined(d)
		}
		return calls.Answer{}, q.unanswered(d)
	}
}

// declined is told to the model after a no. Codex (0.169) declines by itself where its
// policy is to ask nobody, as in codex exec, and its answer does not tell who it was.
func (q *questions) declined(d calls.Decision) error {
	if !strings.HasPrefix(q.client.Name, "codex") {
		return errDeclined
	}
	return fmt.Errorf("this call was declined, and it was not made: by the user, or by Codex itself, as it does where its approval policy is to ask nobody. Do not make it again unless the user asks for it. "+
		"Where the user was not asked, tell them: add %q to \"alwaysAllow\" of the server %q in winnow.json, or, for all of its tools, set winnow.gateway.confirmWritesFor.%s to \"never\"",
		d.ID.Tool, d.ID.Server, d.ID.Server)
}

// unanswered is told to the model when the client has ended a question without an
// answer, as those do that cannot show one: nobody has declined.
func (q *questions) unanswered(d calls.Decision) error {
	q.tell(protocol.ShowMessageParams{
		Type: protocol.MessageWarning, Server: d.ID.Server, Setting: "winnow.gateway.confirmWrites",
		Message: fmt.Sprintf("A call of the tool %q of the MCP server %q was not made: the client %q ended the question whether it may be made without an answer, as it does where it cannot show one.",
			d.ID.Tool, d.ID.Server, q.client.Name),
		Next: fmt.Sprintf("To allow it without a question, add %q to \"alwaysAllow\" of the server; to be asked about no tool of the server, set %q to `never` in `winnow.gateway.confirmWritesFor`, and to be asked about none at all, `winnow.gateway.confirmWrites`.", d.ID.Tool, d.ID.Server),
	})
	return fmt.Errorf("nobody has answered whether this call may be made, and it was not made: the client %q ended the question without an answer, as it does where it cannot show one. "+
		"Tell the user: the question can be answered in a session that shows it; to have none, add %q to \"alwaysAllow\" of the server %q in winnow.json, or, for all of its tools, set winnow.gateway.confirmWritesFor.%s to \"never\"",
		q.client.Name, d.ID.Tool, d.ID.Server, d.ID.Server)
}

// What the person may choose beside a yes: to be asked again, which is the default,
// or not about this tool.
const (
	askAgain  = "again"
	askNoMore = "never for this tool"
)

// remembers reports whether a yes may hold for all calls of the tool: not where a
// result of another server's is passed on.
func remembers(d calls.Decision) bool { return d.Tool != nil && d.Passed() == "" }

// confirmation is the question about a call, as params of elicitation/create. A
// client that shows no choice can be answered with a yes or no all the same. Without
// choices its form has no fields.
func confirmation(d calls.Decision, choices bool) any {
	type choice struct {
		Type        string   `json:"type"`
		Title       string   `json:"title"`
		Description string   `json:"description"`
		Enum        []string `json:"enum"`
		Default     string   `json:"default"`
	}
	type schema struct {
		Type       string            `json:"type"`
		Properties map[string]choice `json:"properties"`
	}
	asked := schema{Type: "object", Properties: map[string]choice{}}
	if choices {
		asked.Properties["ask"] = choice{
			Type: "string", Title: "Ask", Description: "Whether you are asked before later calls of this tool.",
			Enum: []string{askAgain, askNoMore}, Default: askAgain,
		}
	}
	return struct {
		Message         string `json:"message"`
		RequestedSchema schema `json:"requestedSchema"`
	}{strings.TrimSpace(fmt.Sprintf("Run the tool %q of the MCP server %q?\n%s\n%s %s", d.ID.Tool, d.ID.Server, shownArguments(d.Shown()), d.Passed(), d.Remembered(false))), asked}
}

func shownArguments(arguments json.RawMessage) string {
	var pretty bytes.Buffer
	if json.Indent(&pretty, arguments, "", "  ") != nil {
		pretty.Reset()
		pretty.Write(arguments)
	}
	text := []rune(pretty.String())
	if len(text) <= maxShownArguments {
		return string(text)
	}
	return fmt.Sprintf("%s… (%d of %d characters)", string(text[:maxShownArguments]), maxShownArguments, len(text))
}
