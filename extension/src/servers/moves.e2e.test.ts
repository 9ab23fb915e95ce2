// A move of servers by the real winnowd, and the script that undoes it when Winnow is uninstalled.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { root, testDaemon } from "../../test/support/daemon";
import { CatalogDidChange, CatalogList, ImportApply, ImportList, ImportPlan } from "../protocol/protocol.gen";

/** A workspace with a server of VS Code's, which is moved. */
async function moved(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-moved-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const file = path.join(dir, ".vscode", "mcp.json");
  const memory = path.join(root, "node_modules/@modelcontextprotocol/server-memory/dist/index.js");
  const args = [memory];
  const env = { MEMORY_FILE_PATH: "${workspaceFolder}/memory.jsonl" };
  const entry = { type: "stdio", command: process.execPath, args, env, dev: { watch: "**" } };
  const text = JSON.stringify({ servers: { memory: entry } }, undefined, "\t");
  await mkdir(path.dirname(file));
  await writeFile(file, text);
  const log: string[] = [];
  const daemon = testDaemon(
    t,
    dir,
    { workspaceFolders: [{ uri: pathToFileURL(dir).href }], userConfigDir: path.join(dir, "winnow") },
    { onLog: (line) => log.push(line) },
  );
  await daemon.start();
  const { files } = await daemon.request(ImportList, {});
  const [found] = files;
  assert.ok(found !== undefined);
  assert.deepEqual([found.client, found.servers], ["VS Code", [{ name: "memory", state: "new" }]]);
  const plan = { source: found.uri, target: found.target, servers: ["memory"] };
  const { changes, words } = await daemon.request(ImportPlan, plan);
  assert.equal(words, "Of “memory” this is left out, as Winnow has no such thing: dev.");
  await daemon.request(ImportApply, { plan, changes });
  return { daemon, dir, file, target: fileURLToPath(found.target), text, log };
}

test("winnowd runs what was moved", async (t) => {
  const { daemon, log } = await moved(t);
  await new Promise<void>((resolve) => {
    const look = () => {
      void daemon.request(CatalogList, {}).then(({ servers }) => {
        if (servers.some(({ name, state }) => name === "memory" && state === "ready")) resolve();
      });
    };
    daemon.onNotification(CatalogDidChange, look);
    look();
  });
  assert.doesNotMatch(log.join("\n"), /unknown key/i);
});

test("uninstalling puts it back, whatever else cannot be read", { skip: process.platform !== "linux" }, async (t) => {
  const { dir, file, target, text } = await moved(t);
  assert.notEqual(await readFile(file, "utf8"), text);
  // Newer than the move, so that it is met first.
  const broken = path.join(dir, "winnow", "imports", "9999");
  await mkdir(broken);
  await writeFile(path.join(broken, "record.json"), '{"version":2,"pl');
  const script = path.join(root, "extension", "dist", "uninstall.js");
  const env = { ...process.env, XDG_CONFIG_HOME: dir };
  const { stderr } = await promisify(execFile)(process.execPath, [script], { env }).catch(
    (failed: unknown) => failed as { stderr: string },
  );
  assert.equal(await readFile(file, "utf8"), text);
  await assert.rejects(readFile(target), /ENOENT/);
  assert.ok(stderr.startsWith(broken), stderr);
});
