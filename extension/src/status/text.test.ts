import assert from "node:assert/strict";
import test from "node:test";
import type { ServerInfo, TaskSummary } from "../protocol.gen";
import { type StatusInput, statusText } from "./text";

const task: TaskSummary = {
  task: "t",
  source: "",
  mode: "",
  turn: 1,
  frozen: false,
  counts: { scoped: 403, attached: 12, native: 0 },
  tokens: { all: 58_000, attached: 2000, saved: 56_000 },
};

function status(overrides: Partial<StatusInput> = {}) {
  return statusText({ task, routed: true, mode: undefined, servers: [], off: false, ...overrides });
}

function server(overrides: Partial<ServerInfo> = {}): ServerInfo {
  return { name: "docs", source: "", state: "ready", tools: 0, tokens: 0, inScope: 0, ...overrides };
}

test("the status bar says what was attached and saved, and the mode", () => {
  assert.equal(status()?.text, "$(filter) 12 of 403 tools, 56k tokens saved");
  assert.equal(status({ mode: "Review" })?.text, "$(filter) 12 of 403 tools, 56k tokens saved · mode Review");
  assert.equal(status()?.accessibility, "Winnow: 12 of 403 tools, 56k tokens saved. Opens the menu.");
  assert.equal(status()?.warning, false);
});

test("it says nothing when routing is not active", () => {
  assert.equal(status({ off: true, servers: [server()] }), undefined);
  assert.equal(status({ task: undefined }), undefined);
  assert.equal(status({ routed: false }), undefined);
});

test("it warns when a server waits for the user, also before the first task", () => {
  const waiting = status({ routed: false, servers: [server({ state: "waitingForConsent" }), server()] });
  assert.equal(waiting?.text, "$(warning) Winnow · docs waits for your consent");
  assert.equal(waiting.warning, true);
  const two = status({
    servers: [server({ state: "failed", error: "exit code 1" }), server({ name: "b", state: "signedOut" })],
  });
  assert.equal(two?.text, "$(warning) 12 of 403 tools, 56k tokens saved");
  assert.match(two.accessibility, /2 servers need attention/);
  assert.match(two.tooltip, /exit code 1/);
});

test("with routing off a server that waits for the user shows all the same, and the way back", () => {
  const waiting = status({ off: true, servers: [server({ state: "failed", error: "exit code 1" })] });
  assert.equal(waiting?.text, "$(warning) Winnow · docs failed");
  assert.equal(waiting.accessibility, "Winnow: Winnow, docs failed. Opens the menu.");
  assert.match(waiting.tooltip, /Routing is off.*The menu turns it on\.[\s\S]*exit code 1/);
  assert.doesNotMatch(waiting.tooltip, /latest task/);
});

test("shadow mode says would", () => {
  const shadow = status({ task: { ...task, shadow: true, missed: 1 } });
  assert.equal(shadow?.text, "$(eye) would attach 12 of 403 tools, save 56k tokens, 1 missed");
});

test("what was missed, and what the daemon warns of, is in the tooltip and said aloud", () => {
  const missedTools = [{ server: "files", tool: "read_file" }];
  const noted = status({ task: { ...task, shadow: true, missed: 1, missedTools, warnings: ["2 tools do not fit"] } });
  assert.match(noted?.tooltip ?? "", /\$\(warning\) Missed: read\\_file/);
  assert.match(noted?.tooltip ?? "", /\$\(warning\) 2 tools do not fit/);
  assert.match(noted?.accessibility ?? "", /Missed: read_file\. .* 2 tools do not fit\. Opens the menu\./);
  assert.match(noted?.text ?? "", /^\$\(warning\) would attach/);
  assert.equal(noted?.warning, false);
});

test("a task that is not routed is mentioned when the daemon warns of it", () => {
  const warned = status({ routed: false, task: { ...task, warnings: ["200 tools in one request"] } });
  assert.equal(warned?.text, "$(warning) Winnow");
  assert.match(warned.tooltip, /200 tools in one request/);
});

test("routing that costs more than it saves says so", () => {
  const dear = { ...task, tokens: { all: 100, attached: 420, saved: -320 } };
  assert.equal(status({ task: dear })?.text, "$(filter) 12 of 403 tools, 320 tokens more");
});

test("a daemon that does not run is told before anything else, with the cause and the next step", () => {
  const stopped = status({ off: true, stopped: "winnowd ended by itself. Look at the log, then restart it." });
  assert.equal(stopped?.text, "$(error) Winnow does not run");
  assert.match(stopped.tooltip, /winnowd ended by itself\\\. Look at the log/);
  assert.match(stopped.accessibility, /^Winnow does not run: winnowd ended by itself\. .* Opens the menu\.$/);
  assert.equal(stopped.warning, true);
});
