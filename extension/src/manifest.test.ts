// What package.json promises to VS Code and to the Marketplace.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import test from "node:test";

interface Manifest {
  engines: { vscode: string };
  devDependencies: Record<string, string>;
  enabledApiProposals?: unknown;
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
