// What package.json promises to VS Code and to the Marketplace.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import test from "node:test";

interface Manifest {
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  enabledApiProposals?: unknown;
  contributes: { menus: Record<string, { command: string; when?: string }[]> };
  capabilities: { untrustedWorkspaces: { supported: unknown }; virtualWorkspaces: { supported: unknown } };
}

const manifest = JSON.parse(await readFile("package.json", "utf8")) as Manifest;

test("what is compiled against is the lowest VS Code that it runs on", () => {
  const lowest = /^\^(\d+\.\d+)\.0$/.exec(manifest.engines.vscode)?.[1];
  assert.ok(lowest !== undefined, manifest.engines.vscode);
  assert.match(manifest.devDependencies["@types/vscode"] ?? "", new RegExp(`^${lowest.replace(".", "\\.")}\\.\\d+$`));
});

test("no proposed API is asked for", () => {
  assert.equal("enabledApiProposals" in manifest, false);
});

test("an untrusted workspace is shown, a virtual one declined", () => {
  assert.equal(manifest.capabilities.untrustedWorkspaces.supported, "limited");
  assert.equal(manifest.capabilities.virtualWorkspaces.supported, false);
});

/** What the extension tells VS Code of itself, by key. */
async function contextKeys(): Promise<Set<string>> {
  const files = (await readdir("extension/src", { recursive: true })).filter((file) => file.endsWith(".ts"));
  const texts = await Promise.all(files.map((file) => readFile(path.join("extension/src", file), "utf8")));
  const keys = texts.flatMap((text) =>
    text.includes('"setContext"') ? [...text.matchAll(/"(winnow\.\w+)"/g)].map(([, key = ""]) => key) : [],
  );
  return new Set(keys);
}

test("a menu goes by what the extension tells VS Code", async () => {
  const keys = await contextKeys();
  for (const [menu, items] of Object.entries(manifest.contributes.menus)) {
    for (const { command, when = "" } of items) {
      const named = when.replaceAll(/== winnow\.\w+/g, "").match(/\bwinnow\.\w+/g) ?? [];
      for (const key of named) assert.ok(keys.has(key), `${menu}, ${command}: nobody sets ${key}`);
    }
  }
});

test("what needs something to work on is not in a menu where there is none", () => {
  const { "view/title": title = [], "view/item/context": rows = [] } = manifest.contributes.menus;
  const needs = {
    "winnow.removeProxyModels": "winnow.hasProxyModels",
    "winnow.forgetInputs": "winnow.hasInputs",
    "winnow.pickMode": "winnow.hasModes",
    "winnow.serverInMode": "winnow.hasModes",
    "winnow.filterServers": "winnow.hasServers",
    "winnow.sortByCost": "winnow.hasServers",
    "winnow.toggleShadow": "winnow.routing == on",
    "winnow.toggleTool": ".switch",
    "winnow.loadTool": "task\\.(dynamic|dispatch)",
  };
  for (const [command, need] of Object.entries(needs)) {
    const items = [...title, ...rows].filter((item) => item.command === command);
    assert.ok(items.length > 0, command);
    for (const { when = "" } of items) assert.ok(when.includes(need), `${command}: ${when}`);
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
