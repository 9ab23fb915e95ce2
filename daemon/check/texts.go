package check

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/winnow-mcp/winnow/daemon/trust/scan"
	"github.com/winnow-mcp/winnow/protocol"
	"github.com/winnow-mcp/winnow/ranker"
)

const (
	// longestName is the providers' limit. longestInVSCode is what is left of it after
	// mcp_<server>_, which VS Code cuts to 18 characters.
	longestName     = 64
	longestInVSCode = longestName - 18
	// mostTools is the limit of VS Code and OpenAI for one request.
	mostTools = 128
)

var (
	plainName = regexp.MustCompile(`^[a-zA-Z0-9_-]+$`)
	mcpName   = regexp.MustCompile(`^[a-zA-Z0-9_./-]+$`)
	nameRest  = regexp.MustCompile(`[^a-zA-Z0-9_-]+`)
)

// names checks how clients treat the names.
func (c *checker) names() {
	seen, folded, sent := map[string]bool{}, map[string]string{}, map[string]string{}
	for _, raw := range c.o.Offer.Tools {
		name := nameOf(raw)
		if name == "" || seen[name] {
			if name != "" {
				c.find("name-twice", name, fmt.Sprintf("the server lists %s twice; clients keep one of them, or refuse both", name), do("Rename or remove one."))
			}
			continue
		}
		seen[name] = true
		legal := nameRest.ReplaceAllString(name, "_")
		rename := &Fix{Do: "Rename it.", Line: legal[:min(len(legal), longestInVSCode)]}
		switch {
		case len(name) > longestName:
			c.find("name-refused", name, fmt.Sprintf("%d characters; OpenAI refuses more than %d, and clients cut there", len(name), longestName), do("Shorten the name."))
		case !mcpName.MatchString(name):
			c.find("name-refused", name, "providers take letters, digits, _ and - only", rename)
		case !plainName.MatchString(name):
			c.find("name-changed", name, "MCP allows . and /, OpenAI and Anthropic do not: clients replace them, each in its own way", rename)
		case strings.IndexByte("-0123456789", name[0]) >= 0:
			c.find("name-changed", name, "Gemini wants a letter or _ first: clients change it", do("Begin it with a letter."))
		case len(name) > longestInVSCode:
			c.find("name-changed", name, fmt.Sprintf("%d characters; VS Code puts up to 18 before it and cuts at %d, so the end is lost", len(name), longestName), do(fmt.Sprintf("Shorten it to %d.", longestInVSCode)))
		}
		cut := legal[:min(len(legal), longestInVSCode)]
		fold := strings.ReplaceAll(strings.ToLower(name), "-", "_")
		if other := sent[cut]; other != "" {
			c.find("name-twice", name, fmt.Sprintf("clients make %s of it, as of %s: one of them is lost", cut, other), do("Tell them apart in the first characters."))
		} else if other := folded[fold]; other != "" {
			c.find("name-alike", name, fmt.Sprintf("differs from %s in case or in - and _ only, which models swap", other), do("Rename one."))
		}
		sent[cut], folded[fold] = name, name
	}
	if n := len(c.tools); n > mostTools {
		c.find("too-many", "", fmt.Sprintf("%d tools; VS Code's Copilot models and OpenAI take %d in a request, those of all servers together", n, mostTools),
			do("Offer groups of tools that can be switched off, or leave some out by default."))
	}
}

// do returns a fix with an instruction only.
func do(what string) *Fix { return &Fix{Do: what} }

const (
	// cutByClaudeCode and refusedByOpenAI count characters as JavaScript does.
	cutByClaudeCode = 2048
	refusedByOpenAI = 1024
)

// length returns the length of a text in JavaScript.
func length(text string) int { return len(utf16.Encode([]rune(text))) }

