package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnow-mcp/winnow/daemon/config/configtest"
	"github.com/winnow-mcp/winnow/daemon/connect"
	"github.com/winnow-mcp/winnow/daemon/engine/conversations"
	"github.com/winnow-mcp/winnow/daemon/engine/enginetest"
	"github.com/winnow-mcp/winnow/daemon/faces/gateway/relay"
	programs "github.com/winnow-mcp/winnow/daemon/program"
	"github.com/winnow-mcp/winnow/daemon/results"
	"github.com/winnow-mcp/winnow/protocol"
)

// claim is a sentence of a page for users that a command can check.
type claim struct {
	page, says string
	// shown names what checks it: tests of a package, as "daemon/program
	// TestRun, TestAsk", or the title of one in a suite of the extension's, as
	// "extension/test/exthost/gating.suite.ts: what the server excludes".
	shown string
	// holds checks it here, where no other test does.
	holds func(t *testing.T)
}

// Claims of the pages for users, with what has to be so. A sentence that is not there
// any more takes its row with it, and so does a test that is gone.
func TestDocs_claims(t *testing.T) {
	t.Parallel()
	pages := map[string]string{}
	for _, page := range userPages(t) {
		text, err := os.ReadFile(page)
		if err != nil {
			t.Fatal(err)
		}
		pages[filepath.Base(page)] = words(string(text))
	}
	for _, c := range append(checkedHere(t), shownElsewhere()...) {
		t.Run(c.page+": "+c.says[:min(len(c.says), 30)], func(t *testing.T) {
			t.Parallel()
			if !strings.Contains(pages[c.page], words(c.says)) {
				t.Errorf("%s does not say %q any more", c.page, c.says)
			}
			if c.holds != nil {
				c.holds(t)
			}
			if missing := missingTests(c.shown); len(missing) > 0 || c.holds == nil && c.shown == "" {
				t.Errorf("%q is shown by nothing: there is no %q", c.says, missing)
			}
		})
	}
}

// Each sentence of a page with a number or with `code` in it, and each such row of a
// table, has a row among the claims, or stands with the reason among those that no
// command can check.
func TestDocs_sentences(t *testing.T) {
	t.Parallel()
	rows := append(checkedHere(t), shownElsewhere()...)
	for _, page := range userPages(t) {
		name := filepath.Base(page)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			text, err := os.ReadFile(page)
			if err != nil {
				t.Fatal(err)
			}
			var without []string
			needed := map[string]bool{}
			for _, sentence := range checkable(string(text)) {
				about := func(says string) bool { return overlap(words(string(text)), sentence, words(says)) }
				if slices.ContainsFunc(rows, func(c claim) bool { return c.page == name && about(c.says) }) {
					continue
				}
				i := slices.IndexFunc(uncheckable, func(u reason) bool { return u.page == name && about(u.says) })
				if i < 0 {
					without = append(without, sentence)
				} else {
					needed[uncheckable[i].says] = true
				}
			}
			if len(without) > 0 {
				t.Errorf("%d sentences that a command could check have no row:\n%s", len(without), strings.Join(without, "\n"))
			}
			for _, u := range uncheckable {
				if u.page == name && !needed[u.says] {
					t.Errorf("no sentence needs the reason of %q", u.says)
				}
			}
		})
	}
}

// reason says why no command can check a sentence of a page.
type reason struct{ page, says, why string }

// Parts of a page that are no sentences of its own: code, what is generated (a test
// of `protocol` compares it), headings and the heads of tables.
var (
	noSentences = regexp.MustCompile("(?ms)^ *```.*?^ *```$|<!-- \\w+: generated.*?<!-- end of \\w+ -->|^#[^\n]*$|^\\|[^\n]*\n\\| ?:?---[^\n]*$")
	blocks      = regexp.MustCompile(`\n\s*\n|\n(?:\| | *- | *\d+\. )`)
	marker      = regexp.MustCompile(`^\s*(?:-|\d+\.) `)
	canChecked  = regexp.MustCompile("[0-9`]")
	sentenceEnd = regexp.MustCompile(`[.!?][)”_]*$`) // a title in bold letters belongs to what follows
	startsNew   = regexp.MustCompile("^[A-Z_*`“(\\[]")
)

// checkable returns the sentences and rows of tables of a page with a number or with
// code in them.
func checkable(page string) (sentences []string) {
	for _, block := range blocks.Split("\n"+noSentences.ReplaceAllString(page, "\n\n"), -1) {
		var sentence []string
		all := strings.Fields(marker.ReplaceAllString(block, ""))
		for i, word := range all {
			sentence = append(sentence, word)
			last := i == len(all)-1
			if !last && (strings.HasSuffix(block, "|") || !sentenceEnd.MatchString(word) || !startsNew.MatchString(all[i+1])) {
				continue
			}
			if text := strings.Join(sentence, " "); canChecked.MatchString(text) {
				sentences = append(sentences, text)
			}
			sentence = nil
		}
	}
	return sentences
}

// overlap reports whether two parts of a text share any of it.
func overlap(text, a, b string) bool {
	i, j := strings.Index(text, a), strings.Index(text, b)
	return i >= 0 && j >= 0 && i < j+len(b) && j < i+len(a)
}

// words is a text in which white space counts as one space.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// missingTests returns those of the tests of [claim] that are not there.
func missingTests(shown string) (missing []string) {
	if file, title, ok := strings.Cut(shown, ": "); ok {
		text, err := os.ReadFile(filepath.Join(base, filepath.FromSlash(file)))
		if err != nil || !strings.Contains(string(text), title) {
			return []string{shown}
		}
		return nil
	}
	folder, tests, _ := strings.Cut(shown, " ")
	files, _ := filepath.Glob(filepath.Join(base, filepath.FromSlash(folder), "*_test.go"))
	var all strings.Builder
	for _, file := range files {
		text, _ := os.ReadFile(file)
		all.Write(text)
	}
	for _, test := range strings.Split(tests, ", ") {
		if test != "" && !strings.Contains(all.String(), "func "+test+"(t *testing.T)") {
			missing = append(missing, folder+" "+test)
		}
	}
	return missing
}

// checkedHere are the claims that are checked in this file: what stands in a
// constant, in a default or in another file, and what a short run shows.
func checkedHere(t *testing.T) []claim {
	s, m := protocol.DefaultSettings(), readManifest(t)
	is := func(got, want any) func(*testing.T) {
		return func(t *testing.T) {
			t.Helper()
			if got != want {
				t.Errorf("got %v, want %v", got, want)
			}
		}
	}
	row := func(page, says string, holds func(t *testing.T)) claim {
		return claim{page: page, says: says, holds: holds}
	}
	return []claim{
		row("README.md", "of the demo's 145 tools the first request carries 30 in full and 90 by name, for less than a third of the tokens", firstRequest),
		row("README.md", "window  30 for the first message, up to 10", is([2]int{s.InitialK, s.SearchK}, [2]int{30, 10})),
		row("README.md", "for each of the next, up to turn 7", is(s.SearchTurns, 7)),
		row("README.md", "the 1.26 that `go.mod` names", fileHas("go.mod", "\ngo 1.26")),
		row("README.md", "20.19 or newer", is(m.Engines["node"], ">=20.19.0")),
		row("README.md", "**VS Code** 1.106 or newer", is(m.Engines["vscode"], "^1.106.0")),
		row("clients.md", "Without a client it lists those it knows: Claude Code, Cline, Codex, Copilot, Cursor, Gemini CLI, Junie, opencode, Qwen Code, Roo and Zoo Code, VS Code, Zed", connectLists),
		row("clients.md", "VS Code's entry is written into `.mcp.json`, which it reads beside its own `.vscode/mcp.json` and shares with Claude Code", connectVSCode),
		row("clients.md", "The processes end ten minutes after their last client (`winnow.servers.idleMinutes`; 0 shares none)", is(s.Servers.IdleMinutes, 10)),
		row("clients.md", "(`winnow.results.programs`, off by default)", is(s.Results.Programs, false)),
		row("clients.md", "ends after five minutes (without the time in which you are asked), a million steps, 50 calls or 64 MB of data", is(programLimits(), "5m0s 1000000 50 64")),
		row("clients.md", "or hangs for two seconds, the client goes on with the next daemon", is(relay.DefaultPatience, 2*time.Second)),
		row("clients.md", "the whole is kept with the task for 24 hours", is(results.DefaultMaxAge, 24*time.Hour)),
		row("clients.md", "only when nothing was asked for an hour, by when the provider's cache is gone (`winnow.proxy.appendAfterMinutes`", is(s.Proxy.AppendAfterMinutes, 60)),
		row("clients.md", "With `winnow.gateway.mode: auto`", is(s.Gateway.Mode, protocol.GatewayAuto)),
		row("README.md", "which `npm run build` leaves at `extension/bin/winnowd`", fileHas("extension/scripts/build.mjs", `path.join(root, "extension", "bin", process.platform === "win32" ? "winnowd.exe" : "winnowd")`)),
		row("clients.md", "each with `-json`, and `winnowd completion SHELL` for your shell", forPrograms),
		row("team.md", "The record has no partitions and is not pruned", neverPruned),
		row("limits.md", "for 128 chats of each workspace", is(conversations.MaxOpen, 128)),
		row("trust.md", "With `winnow.lock` at `warn`, the default", is(s.Lock, protocol.LockWarn)),
		row("trust.md", "The text of arguments is kept with `winnow.journal.arguments` only", is(s.Journal.Arguments, false)),
		row("vscode.md", "Routed models for Copilot's own are offered only with `winnow.routedModels.copilot`", is(s.RoutedModels.Copilot, false)),
		row("vscode.md", "without an answer it is skipped after five minutes", fileHas("extension/src/base/question.ts", "questionTimeout = 5 * 60_000")),
		row("how-it-decides.md", "With `winnow.threshold` tools or fewer in scope nothing is left out. With `winnow.enabled: false` nothing is left out ever", nothingLeftOut),
	}
}

