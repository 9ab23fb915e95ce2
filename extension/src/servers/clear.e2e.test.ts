// "Clear Caches and Learned Data", with the real winnowd.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import type { Memento } from "vscode";
import { testDaemon } from "../../test/support/daemon";
import { type Kept, clearAll } from "./clear";

/** VS Code's memory for an extension. */
function memento(values: Map<string, unknown>): Memento {
  return {
    keys: () => [...values.keys()],
    get: () => assert.fail("nothing is read"),
    update: (key, value) => {
      if (value === undefined) values.delete(key);
      else values.set(key, value);
      return Promise.resolve();
    },
  };
}

/** What earlier sessions left in a workspace's storage, and a daemon that has just been started on it. */
async function used(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-clear-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const storage = path.join(dir, "storage");
  const files = [
    ...["conversations/1.conversation", "manifests/1.manifest", "results/1.r_1.result", "vectors/1.vectors"],
    ...["loads.learned", "tokens.learned", "usage.learned"],
  ];
  for (const file of files) {
    await mkdir(path.dirname(path.join(storage, file)), { recursive: true });
    await writeFile(path.join(storage, file), "{}");
  }
  const daemon = testDaemon(t, dir, { storagePath: storage });
  await daemon.start();
  const values = new Map<string, unknown>([
    ["winnow.notice.firstRun", true],
    ["winnow.modelPicked", "stays"],
  ]);
  const kept: Kept = { daemon, globalState: memento(values) };
  const left = async () =>
    (await readdir(storage, { recursive: true, withFileTypes: true }))
      .filter((entry) => entry.isFile())
      .map(({ name }) => name);
  return { storage, daemon, kept, left, values };
}

test("all is there before and gone after, but for what the user decided", async (t) => {
  const { daemon, kept, left, values } = await used(t);
  assert.equal((await left()).length, 7);
  const states: string[] = [];
  daemon.onDidChangeState(({ kind }) => states.push(kind));
  await clearAll(kept);
  assert.deepEqual(await left(), []); // consents are kept with the user, not here
  assert.deepEqual(states, ["stopped", "starting", "ready"]);
  assert.deepEqual([...values.keys()], ["winnow.modelPicked"]);
});

test("what cannot be deleted is told, and the rest is gone", async (t) => {
  const { storage, daemon, kept, left } = await used(t);
  // A folder in the place of a file, with something in it.
  await rm(path.join(storage, "loads.learned"));
  await mkdir(path.join(storage, "loads.learned"));
  await writeFile(path.join(storage, "loads.learned", "stays"), "");
  await assert.rejects(clearAll(kept), /loads\.learned/);
  assert.deepEqual(await left(), ["stays"]);
  assert.equal(daemon.state.kind, "ready");
});
