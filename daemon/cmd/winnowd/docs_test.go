package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/connect"
	"github.com/winnow-mcp/winnow/daemon/engine/conversations"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/protocol"
)

// base is the root of the checkout.
var base = filepath.Join("..", "..", "..")

// userPages are README.md and the pages of extension/docs.
func userPages(t *testing.T) []string {
	t.Helper()
	pages, err := filepath.Glob(filepath.Join(base, "extension", "docs", "*.md"))
	if err != nil {
		t.Fatal(err)
	}
	return append(pages, filepath.Join(base, "README.md"))
}

// manifest is what is read of package.json.
type manifest struct {
	Engines     map[string]string
	Contributes struct {
		Commands      []struct{ Category, Title string }
		Configuration []struct{ Properties map[string]any }
	}
}

func readManifest(t *testing.T) (m manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(base, "package.json"))
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

// Every setting, command of VS Code's and file that the pages for users name exists.
func TestDocs_names(t *testing.T) {
	t.Parallel()
	m := readManifest(t)
	settings, commands := map[string]bool{"winnow.json": true, "winnow.lock.json": true}, map[string]bool{}
	for _, section := range m.Contributes.Configuration {
		for name := range section.Properties {
			for end := range len(name) + 1 { // and the group that it is in
				if name[:end] != "winnow" && (end == len(name) || name[end] == '.') {
					settings[name[:end]] = true
				}
			}
		}
	}
	for _, c := range m.Contributes.Commands {
		commands[c.Category+": "+c.Title] = true
	}
	spaces := regexp.MustCompile(`\s+`)
	kinds := []struct {
		what   string
		named  *regexp.Regexp
		exists func(page, name string) bool
	}{
		{"setting", regexp.MustCompile("`(winnow\\.[a-zA-Z.]+)[`:]"), func(_, name string) bool { return settings[strings.TrimSuffix(name, ".")] }},
		{"command", regexp.MustCompile(`_(Winnow: [^_]+)_`), func(_, name string) bool { return commands[spaces.ReplaceAllString(name, " ")] }},
		{"file", regexp.MustCompile(`\]\(([^)#:]+)[#)]`), func(page, name string) bool {
			_, err := os.Stat(filepath.Join(filepath.Dir(page), name))
			return err == nil
		}},
	}
	count := 0
	for _, page := range userPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			for _, found := range kind.named.FindAllStringSubmatch(string(text), -1) {
				if count++; !kind.exists(page, found[1]) {
					t.Errorf("%s: there is no %s %q", page, kind.what, found[1])
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("got %d names in the pages, want those that they have", count)
	}
}

// Claims of the pages for users, with what has to be so. A sentence that is not there
// any more takes its row with it.
func TestDocs_claims(t *testing.T) {
	t.Parallel()
	s, m := protocol.DefaultSettings(), readManifest(t)
	is := func(got, want any) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	}
	for _, claim := range []struct {
		page, says string
		holds      func(t *testing.T)
	}{
		{"README.md", "of the demo's 145 tools the first request carries 30 in full and 90 by name, for less than a third of the tokens", firstRequest},
		{"README.md", "window  30 for the first message, up to 10", is([2]int{s.InitialK, s.SearchK}, [2]int{30, 10})},
		{"README.md", "for each of the next, up to turn 7", is(s.SearchTurns, 7)},
		{"README.md", "the 1.26 that `go.mod` names", goVersion},
		{"README.md", "20.19 or newer", is(m.Engines["node"], ">=20.19.0")},
		{"README.md", "**VS Code** 1.106 or newer", is(m.Engines["vscode"], "^1.106.0")},
		{"clients.md", "Without a client it lists those it knows: Claude Code, Cline, Codex, Copilot, Cursor, Gemini CLI, Junie, opencode, Qwen Code, Roo and Zoo Code, VS Code, Zed", connectLists},
		{"clients.md", "The processes end ten minutes after their last client (`winnow.servers.idleMinutes`; 0 shares none)", is(s.Servers.IdleMinutes, 10)},
		{"clients.md", "(`winnow.results.programs`, off by default)", is(s.Results.Programs, false)},
		{"clients.md", "only when nothing was asked for an hour, by when the provider's cache is gone (`winnow.proxy.appendAfterMinutes`", is(s.Proxy.AppendAfterMinutes, 60)},
		{"limits.md", "for 128 chats of each workspace", is(conversations.MaxOpen, 128)},
		{"how-it-decides.md", "With `winnow.threshold` tools or fewer in scope nothing is left out. With `winnow.enabled: false` nothing is left out ever", nothingLeftOut},
	} {
		t.Run(claim.page+": "+claim.says[:min(len(claim.says), 30)], func(t *testing.T) {
			t.Parallel()
			page := filepath.Join(base, "extension", "docs", claim.page)
			if claim.page == "README.md" {
				page = filepath.Join(base, claim.page)
			}
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(strings.Join(strings.Fields(string(text)), " "), strings.Join(strings.Fields(claim.says), " ")) {
				t.Errorf("%s does not say %q any more", claim.page, claim.says)
			}
			claim.holds(t)
		})
	}
}

