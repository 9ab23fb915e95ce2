import assert from "node:assert/strict";
import test from "node:test";
import { readFile } from "node:fs/promises";
import type { ServerInfo, TaskSummary } from "../protocol.gen";
import { type MenuInput, menuEntries } from "./menu";

const task: TaskSummary = {
  task: "t",
  source: "",
  client: true,
  mode: "",
  routing: "dynamic",
  turn: 1,
  frozen: false,
  counts: { scoped: 40, attached: 30, native: 0 },
  tokens: { all: 2, attached: 1, saved: 1, client: 2, clientSaved: 1 },
  used: { called: 0, inHand: 0 },
};

const input: MenuInput = {
  off: false,
  shadow: false,
  modes: { modes: [{ slug: "review", name: "Review", file: "/w/.vscode/winnow.json" }], current: "review" },
  servers: [],
  faults: [],
  models: ["Scripted One"],
  tasks: [task],
};

function commands(overrides: Partial<MenuInput> = {}): string[] {
  return menuEntries({ ...input, ...overrides }).flatMap(({ command }) => command ?? []);
}

test("the menu picks a mode, turns routing off or on, opens the panel and shows the log", () => {
  assert.deepEqual(commands(), [
    "winnow.pickMode",
    "winnow.toggleRouting",
    "winnow.toggleShadow",
    "winnow.showContext",
    "winnow.why",
    "winnow.loadTool",
    "winnow.showServers",
    "winnow.showLog",
  ]);
  assert.ok(commands({ off: true }).includes("winnow.toggleRouting"));
  assert.ok(!commands({ tasks: [] }).includes("winnow.why"));
  assert.ok(!commands({ modes: { modes: [], current: "" } }).includes("winnow.pickMode"));
});

test("what would do nothing is not offered", () => {
  assert.ok(!commands({ off: true }).includes("winnow.toggleShadow"));
  for (const tasks of [[], [{ ...task, routing: "all" as const }], [{ ...task, shadow: true }]])
    assert.ok(!commands({ tasks }).includes("winnow.loadTool"), JSON.stringify(tasks));
});

test("before the first task the menu has the one step to a routed model", () => {
  const labels = (models: string[]) => menuEntries({ ...input, models, tasks: [] }).map(({ label }) => label);
  assert.ok(labels(["Scripted One"]).includes("$(sparkle) Use Winnow with Scripted One"));
  assert.ok(labels(["A", "B"]).includes("$(sparkle) Use Winnow with My Model…"));
  assert.ok(!commands().includes("winnow.useModel"));
});

test("a mistake in a file comes first, and its place is opened", () => {
  const fault = { file: "/w/.vscode/winnow.json", line: 3, column: 1, message: "not JSON" };
  const [heading, first] = menuEntries({ ...input, faults: [fault] });
  assert.equal(heading?.label, "Needs attention");
  assert.deepEqual(first?.fault, fault);
  assert.equal(first.description, "not JSON");
});

test("what waits for the user comes first, with what mends it", () => {
  const server = (name: string, state: ServerInfo["state"]): ServerInfo => ({
    name,
    source: "",
    state,
    tools: 0,
    tokens: 0,
    inScope: 0,
    scopeTokens: 0,
  });
  const entries = menuEntries({
    ...input,
    servers: [server("a", "ready"), server("b", "signedOut"), server("c", "waitingForTrust")],
  });
  assert.deepEqual(
    entries.slice(0, 3).map(({ label, command, server }) => [label, command, server]),
    [
      ["Needs attention", undefined, undefined],
      ["$(key) Sign in to b", "winnow.signIn", "b"],
      ["$(workspace-untrusted) Trust the workspace, for c", "winnow.manageTrust", "c"],
    ],
  );
});

test("a daemon that does not run is restarted by the first entry, which says why", () => {
  const [heading, restart] = menuEntries({ ...input, stopped: "it ended by itself" });
  assert.equal(heading?.label, "Needs attention");
  assert.equal(restart?.command, "winnow.restartDaemon");
  assert.equal(restart.description, "it ended by itself");
});

test("each server that waits for consent can be allowed", () => {
  const server = (name: string): ServerInfo => ({
    name,
    source: "",
    state: "waitingForConsent",
    tools: 0,
    tokens: 0,
    inScope: 0,
    scopeTokens: 0,
    file: "/w/.mcp.json",
  });
  assert.deepEqual(
    menuEntries({ ...input, servers: [server("a"), server("b")] })
      .slice(1, 4)
      .map(({ label, server }) => [label, server]),
    [
      ["$(shield) Allow a", "a"],
      ["$(shield) Allow b", "b"],
      ["Routing", undefined],
    ],
  );
});

test("every command of the menu is declared", async () => {
  const manifest = JSON.parse(await readFile("package.json", "utf8")) as {
    contributes: { commands: { command: string }[] };
  };
  const declared = new Set(manifest.contributes.commands.map(({ command }) => command));
  const states: ServerInfo["state"][] = ["signedOut", "failed", "waitingForConsent", "waitingForTrust"];
  const servers = states.map((state): ServerInfo => ({
    name: state,
    source: "",
    state,
    tools: 0,
    tokens: 0,
    inScope: 0,
    scopeTokens: 0,
    file: "/f",
  }));
  for (const command of [...commands({ servers }), ...commands({ off: true, shadow: true, stopped: "" })]) {
    assert.ok(declared.has(command), command);
  }
});

test("the palette has fifteen commands at most, and each other one has a place of its own", async () => {
  const { contributes } = JSON.parse(await readFile("package.json", "utf8")) as {
    contributes: { commands: { command: string }[]; menus: Record<string, { command: string; when?: string }[]> };
  };
  const { commandPalette = [], ...menus } = contributes.menus;
  const hidden = new Set(commandPalette.filter(({ when }) => when === "false").map(({ command }) => command));
  const names = contributes.commands.map(({ command }) => command);
  const shown = names.filter((command) => !hidden.has(command));
  assert.ok(shown.length <= 15, shown.join("\n"));
  const placed = new Set(Object.values(menus).flatMap((menu) => menu.map(({ command }) => command)));
  placed.add("winnow.showMenu"); // the status item's
  assert.deepEqual(
    [...hidden].filter((command) => !placed.has(command)),
    [],
  );
});
