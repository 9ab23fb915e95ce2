// A move, as the real winnowd sees it, and the script that undoes it when Winnow
// is uninstalled.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { root, testDaemon } from "../daemon/testdaemon";
import { CatalogDidChange, CatalogList } from "../protocol.gen";
import { Moves } from "./moves";
import { planImport } from "./plan";

/** A workspace with a server of VS Code's, which is moved. */
async function moved(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-moved-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, "mcp.json");
  const memory = path.join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
  const args = [memory];
  const env = { MEMORY_FILE_PATH: "${workspaceFolder}/memory.jsonl" };
  const entry = { type: "stdio", command: process.execPath, args, env, dev: { watch: "**" } };
  const text = JSON.stringify({ servers: { memory: entry } }, undefined, "\t");
  await writeFile(file, text);
  const target = path.join(dir, ".vscode", "winnow.json");
  const from = { path: file, text };
  const plan = planImport({ client: "VS Code", root: "servers" }, ["memory"], from, { path: target, text: undefined });
  await new Moves(path.join(dir, "winnow")).make(plan, new Date());
  return { dir, file, target, text };
}

test("winnowd runs what was moved", async (t) => {
  const { dir } = await moved(t);
  const log: string[] = [];
  const daemon = testDaemon(
    t,
    dir,
    { workspaceFolders: [{ uri: pathToFileURL(dir).href }], userConfigDir: path.join(dir, "none") },
    { onLog: (line) => log.push(line) },
  );
  const ready = new Promise<void>((resolve) => {
    daemon.onNotification(CatalogDidChange, () => {
      void daemon.request(CatalogList, {}).then(({ servers }) => {
        if (servers.some(({ name, state }) => name === "memory" && state === "ready")) resolve();
      });
    });
  });
  await daemon.start();
  await ready;
  assert.doesNotMatch(log.join("\n"), /unknown key/i);
});

test("uninstalling puts it back, whatever else cannot be read", { skip: process.platform !== "linux" }, async (t) => {
  const { dir, file, target, text } = await moved(t);
  assert.notEqual(await readFile(file, "utf8"), text);
  // Newer than the move, so that it is met first.
  const broken = path.join(dir, "winnow", "imports", "9999");
  await mkdir(broken);
  await writeFile(path.join(broken, "record.json"), '{"version":1,"sou');
  const script = path.join(root, "extension", "dist", "uninstall.js");
  const env = { ...process.env, XDG_CONFIG_HOME: dir };
  const { stderr } = await promisify(execFile)(process.execPath, [script], { env });
  assert.equal(await readFile(file, "utf8"), text);
  await assert.rejects(readFile(target), /ENOENT/);
  assert.ok(stderr.startsWith(broken), stderr);
});