// firstRequest opens a task on the demo's servers with the settings as they come.
func firstRequest(t *testing.T) {
	h := enginetest.Begin(t, nil, configtest.NPMServers(t, t.TempDir()), nil)
	for _, message := range []string{"read my notes about the garden", "take a screenshot of a page"} {
		a := h.Open(message)
		if a.Counts.Scoped != 145 || a.Counts.Attached != 30 || a.Counts.Named != 90 || 3*a.Tokens.Attached >= a.Tokens.All {
			t.Errorf("%s: got %+v with %+v, want 30 and 90 of 145 tools, for less than a third", message, a.Counts, a.Tokens)
		}
	}
}

func goVersion(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(base, "go.mod"))
	if err != nil || !strings.Contains(string(text), "\ngo 1.26") {
		t.Errorf("go.mod has another version (%v)", err)
	}
}

// connectLists compares the clients with those of `winnowd connect`.
func connectLists(t *testing.T) {
	out, err := winnowd(t, "connect").CombinedOutput()
	clients := connect.Clients()
	for i := range clients {
		if err != nil || !strings.Contains(string(out), clients[i].Name) {
			t.Errorf("winnowd connect does not list %s (%v): %s", clients[i].Name, err, out)
		}
	}
	if len(clients) != 14 { // with JetBrains' assistant, which is named behind
		t.Errorf("there are %d clients, and the page names 14", len(clients))
	}
}

// nothingLeftOut attaches all tools at the threshold and where routing is off.
func nothingLeftOut(t *testing.T) {
	for tools, settings := range map[int]map[string]any{50: nil, 51: {"enabled": false}} {
		h := enginetest.Begin(t, settings, nil, nil)
		enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: enginetest.HostTools(tools)})
		if a := h.OpenRouted("send an e-mail"); a.Counts.Attached != tools {
			t.Errorf("%v: got %d of %d tools", settings, a.Counts.Attached, tools)
		}
	}
	h := enginetest.Begin(t, nil, nil, nil)
	enginetest.Call(h, h.SetHostTools, protocol.SetHostToolsParams{Source: "host", Tools: enginetest.HostTools(51)})
	if a := h.OpenRouted("send an e-mail"); a.Counts.Attached == 51 {
		t.Error("all of 51 tools are attached: the threshold says nothing")
	}
}

// Every command and flag of winnowd that the pages for users name exists.
func TestDocs(t *testing.T) {
	t.Parallel()
	pages := append(userPages(t), filepath.Join(base, "daemon", "packaging", "npm", "README.md"),
		filepath.Join(base, ".github", "ISSUE_TEMPLATE", "bug.yml"), filepath.Join(base, ".github", "CONTRIBUTING.md"))
	// In a line of code, up to its end, a comment or what is piped.
	line := regexp.MustCompile("(?m)(?:`|^|: |# )(?:npx -y |extension/bin/)?(?:winnowd|winnow-mcp) ([^`#>|\n]*)")
	count := 0
	for _, page := range pages {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range line.FindAllStringSubmatch(string(text), -1) {
			checkCommand(t, page, strings.Fields(found[1]))
			count++
		}
	}
	if count < 20 {
		t.Errorf("got %d commands in the pages, want those that they have", count)
	}
}

// checkCommand checks the words behind winnowd.
func checkCommand(t *testing.T, page string, words []string) {
	t.Helper()
	c := root()
	for i := 0; i < len(words); i++ {
		word := words[i]
		name, isFlag := strings.CutPrefix(word, "-")
		flag := c.Flag(strings.TrimLeft(name, "-"))
		switch {
		case word == "completion", word == "--": // the library adds it, and its own arguments; what is behind is another's
			return
		case isFlag && flag == nil && name != "help":
			t.Errorf("%s: %q has no flag %s, in %q", page, c.CommandPath(), word, words)
		case isFlag && flag != nil && flag.NoOptDefVal == "":
			i++ // its value
		case !isFlag && c.HasSubCommands():
			if sub := subcommand(c, word); sub != c {
				c = sub
			} else {
				t.Errorf("%s: winnowd has no command %q, in %q", page, word, words)
			}
		}
	}
}
