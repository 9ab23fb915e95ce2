package vscode

import (
	"maps"
	"regexp"
	"slices"
	"strings"

	"github.com/winnow-mcp/winnow/daemon/engine/chats"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/router"
)

// builtInServer is the server name of VS Code's own tools when they are chosen among
// those of servers.
const builtInServer = "VS Code"

// isCore reports whether a tool is one that VS Code's agent needs to read, search, edit,
// run, plan or ask. The names are those of VS Code 1.139 and of the agents of other model
// families.
func isCore(name string) bool {
	switch name {
	case "read_file", "list_dir", // read
		"grep_search", "file_search", "semantic_search", // search
		"create_file", "replace_string_in_file", "multi_replace_string_in_file", "insert_edit_into_file", "apply_patch", // edit
		"run_in_terminal", "get_terminal_output", "get_errors", // run
		"manage_todo_list", "vscode_askQuestions": // plan, ask
		return true
	}
	return false
}

// word matches a possible name of a tool in a prompt.
var word = regexp.MustCompile(`\w+`)

// namedIn returns the words of the system prompts among messages.
func namedIn(messages []protocol.MessageDigest) map[string]bool {
	words := map[string]bool{}
	for i := range messages {
		if messages[i].Role == "system" {
			for _, w := range word.FindAllString(chats.TextOf(messages[i].Parts), -1) {
				words[w] = true
			}
		}
	}
	return words
}

// rare returns the indexes of VS Code's own tools that a request need not carry under a
// choice, and that are ranked among the servers' tools.
func rare(choice protocol.BuiltInTools, o *offer, messages []protocol.MessageDigest, called router.Usage) []int {
	named := map[string]bool{}
	if choice == protocol.BuiltInRare {
		named = namedIn(messages)
	}
	var places []int
	for _, i := range o.native {
		name := o.tools[i].Name
		used := choice == protocol.BuiltInRare && called[router.ToolID{Server: builtInServer, Tool: name}] > 0
		if !isCore(name) && !named[name] && !used {
			places = append(places, i)
		}
	}
	return places
}

// choices holds, by chat, the names of VS Code's own tools that are ranked, last used
// last. A chat keeps the choice that it began with, whatever is called later, for the
// provider's cache. [Requests] guards it.
type choices struct{ chats []chosen }

type chosen struct {
	chat  string
	under protocol.BuiltInTools
	names map[string]bool
}

// of returns the indexes of the ranked tools of a chat's request.
func (c *choices) of(chat string, under protocol.BuiltInTools, o *offer, decide func() []int) []int {
	at := slices.IndexFunc(c.chats, func(k chosen) bool { return k.chat == chat && k.under == under })
	if at < 0 {
		names := map[string]bool{}
		for _, i := range decide() {
			names[o.tools[i].Name] = true
		}
		c.chats = append(c.chats, chosen{chat, under, names})
		c.chats = c.chats[max(0, len(c.chats)-maxClients):]
		at = len(c.chats) - 1
	}
	found := c.chats[at]
	c.chats = append(slices.Delete(c.chats, at, at+1), found)
	var places []int
	for _, i := range o.native {
		if found.names[o.tools[i].Name] {
			places = append(places, i)
		}
	}
	return places
}

// chooses returns the indexes of VS Code's own tools to rank among the servers' tools. It
// returns none if the user keeps them all, if nothing or everything is chosen anyway, and
// for requests of other extensions.
func (r *Requests) chooses(q *request, s *protocol.Settings) []int {
	if s.BuiltInTools == protocol.BuiltInKeep || !s.Enabled || s.SearchTurns == 0 || s.Shadow ||
		s.Strategy == protocol.StrategyDispatch || q.params.AllListed || !q.agent {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.choices.of(chatOf(q), s.BuiltInTools, q.offer, func() []int {
		return rare(s.BuiltInTools, q.offer, q.messages, r.options.Uses())
	})
}

// chatOf identifies the chat of a request: by the host's ID, else by all messages up to
// the user's last words.
func chatOf(q *request) string {
	if q.params.Conversation != "" {
		return q.params.Conversation
	}
	var chat strings.Builder
	chat.WriteString("#")
	for _, m := range q.params.Messages[:lastWords(q.messages)+1] {
		chat.WriteString(m.Digest)
	}
	return chat.String()
}

// chosenTools returns the tools at some indexes as those of a server.
func (o *offer) chosenTools(places []int) []protocol.HostTool {
	var tools []protocol.HostTool
	for _, i := range places {
		t := &o.tools[i]
		tools = append(tools, protocol.HostTool{
			Server: builtInServer, Tool: t.Name, Name: t.Name, Description: t.Description, InputSchema: t.InputSchema, BuiltIn: true,
		})
	}
	return tools
}

// withheld warns of tools that the prompt of a request names but that it does not carry.
func (q *request) withheld(attached []protocol.AttachedTool) []string {
	named := namedIn(q.messages)
	missing := map[string]bool{}
	for _, i := range q.chosen {
		if name := q.offer.tools[i].Name; named[name] {
			missing[name] = true
		}
	}
	for i := range attached {
		delete(missing, attached[i].Name)
	}
	if len(missing) == 0 {
		return nil
	}
	return []string{"VS Code's prompt names tools that the request does not carry, and the model has to load them: " +
		strings.Join(slices.Sorted(maps.Keys(missing)), ", ") + " (winnow.builtInTools)"}
}