// shownElsewhere are the claims that a test of the package that keeps them, or a
// suite of the extension's, shows.
func shownElsewhere() []claim {
	return []claim{
		// README.md
		{page: "README.md", says: "Within a task nothing is reordered, so what was sent once stays in the prompt cache", shown: "router TestTask_WindowNeverTakesBack"},
		{page: "README.md", says: "Whatever else the task turns out to need, the model loads by asking", shown: "router TestView_LoadAnyTurn"},
		{page: "README.md", says: "A checkbox switches a server or a tool off, in the file itself", shown: "extension/test/ui/servers.ui.ts: its checkbox disables it in the person's file and ends it"},
		{page: "README.md", says: "What another client's file or a workspace defines starts only after you have seen it and said yes", shown: "daemon/engine/workspace TestConsent, TestTrust"},
		{page: "README.md", says: "For each task you see which tools went along, one sentence each on why, what was left out", shown: "daemon/engine/turns TestTasks_explain"},
		{page: "README.md", says: "what that saved against what your client would have sent", shown: "router TestView_Client"},
		{page: "README.md", says: "`npm start` makes a temporary folder with a few notes, starts six real MCP servers in it", shown: "extension/demo/demo.e2e.test.ts: npm start -- --json routes a task over real servers and calls a tool"},
		{page: "README.md", says: "`--no-editor` leaves that out. It removes everything when it ends", shown: "extension/demo/demo.e2e.test.ts: Ctrl-C leaves no process and no folder behind"},
		{page: "README.md", says: "TypeScript; knows what is generated from protocol, and decides nothing", shown: "protocol/arch TestExtensionDecidesNothing"},
		{page: "README.md", says: "145 tools", shown: "extension/demo/demo.e2e.test.ts: README.md does not say"},
		{page: "README.md", says: "npm test -- --list", shown: "extension/scripts/scripts.test.ts: npm test -- --list names the steps"},
		{page: "README.md", says: "makes the VSIX of this machine in `out/`", shown: "extension/scripts/package.e2e.test.ts: a VSIX has a daemon that runs, what it needs, nothing else, and the same bytes each time"},
		{page: "README.md", says: "-undo takes it out again", shown: "daemon/connect TestConnect_everyClient, TestConnect_keepsTheRest"},
		{page: "README.md", says: "which servers there are, what is wrong, what to do", shown: "daemon/faces/terminal TestDoctor, TestDoctor_brokenFile"},
		{page: "README.md", says: "The npm package `winnow-mcp`, which brings `winnowd` by `npx` without a clone, is built and tested here", shown: "extension/scripts/release.e2e.test.ts: npx answers a client without Go"},

		// how-it-decides.md
		{page: "how-it-decides.md", says: "`onlyAllow` (which wins over `disabledTools`), then the mode's `allowedMcpServers` (which wins over `blockedMcpServers`)", shown: "router TestScope_Rules"},
		{page: "how-it-decides.md", says: "A tool out of scope is not listed, found, loaded or called, in whatever way tools are chosen", shown: "router TestScope_HoldsEverywhere"},
		{page: "how-it-decides.md", says: "One that a task's model was sent before stays in its requests as it was, for the prompt cache, and is not called", shown: "daemon/faces/proxy TestAlone_forbiddenLater"},
		{page: "how-it-decides.md", says: "where all tools are attached it leaves with the next message", shown: "router TestView_AllDropsWhatLeft"},
		{page: "how-it-decides.md", says: "The same tools and the same words give the same order, byte for byte", shown: "ranker TestRank_SameAnswerEveryTime"},
		{page: "how-it-decides.md", says: "every score can be explained", shown: "ranker TestRank_PartsAddUpAndExplainChangesNothing"},
		{page: "how-it-decides.md", says: "each step that it names", shown: "ranker TestFusion_EveryStepGetsItsTools"},
		{page: "how-it-decides.md", says: "a picture of the page is a screenshot", shown: "ranker/static TestEmbed_KnowsMeanings"},
		{page: "how-it-decides.md", says: "a provider of your own (`winnow.embeddings`) can take its place", shown: "daemon/engine/embeddings TestEmbeddings_providerRanksAndFallsBack"},
		{page: "how-it-decides.md", says: "names of files and dependencies in a trusted folder, no more", shown: "daemon/engine/folder TestFolder, TestFolder_follows"},
		{page: "how-it-decides.md", says: "behind the gateway the roots that the client names count before the workspace's", shown: "daemon/faces/gateway TestCalls_roots"},
		{page: "how-it-decides.md", says: "the next `winnow.named` are named in the description of `mcp_load`, a line each", shown: "router TestView_Named"},
		{page: "how-it-decides.md", says: "Each of the next messages adds its best `winnow.searchK`; after `winnow.searchTurns` turns messages add no more", shown: "router TestView_Window, TestView_WindowStaysFrozen"},
		{page: "how-it-decides.md", says: "Within a task nothing is removed, reordered or changed, so the model's prompt cache stays warm: also where an answer is asked for again, a message is edited or a conversation branches", shown: "daemon/engine/conversations TestPlace_branches"},
		{page: "how-it-decides.md", says: "Only when the client puts a summary in place of what was said, the tools are chosen afresh", shown: "router TestView_Compact"},
		{page: "how-it-decides.md", says: "the free places go to the tools you use most, and then to the servers in turn", shown: "router TestView_FillRule"},
		{page: "how-it-decides.md", says: "brings the servers you used last, and none at random", shown: "router TestView_SaysNothing"},
		{page: "how-it-decides.md", says: "one that sounds like a question to the model itself brings a third as many", shown: "router TestView_WantsWords"},
		{page: "how-it-decides.md", says: "up to `winnow.maxTools` and `winnow.budgetTokens`", shown: "router TestView_MaxTools, TestView_Budget"},
		{page: "how-it-decides.md", says: "A tool that it calls without having it attached is run and attached (`winnow.earlyCall`)", shown: "router TestView_EarlyCall"},
		{page: "how-it-decides.md", says: "What it had to fetch itself ranks higher for the next message like this one", shown: "daemon/engine/learned TestLearned_aLoadByName, TestLearned_clearLeavesNothingOnTheDisk"},
		{page: "how-it-decides.md", says: "no log above debug level holds it", shown: "daemon/faces/gateway/mcpserver TestServer_logsNothingThatWasTyped"},

		// clients.md: one server for every client
		{page: "clients.md", says: "keeps everything else in it and takes it out again with `-undo`", shown: "daemon/connect TestConnect_keepsTheRest, TestUndo_changedSince"},
		{page: "clients.md", says: "If a daemon of the same folder runs, such as VS Code's, the client joins it", shown: "daemon TestMCP_joinsTheRunningDaemon"},
		{page: "clients.md", says: "Either way a program that several would start alike runs once", shown: "daemon TestHolder_editors"},
		{page: "clients.md", says: "and for each client where it keeps what belongs to one conversation", shown: "daemon/cmd/winnowd TestHolder_share"},
		{page: "clients.md", says: "or by `winnowd stop`", shown: "daemon/cmd/winnowd TestHolder"},
		{page: "clients.md", says: "stops as long after its last call while clients are there, too, and starts again when it is called", shown: "daemon/upstream TestAsleep, TestAsleep_processes"},
		{page: "clients.md", says: "its tools, prompts and resources stay listed meanwhile", shown: "daemon/faces/gateway TestOffers_asleep"},
		{page: "clients.md", says: "or that has changed its tools since its start does not stop", shown: "daemon/upstream TestAsleep_not"},
		{page: "clients.md", says: "`WINNOW_SHARE=off` in the environment of one `winnowd` keeps that one to itself", shown: "daemon/cmd/winnowd TestHolder_off"},
		{page: "clients.md", says: "choose _Restart Server_, which starts it anew for all of them", shown: "daemon TestHolder_editors"},
		{page: "clients.md", says: "The path in the entry is a launcher's, `winnow/bin/winnowd` in your configuration folder, which does not change", shown: "daemon/launcher TestEnsure, TestEnsure_npx, TestProgram_homebrew"},
		{page: "clients.md", says: "what each server and each of its tools costs, as known; -start starts them first", shown: "daemon/faces/terminal TestServers, TestServers_known"},
		{page: "clients.md", says: "which tools a task gets, and why; -tool SERVER/TOOL why not", shown: "daemon/faces/terminal TestWhy, TestWhy_not"},
		{page: "clients.md", says: "starts that server alone; asks before a tool that may write", shown: "daemon/faces/terminal TestCall_alone, TestCall"},
		{page: "clients.md", says: "every yes that is remembered, since when; revoke ID takes one back", shown: "daemon/faces/terminal TestApprovals"},
		{page: "clients.md", says: "Alone, nobody can be asked, so it starts your own servers", shown: "daemon/faces/gateway TestAlone_startsNothingUntrusted, TestAlone_consent"},
		{page: "clients.md", says: "`-settings FILE` takes settings as JSON, and is followed while it changes, as `settings` in `winnow.json` is", shown: "daemon/engine TestEngine_settingsOfFiles"},
		{page: "clients.md", says: "has the text to paste for each client, by process and by address", shown: "daemon/faces/gateway TestAddress_snippets, TestProcessSnippets"},
		{page: "clients.md", says: "(at most 800 tokens for 20 servers, whatever they offer)", shown: "router TestDispatch_isFlatInTheNumberOfTools"},
		{page: "clients.md", says: "what is found is described with its schema, to be called by `mcp_call` at once: the list does not grow", shown: "daemon/faces/gateway TestGateway_dispatch, TestGateway_dispatchNeverGrows"},
		{page: "clients.md", says: "it calls only tools whose server says that they read, and which you have approved, let run or named in `alwaysAllow`", shown: "daemon/engine/calls TestRead"},
		{page: "clients.md", says: "get `mcp_load`, `mcp_call` and `mcp_read`, and what their model loads joins the list", shown: "daemon/faces/gateway TestGateway_dynamicLoadsAndAppends, TestTools_remembersWhoListsAgain"},
		{page: "clients.md", says: "which has no sessions, share one list that does not grow", shown: "daemon/faces/gateway TestShared"},
		{page: "clients.md", says: "a question in the middle of a call comes to them as `input_required`", shown: "daemon/faces/gateway/clienttest TestGoSDK_withoutSessionsIsAsked"},
		{page: "clients.md", says: "Nothing waits for a server whose tools are known of earlier runs", shown: "daemon/faces/gateway TestGateway_answersFromWhatIsKnown"},
		{page: "clients.md", says: "only what nothing known can answer waits, for ten seconds at the most", shown: "daemon/faces/gateway TestTools_unknown, TestTools_searchAgain, TestTools_searchOfBusy"},
		{page: "clients.md", says: "the client goes on with the next daemon or with servers of its own", shown: "daemon TestMCP_survivesTheDaemon, TestMCP_joinsTheNextDaemon, TestMCP_leavesADaemonThatHangs"},
		{page: "clients.md", says: "a call under way is answered with “may have run” and is not repeated", shown: "daemon TestMCP_survivesTheDaemon"},
		{page: "clients.md", says: "requests without the token, from a web page or under another host name are refused", shown: "daemon/faces/gateway TestAddress_authorization"},
		{page: "clients.md", says: "so is another user at the socket by which clients join", shown: "daemon/socket TestAttack_aSecondUserIsNotLetIn"},
		{page: "clients.md", says: "with subscriptions and completion; progress, cancellation, logs, `_meta` and output schemas pass unchanged", shown: "daemon/faces/gateway TestPass_subscriptions, TestPass_completions, TestCalls_progress, TestGateway_cancels, TestPass_logs, TestPass_meta, TestGateway_passesThrough"},
		{page: "clients.md", says: "the question goes to the client that made the call, with the server's name", shown: "daemon/faces/gateway TestCalls_questions, TestPass_whatServersAsk"},
		{page: "clients.md", says: "calls of different clients and conversations go to it one after another, and who waits is told so", shown: "daemon/faces/gateway TestPass_asksOneAfterAnother"},
		{page: "clients.md", says: "A call by `mcp_call` that may write is put to you first, where the client can ask", shown: "daemon/faces/gateway TestConfirmer, TestConfirm"},
		{page: "clients.md", says: "the question offers _never for this tool_, which is `alwaysAllow` of the server's entry", shown: "daemon/faces/gateway TestConfirm_always"},
		{page: "clients.md", says: "A client that ends the question without an answer has not declined: the call is not made", shown: "daemon/faces/gateway TestConfirmer_question"},

		// clients.md: results
		{page: "clients.md", says: "**Long results**, errors too, are cut to `winnow.results.maxChars` in every mode", shown: "daemon/engine/calls TestResults_theLimitHoldsInEveryMode, TestResults_errorsCount"},
		{page: "clients.md", says: "the model reads on by `mcp_result`: by offset, lines, a regular expression or a JSONPath, which is followed in the text that is JSON, or else in the structured content", shown: "daemon/results TestRead, TestRead_whatPathsAddress, TestRead_jsonPathPagesThroughAll"},
		{page: "clients.md", says: "What a cut result offers was tried on that result", shown: "daemon/results/shaping TestShape_longStringInside"},
		{page: "clients.md", says: "A client that knows an output schema gets structured content that still fits it", shown: "daemon/results/shaping TestShape_structuredKeepsMembers"},
		{page: "clients.md", says: "Images and audio have a limit of their own (`winnow.results.maxMediaChars`)", shown: "daemon/engine/calls TestResults_images"},
		{page: "clients.md", says: "Claude Code is told with each tool how long its results are (`anthropic/maxResultSizeChars`)", shown: "daemon/faces/gateway TestTools_howLongResultsAre"},
		{page: "clients.md", says: "A result of more than 600 bytes that stands above in the same request is named there", shown: "daemon/engine/chats TestRepeats"},
		{page: "clients.md", says: "may be `{\"$from\": \"<handle>\"}`, a part of it by `path` (a JSONPath), `lines` or `match`", shown: "daemon/engine/calls TestReferences, TestReferences_bounds"},
		{page: "clients.md", says: "What one server answered goes to another after you were asked, who sees what goes where", shown: "daemon/engine/calls TestReferences_destinations"},
		{page: "clients.md", says: "in the chat where you allow it there, in this folder where you allow it always", shown: "daemon/engine/calls TestPasses_task, TestPasses_revoke"},
		{page: "clients.md", says: "Each call in it is made as any other: in scope, checked by its schema, held by the lock, recorded under its own name", shown: "daemon/engine/calls TestProgram, TestProgram_unasked"},
		{page: "clients.md", says: "An error names the line, and the calls made before it", shown: "daemon/program TestRun, TestRun_bounded"},
		{page: "clients.md", says: "are masked where it sends them back (`winnow.results.maskSecrets`)", shown: "daemon/upstream/clean TestRedactor_mask"},
		{page: "clients.md", says: "Each call leaves a line in [the record]", shown: "daemon/engine TestJournal"},
		{page: "clients.md", says: "is asked about each of them, in chats and by the proxy, with `{\"message\": …}`", shown: "daemon/engine/gating TestGating_anySource, TestGating_needsAYes"},
		{page: "clients.md", says: "What it excludes is not attached for this message; a claim answers the message without the model, when you allow it", shown: "extension/test/exthost/gating.suite.ts: a claim of a tool that only reads answers in the model's place, without a question"},
		{page: "clients.md", says: "It cannot touch another server's tools, or what is pinned or attached already", shown: "router TestGating_whatAServerMayNot"},
		{page: "clients.md", says: "Servers that VS Code runs are not asked", shown: "daemon/engine/gating TestGating_anySource"},

		// clients.md: the proxy
		{page: "clients.md", says: "writes the address into your own file of the client, where nothing else says it", shown: "daemon/connect TestModel, TestModel_undo"},
		{page: "clients.md", says: "It ends with the last `-undo`, or by `winnowd stop`. `winnowd mcp` starts it again", shown: "daemon/cmd/winnowd TestProxy_background"},
		{page: "clients.md", says: "“Tried” means: the client itself, with five servers of its own, before a scripted model in place of the provider", shown: "extension/test/agents/proxy.agents.ts: with five servers"},
		{page: "clients.md", says: "`mcp_load` is answered here and never seen by the client, and later requests get that exchange put back", shown: "daemon/faces/proxy TestHandler_Load"},
		{page: "clients.md", says: "Of ten turns with the demo's tools, one `mcp_load` among them, a model receives, in o200k tokens", shown: "daemon/faces/proxy TestReal"},
		{page: "clients.md", says: "`deferTools` marks what is not attached for the provider's own tool search, and does not leave it out", shown: "daemon/faces/proxy TestHandler_Defers"},
		{page: "clients.md", says: "What a rule of yours forbids is cut also where nothing is chosen", shown: "daemon/faces/proxy TestAlone_forbidden"},
		{page: "clients.md", says: "From what is not understood, or has nothing to cut, no byte changes", shown: "daemon/faces/proxy TestHandler_PassesBytes"},
		{page: "clients.md", says: "Bodies packed by gzip or zstd are unpacked for it", shown: "daemon/faces/proxy TestHandler_packed"},
		{page: "clients.md", says: "A request has a minute to come and 64 MiB, and all that are held 256 MiB", shown: "daemon/faces/proxy TestHandler_bodiesAreBounded"},
		{page: "clients.md", says: "its status is the client's if nothing was sent before, and else the error is told as the format has it", shown: "daemon/faces/proxy TestHandler_ProviderErrors, TestHandler_breaksOff"},
		{page: "clients.md", says: "Keys pass through and are neither stored nor logged; only this machine is served", shown: "daemon/faces/proxy TestHandler_LogsNoSecret, TestListen_LoopbackOnly"},
		{page: "clients.md", says: "An endpoint that a workspace's file names is served after you have agreed to its very address", shown: "daemon/faces/proxy TestAlone_workspaceEndpoint"},
		{page: "clients.md", says: "`requests` are the client's, `rounds` the proxy's own after `mcp_load`", shown: "daemon/faces/proxy TestLedger, TestAlone_counts"},

		// files.md
		{page: "files.md", says: "Winnow reads what you already have, unchanged", shown: "daemon/config TestSources"},
		{page: "files.md", says: "Workspace before user, Winnow's own file before the others, then the order of the table", shown: "daemon/config TestMerge_Archives"},
		{page: "files.md", says: "work in an entry of any of these files", shown: "daemon/config TestPolicy_EveryDialect"},
		{page: "files.md", says: "but `kilo.json`, which Kilo Code refuses over a key that it does not know", shown: "daemon/config TestEdit_strictClient"},
		{page: "files.md", says: "**Consent** is to what starts: the program as it is found, its arguments, working directory, `envFile` with its content", shown: "daemon/config TestStartOf_Hash, TestStartOf_everyField"},
		{page: "files.md", says: "each of several shown with its whole command line and chosen on its own", shown: "daemon/display TestConsentChoices"},
		{page: "files.md", says: "What is added or changed later asks again and shows what has changed", shown: "daemon/engine/workspace TestConsent_isToContent"},
		{page: "files.md", says: "Before trust or consent nothing in an entry counts: no rule, no `alwaysAllow`, and your own server of that name goes on", shown: "daemon/engine/workspace TestConsent_hasNoEffectBefore, TestRules_ofOthers"},
		{page: "files.md", says: "a file of your own once for all folders", shown: "daemon/engine/workspace TestConsent_everywhere"},
		{page: "files.md", says: "Of windows that decide at the same time none loses an answer", shown: "daemon/config TestConsents_twoAtOnce"},
		{page: "files.md", says: "A program that was missing when you agreed is not started when it appears: you are asked again", shown: "daemon/engine/workspace TestConsent_missingProgram"},
		{page: "files.md", says: "A workspace's file, and another client's, may be stricter than yours and never laxer, but for what you have agreed to where it was shown as such", shown: "daemon TestRules_everyFace"},
		{page: "files.md", says: "Any file that counts may take away; the strictest wins", shown: "daemon/config TestMerge_everyKey, TestMerge_everyKeyOfModes"},
		{page: "files.md", says: "The stricter of the user's and the workspace's counts.", shown: "daemon/engine/settings TestApply_scopes"},
		{page: "files.md", says: "A broken file keeps its last good content; an entry that is wrong does not take the others with it", shown: "daemon/config TestWatcher_LastGood, TestBadEntryAlone"},
		{page: "files.md", says: "A key that Winnow does not know is reported, never ignored", shown: "daemon/config TestUnknownKeys"},
		{page: "files.md", says: "Of more than 1,000 servers the first 1,000 count", shown: "daemon/config TestMerge_TooManyServers"},
		{page: "files.md", says: "running tasks see them at their next turn", shown: "extension/src/routing/respond.e2e.test.ts: settings take effect at the next turn"},

		// trust.md
		{page: "trust.md", says: "Where only words changed, models are told the words that you know; a tool whose parameters or results changed is held back", shown: "daemon/engine/toollock TestToolLock_texts, TestToolLock_schema"},
		{page: "trust.md", says: "where the server says something else by then, you are asked to look again", shown: "daemon/engine/toollock TestKeeper_answerToWhatWasShown"},
		{page: "trust.md", says: "After a change `alwaysAllow` has to be given anew; going back to what you approved asks nothing", shown: "daemon/engine/toollock TestToolLock_questions, TestKeeper_returned"},
		{page: "trust.md", says: "models get it at once, unless it is named like something that is there or its words are flagged: then it waits until you have looked", shown: "daemon/engine/toollock TestKeeper_joined, TestKeeper_joinedOthers"},
		{page: "trust.md", says: "With `enforce` only what you approved, or what the workspace's lock lists, is attached, found, loaded or called", shown: "daemon/faces/lockfile TestLock_enforce"},
		{page: "trust.md", says: "before that they are neither listed nor read", shown: "daemon/faces/gateway TestToolLock_resourcesEnforced"},
		{page: "trust.md", says: "it skips a question once you have let the tool run, or approved of it", shown: "daemon/engine/calls TestPolicy"},
		{page: "trust.md", says: "list every yes that is remembered, with since when", shown: "daemon/engine/approvals TestApprovals, TestApprovals_since"},
		{page: "trust.md", says: "takes it back, also for sessions that run", shown: "daemon/engine/approvals TestApprovals_revokedElsewhere"},
		{page: "trust.md", says: "stands there with that client's name", shown: "daemon/engine/workspace TestImport_alwaysAllow, TestImport_claudeUnasked"},
		{page: "trust.md", says: "what a default does differently since is told once", shown: "daemon/engine/workspace TestConsent_ofTheOldVersion"},
		{page: "trust.md", says: "a hash of each tool's and prompt's texts, schemas and annotations", shown: "daemon/trust/lock TestTool_Canonical, TestCompare"},
		{page: "trust.md", says: "`winnowd lock -forget SERVER` makes your own lock forget a server", shown: "daemon/faces/lockfile TestLock_forget"},
		{page: "trust.md", says: "0: as locked, 1: not, 2: could not be found out", shown: "daemon/cmd/winnowd TestActionsExample, TestVerify_unproved"},
		{page: "trust.md", says: "winnowd verify -capture offers.json", shown: "daemon/faces/lockfile TestLock_capture"},
		{page: "trust.md", says: "A call that may write is recorded before it is made; where no end follows, because the daemon was killed, it ends as `unknown`", shown: "daemon/engine TestJournal_intent"},
		{page: "trust.md", says: "at 8 MiB it is put aside, and four such are kept", shown: "daemon/journal TestFiles, TestJournal_Rotates"},
		{page: "trust.md", says: "each entry is sent there too, as an OpenTelemetry span by OTLP over HTTP with protobuf", shown: "daemon/journal/otlp TestExporter, TestOpen"},
		{page: "trust.md", says: "Nothing waits for a collector", shown: "daemon/journal/otlp TestExporter_collectorInTheWay, TestExporter_closeHasAnEnd"},
		{page: "trust.md", says: "Its home and `/tmp` are empty and its own; it has no network, sees no other process", shown: "daemon/upstream TestSandbox"},
		{page: "trust.md", says: "no capability, also where Winnow runs as root", shown: "daemon/upstream/process TestSandbox_root"},
		{page: "trust.md", says: "the server does not start, and says why: it never runs without", shown: "daemon/upstream TestSandbox_refused"},
		{page: "trust.md", says: "A `sandbox` in another client's file does not count, and you are told", shown: "daemon/config TestSandbox_foreign"},
		{page: "trust.md", says: "What an editor remembers of tools is in its own folder: `-storage` names it", shown: "daemon/faces/terminal TestApprovals"},
		{page: "trust.md", says: "it counts for everybody who trusts the workspace (`-approve` marks all in it as approved)", shown: "daemon/faces/lockfile TestLock, TestLock_enforce"},
		{page: "trust.md", says: "Of a program in a folder of your home that folder is given", shown: "daemon/upstream/process TestSandboxArgs, TestSandbox_programAtHome"},
		{page: "trust.md", says: "Without `network` they can fetch none", shown: "daemon/upstream TestSandbox"},
		{page: "trust.md", says: "with `network` the whole network, the ports of this machine", shown: "daemon/upstream TestSandbox"},
		{page: "trust.md", says: "more processes and threads than `processes`", shown: "daemon/upstream/process TestSandbox_processes, TestSandbox_memory"},

		// vscode.md and limits.md
		{page: "vscode.md", says: "What VS Code hides behind its `activate_*` groups from 64 tools on, Winnow reaches by `winnow_call`", shown: "extension/test/exthost/models-hidden.suite.ts: all of them are routed, and one that VS Code hides is called through winnow_call"},
		{page: "vscode.md", says: "in the chat, where typing goes on undisturbed", shown: "extension/test/ui/participant.ui.ts: whoever types in a file goes on typing"},
		{page: "vscode.md", says: "A custom agent of VS Code's works in the mode of `winnow.json` that has its name", shown: "extension/test/exthost/agents.suite.ts: an agent with the name of a mode has the servers of that mode"},
		{page: "vscode.md", says: "After a reload of the window a chat goes on with the same tools, and the model remembers what it loaded", shown: "extension/test/ui/reload.ui.ts: after a reload the model is sent the same tools and messages, byte for byte"},
		{page: "vscode.md", says: "`/why` tells why each tool is or is not attached, `/usage` where the context goes; `/load` and `/mode` do what they say", shown: "extension/test/exthost/participant.suite.ts: /why, /usage, /load and /mode answer without the model"},
		{page: "vscode.md", says: "and _Undo_ takes edits back", shown: "daemon/engine TestEngine_edits"},
		{page: "vscode.md", says: "to the last one. A routed model", shown: "router TestView_TokenUsage"},
		{page: "vscode.md", says: "nothing is sent to a model or a server, and nothing is learned", shown: "daemon/engine/turns TestInspector_Try"},
		{page: "vscode.md", says: "of the last five weeks", shown: "daemon/engine/learned TestSavings_days"},
		{page: "vscode.md", says: "VS Code groups tools by itself again. Your rules hold all the same", shown: "daemon TestRules_neverSent"},
		{page: "vscode.md", says: "**Shadow mode** (`winnow.shadow`) changes nothing", shown: "daemon/engine/turns TestTasks_shadow, TestTasks_shadowMissed"},
		{page: "vscode.md", says: "it shows the diff, keeps a backup, and _Undo Import_ or uninstalling Winnow brings them back", shown: "extension/test/ui/import.ui.ts: whoever uninstalls Winnow has their servers back"},
		{page: "vscode.md", says: "Nothing of a workspace starts before you trust it", shown: "extension/test/ui/trust.ui.ts: nothing of a workspace starts before it is trusted"},
		{page: "limits.md", says: "A routed model gets VS Code's system prompt as a message of the user's", shown: "extension/test/exthost/models.suite.ts: the system prompt reaches the model, as a user's message"},
		{page: "limits.md", says: "A hidden tool that you switch off while the model is at work is off from your next message on", shown: "extension/src/routing/respond.e2e.test.ts: a hidden tool that the user switches off does not run from the next message on"},
		{page: "limits.md", says: "runs only where a routed model has made it for that task, once; any other is refused", shown: "extension/src/routing/allowances.test.ts: each call that a routed model made may run once"},
		{page: "limits.md", says: "Winnow says so, with the command of a tunnel that helps", shown: "daemon/engine TestPlainAddress"},
		{page: "limits.md", says: "VS Code's agent hides tools behind its `activate_*` groups from any model that is not a routed one", shown: "extension/test/exthost/models-hidden.suite.ts: all of them are routed, and one that VS Code hides is called through winnow_call"},
		{page: "limits.md", says: "Winnow asks for them again", shown: "extension/test/ui/trust.ui.ts: trusted, each value is asked for once, in the right kind of box"},
		{page: "vscode.md", says: "through the gateway (`winnow.gateway.inVSCode`)", shown: "extension/test/exthost/gateway.suite.ts: VS Code starts it, and its agent calls a tool behind it"},
		{page: "limits.md", says: "Token counts are exact for the o200k tokenizer", shown: "router/tokens TestCounter_Count"},

		// check.md, replay.md and wire.md
		{page: "check.md", says: "The command finds the environment that every server of Winnow's finds, and what `-env NAME=VALUE` names", shown: "daemon/check/source TestRead_environment"},
		{page: "check.md", says: "`-sandbox` starts it without the network and without your files (Linux)", shown: "daemon/check/source TestRead_environment"},
		{page: "check.md", says: "what of that no model needs: `$schema`, titles that repeat a name, bounds of every integer, `null` for what is optional, arguments that are described twice", shown: "daemon/check TestRun_rules"},
		{page: "check.md", says: "`gold` may also be `[server, tool]` pairs or objects with the tool's name, and `gold_alternatives` groups of which any tool will do", shown: "daemon/check TestReadMessages"},
		{page: "check.md", says: "The ranks are the same without them; the report has both", shown: "daemon/check TestRun_rules, TestRun_good"},
		{page: "check.md", says: "Every line was tried: added to a copy, and ranked again", shown: "daemon/check TestRun_messages"},
		{page: "check.md", says: "`-write-baseline check.json` at a release, `-baseline check.json` at the next", shown: "daemon/check TestRun_baseline"},
		{page: "check.md", says: "It ends with 0, with 1 where there is a finding of `-fail-on` (error by default; warning, note, never), and with 2 where the server could not be looked at", shown: "daemon/cmd/winnowd TestCheck"},
		{page: "check.md", says: "A GitHub action that runs it and keeps its SARIF for the code host", shown: "daemon/cmd/winnowd TestCheck_action"},
		{page: "replay.md", says: "`winnowd replay -record -since 7d` makes the same sums of Winnow's own [record of calls](trust.md)", shown: "daemon/cmd/winnowd TestReplay"},
		{page: "replay.md", says: "Else what VS Code has now, where you ask there", shown: "daemon/faces/replay TestRun_hostTools"},
		{page: "replay.md", says: "the tools of your servers as earlier runs have listed them, for which `winnowd servers -start` once is enough", shown: "daemon/cmd/winnowd TestReplay_listed"},
		{page: "replay.md", says: "Records of kinds that are not known are counted, and a file that ends in the middle is read to there", shown: "daemon/history TestReaders"},
		{page: "wire.md", says: "It ends when its stdin closes, with every process that it started", shown: "daemon TestProcess_ends"},
		{page: "wire.md", says: "with `Content-Length` frames on stdin and stdout", shown: "daemon/rpc TestFrames"},
		{page: "wire.md", says: "`conversation/route` with the messages, or digests of them", shown: "daemon/engine/stateless TestConversations_withoutID"},

		// README.md, what stands besides
		{page: "README.md", says: "also serves every other MCP client", shown: "extension/test/agents/gateway.agents.ts: is all that ${name} needs"},
		{page: "README.md", says: "One list: those of Winnow's own `winnow.json`, and those in the files that you have already", shown: "daemon/config TestSources"},
		{page: "README.md", says: "pick \"… (Winnow)\" in the model picker", shown: "extension/test/ui/newcomer.ui.ts: one button chooses the twin, and the picker keeps it where a person sees it"},
		{page: "README.md", says: "`doctor` tells how those of your other files join them", shown: "daemon/faces/terminal TestDoctor_untrusted"},

		// files.md, the table
		{page: "files.md", says: "| `.vscode/winnow.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `winnow/winnow.json` in your configuration folder |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.mcp.json`, `~/.claude.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.roo/mcp.json`, `.zoo/mcp.json`, and Roo's and Zoo's global `mcp_settings.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.cursor/mcp.json`, `~/.cursor/mcp.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.github/mcp.json`, `~/.copilot/mcp-config.json` (or in `$COPILOT_HOME`) |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `~/.cline/data/settings/cline_mcp_settings.json` (or `$CLINE_MCP_SETTINGS_PATH`) |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.kilo/kilo.json(c)`, `kilo.json(c)`, `~/.config/kilo/kilo.json(c)` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.kilocode/mcp.json`, `.kilo/mcp.json`, and Kilo's global `mcp_settings.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.vscode/mcp.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.roomodes`, `custom_modes.yaml` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `winnow.lock.json` |", shown: "daemon/config TestSources"},
		{page: "files.md", says: "| `.codex/config.toml`, `~/.codex/config.toml` (or in `$CODEX_HOME`) |", shown: "daemon/config TestSources, TestCodex"},
		{page: "files.md", says: "`alwaysAllow`, `alwaysLoad` and the very words of `toolDescriptionOverrides`", shown: "daemon/engine/workspace TestRules_ofOthers"},

		// clients.md, what stands besides
		{page: "clients.md", says: "let them start `winnowd mcp`", shown: "extension/test/agents/gateway.agents.ts: is all that ${name} needs"},
		{page: "clients.md", says: "Any other client takes the same: the command `winnowd` with the argument `mcp`", shown: "daemon/faces/gateway TestProcessSnippets"},
		{page: "clients.md", says: "Otherwise `winnowd` serves it alone", shown: "daemon/faces/gateway TestAlone"},
		{page: "clients.md", says: "reloading a window does not start it anew", shown: "daemon/holder TestHolder_again"},
		{page: "clients.md", says: "It starts the program of the VS Code window that was opened last, that of Homebrew or npm's global folder, where each update replaces it, or a copy of what `npx` installed last", shown: "daemon/launcher TestEnsure, TestProgram_homebrew, TestEnsure_npx, TestFollowNPX"},
		{page: "clients.md", says: "`winnowd` is in the VSIX", shown: "extension/scripts/package.e2e.test.ts: a VSIX has a daemon that runs"},
		{page: "clients.md", says: "it is built and tested here and not published yet", shown: "extension/scripts/release.e2e.test.ts: npx answers a client without Go"},
		{page: "clients.md", says: "`-trust` for those that the workspace's files define, `-consent FILE` for those of another client's file", shown: "daemon/faces/gateway TestAlone_startsNothingUntrusted, TestAlone_consent"},
		{page: "clients.md", says: "That is remembered, so that `winnowd servers -consent ~/.cursor/mcp.json` once is enough", shown: "daemon/engine/workspace TestConsent_everywhere"},
		{page: "clients.md", says: "they say so to Claude Code", shown: "daemon/faces/gateway TestTools_howLongResultsAre"},
		{page: "clients.md", says: "| opencode 1.18   | finds, reads, writes", shown: "extension/test/agents/defaults.agents.ts: ${tried.agent} ${name}"},
		{page: "clients.md", says: "| Codex 0.169     | finds and reads; a write \"requires approval\"", shown: "extension/test/agents/defaults.agents.ts: ${tried.agent} ${name}"},
		{page: "clients.md", says: "| Gemini CLI 0.61 | leaves the tools out", shown: "extension/test/agents/defaults.agents.ts: ${tried.agent} ${name}"},
		{page: "clients.md", says: "| Qwen Code 0.15  | finds and reads; a write \"requires permission\"", shown: "extension/test/agents/defaults.agents.ts: ${tried.agent} ${name}"},
		{page: "clients.md", says: "| Claude Code 2.1 | refuses the search, too", shown: "extension/test/agents/defaults.agents.ts: ${tried.agent} ${name}"},
		{page: "clients.md", says: "**In its own screen**, with the defaults of each (`npm test -- screens`, with tmux)", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "which `winnow.gateway.confirmWritesFor` takes away", shown: "daemon/faces/gateway TestConfirmer"},
		{page: "clients.md", says: "`winnowd connect codex` writes `tools.mcp_call.approval_mode = \"approve\"`", shown: "daemon/connect TestConnect_olderTable"},
		{page: "clients.md", says: "| Codex 0.169, connected | 0     | 0     | 1      | by Winnow", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "| Codex 0.169, by hand   | 0     | 0     | 2      | by Codex, then by Winnow", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "| Gemini CLI 0.61        | 1     | 1     | 1      | by Gemini CLI, which cannot show Winnow's", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "| Qwen Code 0.15         | 0     | 0     | 1      | by Qwen Code, which cannot show Winnow's", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "| Claude Code 2.1        | 1     | 1     | 2      | by Claude Code, then by Winnow", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "| opencode 1.18          | 0     | 0     | 0      | nobody", shown: "extension/test/agents/defaults.agents.ts: ${row} asks about"},
		{page: "clients.md", says: "as Codex does (tried, 0.169)", shown: "extension/test/agents/gateway.agents.ts: Codex starts a connection for its subagent"},
		{page: "clients.md", says: "the model finds and reads where nothing is said, and writes after what is set", shown: "extension/test/agents/defaults.agents.ts: ${tried.agent} ${name}"},
		{page: "clients.md", says: "`winnow.gateway.confirmWritesFor` for the server to `never`", shown: "extension/test/agents/defaults.agents.ts: gateway.confirmWritesFor.memory"},
		{page: "clients.md", says: "`winnow.results.references: false` forbids it all", shown: "daemon/engine/calls TestReferences"},
		{page: "clients.md", says: "The model is offered `mcp_run`: a program in Starlark", shown: "daemon/engine/calls TestProgram, TestProgram_off"},
		{page: "clients.md", says: "sends of each request's MCP tools only those that fit the task", shown: "daemon/faces/proxy TestHandler_Cuts, TestAlone"},
		{page: "clients.md", says: "Codex is written to with `OPENAI_API_KEY` only", shown: "daemon/connect TestModel"},
		{page: "clients.md", says: "| Gemini CLI                          | `GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:4711/gemini`", shown: "extension/test/agents/proxy.agents.ts: with five servers"},
		{page: "clients.md", says: "| Codex                               | a provider in `~/.codex/config.toml`", shown: "extension/test/agents/proxy.agents.ts: with five servers"},
		{page: "clients.md", says: "| opencode                            | a provider in `opencode.json`", shown: "extension/test/agents/proxy.agents.ts: with five servers"},
		{page: "clients.md", says: "| Qwen Code                           | `OPENAI_BASE_URL=http://127.0.0.1:4711/openai/v1`", shown: "extension/test/agents/proxy.agents.ts: with five servers"},
		{page: "clients.md", says: "tried, 1.139 in a browser, its vendor _Custom Endpoint_", shown: "extension/test/exthost/proxymodel.suite.ts: the agent's tools are cut, one is loaded and called, and the set only grows"},
		{page: "clients.md", says: "base URL `http://127.0.0.1:4711/openai/v1`", shown: "daemon/faces/proxy TestHandler_Providers"},
		{page: "clients.md", says: "| any other provider                  | `http://127.0.0.1:4711/to/NAME`", shown: "daemon/faces/proxy TestHandler_Cuts"},
		{page: "clients.md", says: "22 to 29 of 123 to 128 tools were sent", shown: "extension/test/agents/proxy.agents.ts: with five servers"},
		{page: "clients.md", says: "| without Winnow                          | 20,988", shown: "daemon/faces/proxy TestReal"},
		{page: "clients.md", says: "| with Winnow                             | 5,915", shown: "daemon/faces/proxy TestReal"},
		{page: "clients.md", says: "| with Winnow, and `appendAfterMinutes` 0 | 8,369", shown: "daemon/faces/proxy TestReal"},
		{page: "clients.md", says: "all of it costs 48 % less with Winnow", shown: "daemon/faces/proxy TestReal"},
		{page: "clients.md", says: "Each further `mcp_load` costs what is said by then once more", shown: "daemon/faces/proxy TestAlone_cost"},
		{page: "clients.md", says: "from its second turn on 5 to 6 % more", shown: "daemon/faces/proxy TestAlone_cost"},
		{page: "clients.md", says: "of the minutes count from its next start", shown: "daemon/holder TestHolder_idle"},
		{page: "clients.md", says: "`includeTools`, `excludeTools` and `toolNames` of an endpoint adjust it", shown: "daemon/config TestEndpoints"},
		{page: "clients.md", says: "Which tools are MCP's is read from their names", shown: "daemon/faces/proxy TestAlone_clientServers"},
		{page: "clients.md", says: "what the provider's cache gave and took", shown: "daemon/faces/proxy TestUsageReader_Formats, TestLedger"},
		{page: "clients.md", says: "A request from which nothing could be chosen adds to neither `sentTokens` nor `savedTokens`", shown: "daemon/faces/proxy TestLedger"},

		// team.md
		{page: "team.md", says: "`winnowteam` serves many users by one MCP endpoint. Any number of replicas run side by side on one PostgreSQL, behind any balancer", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "a replica that dies takes only its own requests with it", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "the extension and `winnowd` have none of it", shown: "daemon/cmd/winnowteam TestWinnowd_linksNothingOfTheTeams"},
		{page: "team.md", says: "`tools/list` has `mcp_search` and `mcp_call`, however many tools there are", shown: "daemon/faces/gateway TestGateway_dispatchNeverGrows, TestShared"},
		{page: "team.md", says: "Clients of MCP 2026-07-28 and of the versions with sessions are served alike, and get no session", shown: "daemon/cmd/winnowteam TestTeam, TestTeam_codex"},
		{page: "team.md", says: "an OpenID provider that issues access tokens for `https://tools.example.com/mcp` with a claim `groups`", shown: "daemon/cmd/winnowteam TestUp"},
		{page: "team.md", says: "makes a database, keys and sample files in the folder `team`, applies them, and starts three replicas, a holder and haproxy; it ends them when you end it", shown: "daemon/cmd/winnowteam TestUp"},
		{page: "team.md", says: "`/readyz` is for its checks", shown: "daemon/cmd/winnowteam TestUp, TestTeam_databaseAway"},
		{page: "team.md", says: "has units for systemd (`winnowteam@.service`", shown: "daemon/cmd/winnowteam TestPackaging_systemd, TestPackaging_compose, TestPackaging_kubernetes, TestPackaging_paths"},
		{page: "team.md", says: "`winnowteam apply WINNOW.JSON POLICIES.CEDAR [TEAM.JSON]` makes the files the newest version", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "`winnowteam apply --version 3` makes an older one the newest", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "and each version is kept", shown: "daemon/team/pg TestApply"},
		{page: "team.md", says: "reached by `url`", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "A server with a `command` is a program, which [holders](#servers-that-are-programs) run", shown: "daemon/cmd/winnowteam TestTeam_holders"},
		{page: "team.md", says: "The principal is `User::\"<subject>\"` in `Group::\"<name>\"`", shown: "daemon/team/policy TestPolicies"},
		{page: "team.md", says: "it is not listed, not found, and a call of it is answered as one of a name that somebody made up", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "Lists and searches are the same bytes on every replica for users of the same groups", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "approves just what was shown: where the server says something else by then, nothing is approved", shown: "daemon/team/pg TestApprove"},
		{page: "team.md", says: "takes a server or a tool from everybody, within two seconds; `approve` gives it back", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "it runs the servers that have a `command`. Start as many as you like", shown: "daemon/cmd/winnowteam TestTeam_holders"},
		{page: "team.md", says: "Each program runs at one holder, which has a lease of four seconds", shown: "daemon/cmd/winnowteam TestTeam_holders", holds: fileHas("daemon/team/hold.go", "leaseTime = 4 * time.Second")},
		{page: "team.md", says: "another holder starts them once the lease is over", shown: "daemon/cmd/winnowteam TestTeam_holders"},
		{page: "team.md", says: "a holder answers nobody who comes with another one", shown: "daemon/cmd/winnowteam TestTeam_holders"},
		{page: "team.md", says: "It has the environment that its entry gives it", shown: "daemon/cmd/winnowteam TestTeam_holders"},
		{page: "team.md", says: "The third file, `team.json`, says otherwise, by the name of the server", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "| `user`     | an account that the user has connected", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "| `exchange` | a token that the authorization server gives in exchange", shown: "daemon/team/vault TestToken_exchanged"},
		{page: "team.md", says: "| `service`  | the account of the client itself", shown: "daemon/team/vault TestToken_exchanged"},
		{page: "team.md", says: "`exchange`, `id-jag`, and any account with a `clientSecret`, need it", shown: "daemon/team TestServe_stale"},
		{page: "team.md", says: "| `id-jag`   | a token that it gives for an assertion of the user by your own provider", shown: "daemon/cmd/winnowteam TestTeam_asserted"},
		{page: "team.md", says: "With `id-jag` your provider is asked for an Identity Assertion JWT Authorization Grant", shown: "daemon/cmd/winnowteam TestTeam_asserted"},
		{page: "team.md", says: "`clientId` and `clientSecret` are those of the gateway there", shown: "daemon/cmd/winnowteam TestTeam_asserted"},
		{page: "team.md", says: "gets the assertion, not the token", shown: "daemon/team/vault TestToken_asserted"},
		{page: "team.md", says: "is asked to show one (`input_required`, mode `url`), any other gets the address as the error of the tool", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "It is good for a quarter of an hour, for one browser, and once", shown: "daemon/team/vault TestPages"},
		{page: "team.md", says: "For it the replicas need `--client-id` and `$WINNOWTEAM_CLIENT_SECRET`", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "`winnowteam connect SERVER` prints the page", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "sealed for their user, their server and its address by a key of the file `--keys`", shown: "daemon/team/vault TestToken_whose"},
		{page: "team.md", says: "One replica renews a token for all", shown: "daemon/team/vault TestToken_once"},
		{page: "team.md", says: "It stores the new one before anybody uses it; if it dies meanwhile, another one tries after five seconds", shown: "daemon/team/vault TestToken_storedFirst, TestToken_claimantGone"},
		{page: "team.md", says: "each user has a session of their own", shown: "daemon/team/vault TestThrough_sessions"},
		{page: "team.md", says: "deletes accounts, everywhere within two seconds", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "A call of a tool that may write is recorded before it is made, and how it ended after it", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "Where the intent cannot be written, the call is not made", shown: "daemon/cmd/winnowteam TestTeam_databaseAway"},
		{page: "team.md", says: "`winnowteam journal` lists calls, `winnowteam who` those who were seen", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "team.md", says: "A user's token that is no JWT is asked about at the provider (RFC 7662)", shown: "daemon/team/identity TestVerify_opaque"},
		{page: "team.md", says: "Any other is verified by the provider's keys", shown: "daemon/team/identity TestVerify"},
		{page: "team.md", says: "no server, no log and no error has them", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "a replica keeps the outcomes of calls in memory, up to 16 MiB of them, and writes them down once it is back", shown: "daemon/cmd/winnowteam TestTeam_databaseAway", holds: fileHas("daemon/journal/journal.go", "maxUnstored = 16 << 20")},
		{page: "team.md", says: "a replica that ends meanwhile tries once more for five seconds", shown: "daemon/journal TestJournal_sinkAway", holds: fileHas("daemon/journal/journal.go", "maxKeepWait   = 5 * time.Second")},
		{page: "team.md", says: "How many were too many is said in the log and in the record", shown: "daemon/journal TestJournal_keep"},
		{page: "team.md", says: "A call whose outcome never came is written down as _unknown_ after an hour", shown: "daemon/team/pg TestSweep"},
		{page: "team.md", says: "`team.json` may bound the requests that users make in a minute, on all replicas together", shown: "daemon/team/pg TestTake"},
		{page: "team.md", says: "`user` is for each user, a group's for all of its users together", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "A request over it gets status 429 and `Retry-After`", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "`serve --metrics 127.0.0.1:9090` answers Prometheus", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "Where the environment of replicas and holders has `OTEL_EXPORTER_OTLP_ENDPOINT`, each list, search and call is sent there as spans", shown: "daemon/cmd/winnowteam TestTeam_traces"},
		{page: "team.md", says: "Its `user.hash` tells users apart by a hash that needs the newest key of the file `--keys`; without keys, it has none", shown: "daemon/team/vault TestRing_pseudonym"},
		{page: "team.md", says: "A client that sends `traceparent`, in `_meta` or as a header, finds one trace from the gateway over the holder to the server", shown: "daemon/cmd/winnowteam TestTeam_traces"},
		{page: "team.md", says: "| the database        | lists, searches and calls that only read go on for a minute, calls that may write are refused; then all 503 |", shown: "daemon/team TestServe_stale"},
		{page: "team.md", says: "| the OpenID provider | tokens that were seen before are taken until they expire; of others the answer is 503", shown: "daemon/team/identity TestVerify_away, TestVerify_keysAway"},
		{page: "team.md", says: "| a holder            | its programs run at another one within the lease of four seconds", shown: "daemon/cmd/winnowteam TestTeam_holders"},
		{page: "team.md", says: "A replica that cannot read the database for ten seconds is not ready", shown: "daemon/team TestServe_stale"},
		{page: "team.md", says: "One that starts lets requests wait until it knows its servers' tools, for 15 seconds at most", shown: "daemon/team TestDoor_waits", holds: fileHas("daemon/team/replica.go", "startTime = 15 * time.Second")},
		{page: "team.md", says: "lists and searches of clients of MCP 2026-07-28 go to another replica", shown: "daemon/cmd/winnowteam TestTeam"},
		{page: "clients.md", says: "| Cursor             | `.cursor/mcp.json`", shown: "daemon/faces/gateway TestAddressSnippets_page"},
		{page: "clients.md", says: "| Claude Code        | `claude mcp add --transport http", shown: "daemon/faces/gateway TestAddressSnippets_page"},
		{page: "clients.md", says: "| Zoo Code, Roo Code | `.zoo/mcp.json`, `.roo/mcp.json`", shown: "daemon/faces/gateway TestAddressSnippets_page"},
		{page: "clients.md", says: "| Cline              | `cline_mcp_settings.json`", shown: "daemon/faces/gateway TestAddressSnippets_page"},
		{page: "clients.md", says: "| VS Code            | `.vscode/mcp.json`", shown: "daemon/faces/gateway TestAddressSnippets_page"},
		{page: "clients.md", says: "The address on `127.0.0.1` and the token change with each start of the daemon", shown: "daemon/faces/gateway TestAddress_anew"},
		{page: "clients.md", says: "| Claude Code                         | `ANTHROPIC_BASE_URL=http://127.0.0.1:4711/anthropic`", shown: "daemon/connect TestModel"},
		{page: "team.md", says: "`${env:NAME}` in a header is read from the environment", shown: "daemon/config TestExpand_Everywhere"},
		{page: "team.md", says: "`issuer` is the authorization server", shown: "daemon/cmd/winnowteam TestTeam_accounts"},
		{page: "team.md", says: "All replicas and `winnowteam connect` need the same file", shown: "daemon/team/vault TestToken_whose"},
		{page: "team.md", says: "is where gateways reach a holder, if that is not where it listens", shown: "daemon/cmd/winnowteam TestHolds, TestTeam_holders"},
		{page: "team.md", says: "Else the server is asked (RFC 9728). Without a `clientId`, a user's account is connected by the gateway's client metadata document", shown: "daemon/team/vault TestPages_asked"},
		{page: "team.md", says: "all users share the replica's connection to a server", shown: "daemon/cmd/winnowteam TestTeam_bothRoles"},
		{page: "team.md", says: "the authorization server that it names has it", shown: "daemon/team/vault TestToken_exchanged"},

		// The other pages, what stands besides
		{page: "team.md", says: "calls that may write are refused", shown: "daemon/cmd/winnowteam TestTeam_databaseAway"},
		{page: "check.md", says: "`winnowd check` says what clients and models make of your server's tools", shown: "daemon/cmd/winnowd TestCheck"},
		{page: "check.md", says: "`-budget 5000` is an error above that", shown: "daemon/cmd/winnowd TestCheck"},
		{page: "check.md", says: "refuse, change or cut, with where each rule is known from", shown: "daemon/check TestRun_rules"},
		{page: "check.md", says: "`-json` and `-sarif` are for programs", shown: "daemon/check TestWriteSARIF"},
		{page: "words.md", says: "The model is sent the tool's name only, and can load it by `mcp_load`", shown: "router TestView_NamedTool, TestView_LoadNames"},
		{page: "words.md", says: "The model is not sent the tool, and does not know its name; it can find it by `mcp_load`", shown: "router TestView_Load"},
		{page: "words.md", says: "how many tools a task starts with", shown: "router TestView_InitialK0"},
		{page: "words.md", says: "is how many each later message adds", shown: "router TestView_Window"},
		{page: "vscode.md", says: "a checkbox writes the file that defines the server", shown: "extension/test/ui/servers.ui.ts: its checkbox disables it in the person's file and ends it"},
		{page: "words.md", says: "What VS Code would send without Winnow", shown: "router TestView_Client"},
		{page: "words.md", says: "Every task gets the tool from the start (`alwaysLoad`)", shown: "router TestView_CalledAndPinnedFirst"},
		{page: "words.md", says: "After some turns, a task's messages add no tools; the model still can, by `mcp_load`", shown: "router TestView_WindowStaysFrozen, TestView_LoadAnyTurn"},
		{page: "vscode.md", says: "the tools of VS Code's that search the workspace, and those that you name by `#`", shown: "extension/test/exthost/participant.suite.ts: VS Code's own tools run too: those that search, and those that are named by #"},
		{page: "vscode.md", says: "Behind the same command are the ways for **Copilot's own models**", shown: "extension/test/ui/models.ui.ts: at the first use of one of Copilot's models a person reads what it costs"},
		{page: "vscode.md", says: "A Custom Endpoint goes through `winnowd proxy`", shown: "extension/test/exthost/proxymodel.suite.ts: the agent's tools are cut"},
		{page: "vscode.md", says: "**The status bar** always says the state", shown: "daemon/display TestStatus_text, TestStatus_attention, TestStatus_mode, TestTasks, TestWhyReport_mode"},
		{page: "vscode.md", says: "`@winnow` offers _Why these tools?_", shown: "extension/test/ui/participant.ui.ts: the follow-up tells why"},
		{page: "vscode.md", says: "A server that your `winnow.json` has rules for joins them", shown: "extension/test/ui/import.ui.ts: a server joins the rules that winnow.json has for it"},
		{page: "trust.md", says: "In the tooltip of a tool stand hints", shown: "daemon/trust/scan TestTool, TestNames"},
		{page: "trust.md", says: "leaves a line in `journal/journal.jsonl` of the storage folder", shown: "daemon/engine TestJournal"},
		{page: "trust.md", says: "_Show Record of Calls…_ in the menu of the Servers view", shown: "extension/test/ui/servers.ui.ts: the record of calls is filtered by typing"},
		{page: "trust.md", says: "On Linux its entry in `winnow.json` can take most of that away", shown: "daemon/upstream TestSandbox"},
		{page: "trust.md", says: "With `true` it reads the system's programs", shown: "daemon/upstream/process TestSandboxArgs"},
		{page: "trust.md", says: "What not every user may read of `/etc` (`/etc/shadow`, host keys) is hidden", shown: "daemon/upstream/process TestSandbox_root"},
		{page: "trust.md", says: "`read` and `write` give it files and folders besides", shown: "daemon/upstream TestSandbox"},
		{page: "replay.md", says: "`winnowd replay` reads the conversations that your clients have kept", shown: "daemon/cmd/winnowd TestReplay"},
		{page: "replay.md", says: "the interval in which it lies 19 times of 20", shown: "daemon/faces/replay TestTally_share"},
		{page: "replay.md", says: "Prices are worked out only where the log says what the cache served", shown: "daemon/faces/replay TestPrice"},
		{page: "replay.md", says: "the debug logs of VS Code's Copilot extension have tools whole", shown: "daemon/history TestVSCode_debugLog"},
		{page: "replay.md", says: "`-here` takes the conversations of the folder of `-workspace` alone", shown: "daemon/faces/replay TestRun_here"},
		{page: "limits.md", says: "Winnow reads its name in the system prompt of VS Code's own agent", shown: "extension/test/exthost/agents.suite.ts: an agent with the name of a mode has the servers of that mode"},
		{page: "limits.md", says: "the status bar's menu and the command _Pick Mode_ choose the mode", shown: "extension/test/exthost/agents.suite.ts: any other agent, and none, has the mode that was picked"},
		{page: "limits.md", says: "it registers itself with an authorization server, or needs `oauth.clientId`", shown: "daemon/upstream TestOAuth_SignIn, TestOAuth_RegisteredByHand, TestOAuth_MetadataDocument"},
		{page: "replay.md", says: "`~/.claude/projects`", shown: "daemon/history TestReadAll_places"},
		{page: "replay.md", says: "`-file opencode=FILE`", shown: "daemon/cmd/winnowd TestReplay"},
		{page: "replay.md", says: "`-file CLIENT=PATH` reads a file from elsewhere", shown: "daemon/cmd/winnowd TestReplay"},
		{page: "settings.md", says: "without that prefix, groups as objects", shown: "daemon/engine/settings TestDecode"},
		{page: "wire.md", says: "a call of one is answered with `host`", shown: "daemon/engine/stateless TestConversation_calls"},
		{page: "replay.md", says: "`~/.codex/sessions`", shown: "daemon/history TestReadAll_places"},
		{page: "replay.md", says: "`~/.gemini/tmp/*/chats`", shown: "daemon/history TestReadAll_places"},
		{page: "replay.md", says: "`chatSessions` of its storage", shown: "daemon/history TestReadAll_places"},
		{page: "replay.md", says: "`~/.copilot/session-state/*/events.jsonl`", shown: "daemon/history TestReadAll_places"},
		{page: "trust.md", says: "It is yours alone (mode 0600)", shown: "daemon/journal TestJournal_KeepsWhatIsRecorded"},
		{page: "trust.md", says: "`processes` is refused where Winnow runs as root", shown: "daemon/upstream/process TestSandbox_processes"},
	}
}

