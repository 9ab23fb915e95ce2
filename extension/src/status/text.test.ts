import assert from "node:assert/strict";
import test from "node:test";
import type { TaskRow, TaskTexts } from "../protocol.gen";
import { type StatusInput, statusText, type WaitingServer } from "./text";

const texts: TaskTexts = {
  row: { label: "Task 1", accessibility: "" },
  summary: "",
  saving: "saves 4.1k",
  costs: "Its requests carry 2,000 tokens of MCP tools.",
  used: "The model called 2 tools: 1 was in hand from the start.",
};

const task: TaskRow = {
  task: "t",
  source: "vscode:1",
  client: true,
  mode: "",
  turn: 1,
  frozen: false,
  counts: { scoped: 403, attached: 12, native: 0 },
  tokens: { all: 58_000, attached: 2000, saved: 56_000, client: 6100, clientSaved: 4100 },
  routing: "dynamic",
  used: { called: 2, inHand: 1 },
  texts,
};

function status(overrides: Partial<StatusInput> = {}) {
  return statusText({ starting: false, task, mode: undefined, servers: [], off: false, shadow: false, ...overrides });
}

function server(overrides: Partial<WaitingServer> = {}): WaitingServer {
  return { name: "docs", source: "", state: "ready", tools: 0, tokens: 0, inScope: 0, scopeTokens: 0, ...overrides };
}

test("the status bar says what was attached and saved, and the mode", () => {
  assert.equal(status().text, "$(filter) 12 of 403 tools, saves 4.1k");
  assert.equal(status({ mode: "Review" }).text, "$(filter) 12 of 403 tools, saves 4.1k · Review");
  assert.equal(
    status({ mode: "Review" }).accessibility,
    "Winnow: 12 of 403 tools, saves 4.1k, mode Review. Opens the menu.",
  );
  assert.match(status().tooltip, /The latest task\. Its requests carry 2,000 tokens/);
  assert.match(status().tooltip, /The model called 2 tools: 1 was in hand/);
  assert.match(status().tooltip, /\[Turn off\]\(command:winnow\.toggleRouting\)/);
  assert.equal(status().warning, false);
});

test("it is always there, and says the state", () => {
  const cases: [Partial<StatusInput>, string][] = [
    [{ task: undefined, starting: true }, "$(loading~spin) Winnow: starting"],
    [{ task: undefined }, "$(filter) Winnow: ready"],
    [{ task: undefined, mode: "Notes" }, "$(filter) Winnow: ready · Notes"],
    [{ task: undefined, shadow: true }, "$(eye) Winnow: only watching"],
    [{ off: true }, "$(circle-slash) Winnow: off"],
    [{ task: { ...task, routing: "all" } }, "$(filter) all of 403 tools"],
    [{ task: { ...task, counts: { scoped: 0, attached: 0, native: 0 } } }, "$(filter) Winnow: no tools"],
    [{ task: { ...task, texts: { row: texts.row, summary: "", costs: "" } } }, "$(filter) 12 of 403 tools"],
  ];
  for (const [given, want] of cases) assert.equal(status(given).text, want);
  assert.match(status({ task: undefined }).accessibility, /^Winnow: ready\./);
});

test("off tells which rules still hold", () => {
  const servers = [server({ tools: 9, inScope: 7, scopeTokens: 0 }), server({ name: "b", state: "disabled" })];
  assert.match(
    status({ off: true, mode: "Notes", servers }).tooltip,
    /VS Code groups tools by itself again\. Your rules still hold: mode Notes, 1 server off, 2 tools out of scope\./,
  );
  assert.match(status({ off: true }).tooltip, /Every tool that it shows is sent\./);
  assert.doesNotMatch(status({ off: true }).tooltip, /latest task/);
});

test("it warns when a server waits for the user, before the first task in the text", () => {
  const servers = [server({ state: "waitingForConsent", waits: "waits for your consent" }), server()];
  const waiting = status({ task: undefined, servers });
  assert.equal(waiting.text, "$(warning) docs waits for your consent");
  assert.equal(waiting.warning, true);
  assert.equal(status({ off: true, servers }).text, "$(warning) Winnow: off");
  const two = status({
    servers: [
      server({ state: "failed", waits: "failed", error: "exit code 1" }),
      server({ name: "b", state: "signedOut", waits: "signed out" }),
    ],
  });
  assert.equal(two.text, "$(warning) 12 of 403 tools, saves 4.1k");
  assert.match(two.accessibility, /2 servers need attention/);
  assert.match(two.tooltip, /docs: exit code 1\n\n\$\(warning\) b signed out/);
});

test("a mistake in a file needs the person, whatever else there is to say", () => {
  const faults = [{ file: "/w/.vscode/winnow.json", line: 3, column: 1, message: "not JSON" }];
  const noted = status({ task: undefined, faults });
  assert.equal(noted.text, "$(warning) Winnow needs you: winnow.json:3");
  assert.equal(noted.warning, true);
  assert.match(noted.tooltip, /winnow\\\.json:3: not JSON/);
  assert.equal(status({ faults }).text, "$(warning) 12 of 403 tools, saves 4.1k");
  assert.match(status({ faults }).accessibility, /needs you: winnow\.json:3/);
});

test("before the first task the tooltip has the one step to a routed model", () => {
  const tooltip = (models: string[]) => status({ task: undefined, models }).tooltip;
  assert.match(tooltip(["Scripted One"]), /\[Use Winnow with Scripted One\]\(command:winnow\.useModel\)/);
  assert.match(tooltip(["A", "B"]), /\[Use Winnow with My Model…\]/);
});

test("shadow mode says would, and what was missed", () => {
  const notes = ["Missed: read_file. The model called it.", "2 tools do not fit."];
  const warnings = ["2 tools do not fit"];
  const watched = { ...texts, notes, saving: "would save 4.1k" };
  const noted = status({ shadow: true, task: { ...task, shadow: true, missed: 1, warnings, texts: watched } });
  assert.equal(noted.text, "$(warning) would attach 12 of 403 tools, would save 4.1k, 1 missed");
  assert.match(noted.tooltip, /\$\(warning\) Missed: read\\_file/);
  assert.match(noted.tooltip, /\$\(warning\) 2 tools do not fit/);
  assert.match(noted.accessibility, /Missed: read_file\. .* 2 tools do not fit\. Opens the menu\./);
  assert.equal(noted.warning, false);
});

test("a daemon that does not run is told before anything else, with the cause and the next step", () => {
  const stopped = status({ off: true, stopped: "winnowd ended by itself. Look at the log, then restart it." });
  assert.equal(stopped.text, "$(error) Winnow does not run");
  assert.match(stopped.tooltip, /winnowd ended by itself\\\. Look at the log/);
  assert.match(stopped.accessibility, /^Winnow does not run: winnowd ended by itself\. .* Opens the menu\.$/);
  assert.equal(stopped.warning, true);
});
