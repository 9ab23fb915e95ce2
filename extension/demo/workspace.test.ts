import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";
import type { ServerEntry } from "./servers";
import { createWorkspace, notes } from "./workspace";

const checkout = process.cwd();

test("the workspace holds the notes and runs installed servers only", async (t) => {
  const workspace = await createWorkspace(checkout);
  t.after(() => workspace.remove());
  for (const [name, text] of Object.entries(notes)) {
    assert.equal(await readFile(path.join(workspace.notes, name), "utf8"), text);
  }
  const config = JSON.parse(await readFile(path.join(workspace.folder, ".vscode", "winnow.json"), "utf8")) as {
    servers: Record<string, ServerEntry>;
  };
  assert.equal(Object.keys(config.servers).length, 6);
  for (const [name, { command, args }] of Object.entries(config.servers)) {
    assert.equal(command, process.execPath);
    assert.ok(args[0] !== undefined && existsSync(args[0]), `${name} runs ${String(args[0])}, which is not installed`);
  }
});

test("nothing is left in the temporary folder, and nothing is made in the checkout", async () => {
  const workspace = await createWorkspace(checkout);
  const base = path.dirname(workspace.folder);
  assert.ok(!base.startsWith(checkout + path.sep));
  await workspace.remove();
  assert.equal(existsSync(base), false);
});