// programLimits are those of a program of calls, in minutes, steps, calls and MB.
func programLimits() string {
	l := programs.DefaultLimits()
	return fmt.Sprint(l.Time, l.Steps, l.Calls, l.Bytes>>20)
}

// fileHas looks for a text in a file of the checkout.
func fileHas(file, text string) func(t *testing.T) {
	return func(t *testing.T) {
		t.Helper()
		got, err := os.ReadFile(filepath.Join(base, filepath.FromSlash(file)))
		if err != nil || !strings.Contains(string(got), text) {
			t.Errorf("%s has no %q (%v)", file, text, err)
		}
	}
}

// forPrograms asks each command that the page names for a terminal for its flag.
func forPrograms(t *testing.T) {
	for _, name := range []string{"doctor", "servers", "why", "call", "approvals"} {
		if c := subcommand(root(), name); c == nil || c.Flag("json") == nil {
			t.Errorf("winnowd %s has no -json", name)
		}
	}
	if out, err := winnowd(t, "completion", "bash").CombinedOutput(); err != nil || !strings.Contains(string(out), "winnowd") {
		t.Errorf("winnowd completion bash: %v: %s", err, out)
	}
}

// neverPruned looks for what would delete from the team's record, or part it.
func neverPruned(t *testing.T) {
	var all strings.Builder
	for _, pattern := range []string{"*.go", "migrations/*"} {
		files, err := filepath.Glob(filepath.Join(base, "daemon", "team", "pg", filepath.FromSlash(pattern)))
		if err != nil || len(files) == 0 {
			t.Fatalf("no %s, %v", pattern, err)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			all.Write(text)
		}
	}
	if text := strings.ToLower(all.String()); strings.Contains(text, "delete from journal") || strings.Contains(text, "partition by range") || !strings.Contains(text, "create table journal") {
		t.Error("rows of the record are deleted, or it is parted, or it has another name")
	}
}

