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

// Methods and modes by which a client can be asked.
const (
	askSampling    = "sampling/createMessage"
	askElicitation = "elicitation/create"
	askRoots       = "roots/list"
)

// modeURL is the mode of an elicitation that opens a page.
const modeURL = "url"

// questions passes requests to one client: those of servers, and Winnow's about calls.
type questions struct {
	client mcpserver.Person
	// confirm decides when the user is asked about a call that may write.
	confirm *protocol.GatewaySettings
	// tell shows the user a message.
	tell func(protocol.ShowMessageParams)
}

// passOn returns a function that passes a server's request to the client. The text of an
// elicitation is prefixed with the server's name.
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

// refusal returns an error if the client does not support a request.
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

// pages returns the pages that an error of a server requires the user to open, or nil if
// it is another error or the client cannot open pages.
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

// named prefixes the message of an elicitation with the server's name.
func named(params json.RawMessage, server string) json.RawMessage {
	return editJSON(params, "message", func(message string) string {
		return fmt.Sprintf("MCP server %q asks: %s", server, message)
	})
}

// editJSON changes one string member of a JSON object and no other byte. Anything else is
// returned unchanged.
func editJSON(object json.RawMessage, member string, change func(string) string) json.RawMessage {
	return ijson.ReplaceString(object, member, change)
}

// maxShownArguments bounds the arguments in a question, in characters.
const maxShownArguments = 2000

// errDeclined is returned to the model if the user declined a call.
var errDeclined = errors.New("the user declined this call, and it was not made; do not make it again unless the user asks for it")

// confirmer returns a function that asks the user about a call that may write, or nil if
// the user is never asked.
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

// declined returns the error for the model after a declined call. Codex (0.169) itself
// declines if its policy is to ask nobody, as in codex exec; its response is the same.
func (q *questions) declined(d calls.Decision) error {
	if !strings.HasPrefix(q.client.Name, "codex") {
		return errDeclined
	}
	return fmt.Errorf("this call was declined, and it was not made: by the user, or by Codex itself, as it does where its approval policy is to ask nobody. Do not make it again unless the user asks for it. "+
		"Where the user was not asked, tell them: add %q to \"alwaysAllow\" of the server %q in winnow.json, or, for all of its tools, set winnow.gateway.confirmWritesFor.%s to \"never\"",
		d.ID.Tool, d.ID.Server, d.ID.Server)
}

// unanswered returns the error for the model if the client cancelled a question, as
// clients do that cannot show one. The user did not decline.
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

// Choices beside a yes: to be asked again, the default, or not for this tool.
const (
	askAgain  = "again"
	askNoMore = "never for this tool"
)

// remembers reports whether a yes may apply to all calls of the tool. It may not if the
// call passes on a result of another server.
func remembers(d calls.Decision) bool { return d.Tool != nil && d.Passed() == "" }

// confirmation returns the params of elicitation/create for a call. Without choices its
// form has no fields. Clients that show no choices can still answer yes or no.
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