// texts checks the descriptions of the tools.
func (c *checker) texts() {
	var silent, unannotated []string
	texts := map[string]string{}
	for i := range c.tools {
		t := &c.tools[i]
		name, description := t.Definition.Name, strings.TrimSpace(t.Description)
		switch n := length(t.Description); {
		case description == "":
			line := spoken(name) + "."
			c.tryDescription(i, "no-description", "it has no description", "Write one. It begins with a verb and what it is done to.", line)
		case n > cutByClaudeCode:
			c.cutDescription(i, n)
		case n > refusedByOpenAI:
			c.find("description-long", name, fmt.Sprintf("%d characters; some models of OpenAI and Azure refuse more than %d", n, refusedByOpenAI), do("Move what only some calls need into the parameters it is about."))
		}
		if other := texts[description]; other != "" && description != "" {
			c.find("same-text", name, "has the description of "+other, do("Say in the first sentence of each what the other does not do."))
		}
		texts[description] = name
		silent = append(silent, silentParameters(name, t.Description, object(t.Raw).InputSchema)...)
		if t.ReadOnly == ranker.Unsaid && t.Destructive != ranker.Yes {
			unannotated = append(unannotated, name)
		}
		if t.ReadOnly == ranker.Yes && t.Destructive == ranker.Yes {
			c.find("annotations", name, "says both that it only reads and that it destroys", do("Leave destructiveHint out where readOnlyHint is true."))
		}
		c.scanned(name, scan.Tool(t.Raw).Findings)
	}
	if len(silent) > 0 {
		c.find("no-parameter-text", "", fmt.Sprintf("nothing is said of %s", listed(silent)), do("A few words each: what it is, and an example where the form is not plain."))
	}
	if len(unannotated) > 0 {
		c.find("no-annotations", "", fmt.Sprintf("no readOnlyHint: clients ask before each call, and codex exec refuses it, of %s", listed(unannotated)),
			&Fix{Do: "Say it for those that only read.", Line: `"annotations": {"readOnlyHint": true}`})
	}
	if n := length(c.o.Offer.Instructions); n > cutByClaudeCode {
		c.find("instructions-cut", "", fmt.Sprintf("the server's instructions have %d characters; Claude Code cuts at %d, behind %s", n, cutByClaudeCode, quoted(tail(c.o.Offer.Instructions))), do("Say first what has to be read."))
	}
	for _, warning := range c.o.Offer.Warnings {
		c.find("server-warning", "", warning, nil)
	}
}

// silentParameters returns the undescribed parameters of a tool: they and all within them
// have no description, their values are not listed, and the tool's description does not
// name them.
func silentParameters(tool, description string, schema json.RawMessage) (silent []string) {
	said := map[string]bool{}
	var properties []string
	walk(decode(schema), func(n *node) {
		text, _ := n.members["description"].(string)
		_, values := n.members["enum"]
		_, value := n.members["const"]
		if strings.TrimSpace(text) != "" || values || value {
			for path := n.path; path != "" && !said[path]; path = path[:max(0, strings.LastIndexByte(path, '.'))] {
				said[path] = true
			}
		}
		if n.required || n.optional {
			properties = append(properties, n.path)
		}
	})
	for _, path := range properties {
		if at := tool + "." + path; !said[path] && !strings.Contains(description, lastName(path)) && !slices.Contains(silent, at) {
			silent = append(silent, at)
		}
	}
	return silent
}

// scanned reports what a person should review.
func (c *checker) scanned(tool string, found []protocol.Finding) {
	for _, f := range found {
		where := ""
		if !slices.Contains([]string{"", "description", "name"}, f.Where) {
			where = " (" + f.Where + ")"
		}
		switch f.Kind {
		case protocol.FindingHidden:
			c.find("hidden-text", tool, "holds characters that nobody sees"+where+": "+quoted(f.Text), do("Remove them."))
		case protocol.FindingAddresses:
			c.find("speaks-to-model", tool, "reads like an order to the model"+where+": "+quoted(f.Text), do("Say what the tool does and needs, not what the model has to do."))
		case protocol.FindingReadOnlyName:
			c.find("annotations", tool, "says that it only reads, and its name that it changes something", do("Correct readOnlyHint, or the name."))
		}
	}
}

// tail returns the end of what Claude Code keeps.
func tail(text string) string {
	units := utf16.Encode([]rune(text))
	kept := string(utf16.Decode(units[:min(len(units), cutByClaudeCode)]))
	return kept[max(0, strings.LastIndexByte(kept[:max(0, len(kept)-40)], ' ')+1):]
}

// quoted returns the beginning of a text on one line.
func quoted(text string) string {
	const most = 100
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return "“" + text + "”"
}

// listed names the first of several things and counts them.
func listed(names []string) string {
	const most = 4
	if len(names) <= most {
		return strings.Join(names, ", ")
	}
	return fmt.Sprintf("%s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}

// firstSentence returns a text up to the end of its first sentence or line.
func firstSentence(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	if end := strings.Index(line, ". "); end >= 0 {
		line = line[:end+1]
	}
	return line
}