// connectVSCode writes VS Code's entry into a workspace.
func connectVSCode(t *testing.T) {
	folder := t.TempDir()
	c := winnowd(t, "connect", "vscode")
	c.Dir = folder
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("winnowd connect vscode: %v: %s", err, out)
	}
	if _, err := os.Stat(filepath.Join(folder, ".mcp.json")); err != nil {
		t.Error(err)
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

// uncheckable are the sentences of the pages of which [TestDocs_sentences] would want
// a row, and which no command can check.
var uncheckable = []reason{
	{"README.md", "[In VS Code](extension/docs/vscode.md)", "says what a page is about"},
	{"README.md", "[How Winnow decides](extension/docs/how-it-decides.md)", "says what a page is about"},
	{"README.md", "[For who writes a server](extension/docs/check.md)", "says what a page is about"},
	{"README.md", "[Proof on your own history](extension/docs/replay.md)", "says what a page is about"},
	{"clients.md", "On Windows no copy is made of what `npx` runs", "of Windows, for which the tests are compiled and not run"},
	{"clients.md", "of 1,087 recorded calls half take an argument out of an earlier answer", "of records that are not in the repository; the command that counts them stands there"},
	{"clients.md", "What their sources and issues say (1.139;", "was read in other programs' sources"},
	{"clients.md", "`chat.agentHost.allowSignedOutWhenUsable` lets such a model be used", "was read in other programs' sources"},
	{"clients.md", "was scripted here: no real model was asked", "says what was not tried"},
}
