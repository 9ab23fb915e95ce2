import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { daemonStorage, unlocked } from "./storage";

/** VS Code's folders of a user, and of the workspace `id` in them. */
async function folders(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-storage-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const workspace = (suffix = "") => path.join(dir, "workspaceStorage", `id${suffix}`, "winnow-mcp.winnow");
  /** Leaves what an earlier version kept in a storage. */
  const leave = async (storage: string, text: string) => {
    await mkdir(path.join(storage, "results"), { recursive: true });
    await writeFile(path.join(storage, "loads.learned"), text);
  };
  return { dir, global: path.join(dir, "globalStorage", "winnow-mcp.winnow"), workspace, leave };
}

const name = "file:///work/notes";
const fail = (err: unknown) => assert.fail(String(err));
const loads = (storage: string) => readFile(path.join(storage, "loads.learned"), "utf8");

test("a reloaded window has the same storage, whichever VS Code gives it, and another workspace another", async (t) => {
  const { global, workspace } = await folders(t);
  const storage = await daemonStorage({ global, workspace: workspace(), name }, fail);
  assert.equal(await daemonStorage({ global, workspace: workspace("-1"), name }, fail), storage);
  assert.equal(await daemonStorage({ global, workspace: undefined, name }, fail), storage);
  assert.notEqual(await daemonStorage({ global, workspace: workspace(), name: `${name}2` }, fail), storage);
  const without = { global, workspace: undefined, name: "" };
  assert.equal(await daemonStorage(without, fail), path.join(global, "no-workspace"));
});

test("what an earlier version kept is moved once, and not lost", async (t) => {
  const { global, workspace, leave } = await folders(t);
  await leave(workspace(), "learned");
  const storage = await daemonStorage({ global, workspace: workspace(), name }, fail);
  assert.equal(await loads(storage), "learned");
  assert.deepEqual((await readdir(storage)).sort(), ["loads.learned", "results"]);
  assert.deepEqual(await readdir(path.dirname(workspace())), []);
  // A daemon of the earlier version has ended after that.
  await leave(workspace(), "late");
  assert.equal(await daemonStorage({ global, workspace: workspace(), name }, fail), storage);
  assert.equal(await loads(storage), "learned");
});

test("a window that is locked out moves what the workspace kept, and not what it was given instead", async (t) => {
  const { global, workspace, leave } = await folders(t);
  await leave(workspace(), "learned");
  await leave(workspace("-1"), "once");
  assert.equal(await loads(await daemonStorage({ global, workspace: workspace("-1"), name }, fail)), "learned");
});

test("two windows that move at once have one storage", async (t) => {
  const { global, workspace, leave } = await folders(t);
  await leave(workspace(), "learned");
  const open = () => daemonStorage({ global, workspace: workspace(), name }, fail);
  const found = await Promise.all([open(), open(), open()]);
  assert.equal(new Set(found).size, 1);
  assert.equal(await loads(found[0]), "learned");
});

test("what cannot be moved is told, and used where it is", async (t) => {
  const { global, workspace, leave } = await folders(t);
  await leave(workspace(), "learned");
  await mkdir(global, { recursive: true });
  await writeFile(path.join(global, "workspaces"), "a file where the folder belongs");
  const errors: unknown[] = [];
  const storage = await daemonStorage({ global, workspace: workspace(), name }, (err) => errors.push(err));
  assert.equal(await loads(storage), "learned");
  assert.equal(errors.length, 1);
});

test("a storage's name is the same when it is locked", () => {
  const id = "0123456789abcdef0123456789abcdef";
  assert.equal(
    unlocked(`file:///u/workspaceStorage/${id}-2/winnow-mcp.winnow`),
    `file:///u/workspaceStorage/${id}/winnow-mcp.winnow`,
  );
  assert.equal(unlocked(`C:\\u\\${id}-1\\winnow-mcp.winnow`), `C:\\u\\${id}\\winnow-mcp.winnow`);
  for (const same of [`/u-1/${id}/winnow-mcp.winnow`, `/u/ext-dev/winnow-mcp.winnow`, `/u/${id}/winnow-1`]) {
    assert.equal(unlocked(same), same);
  }
});
