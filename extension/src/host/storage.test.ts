import assert from "node:assert/strict";
import path from "node:path";
import test from "node:test";
import { daemonStorage, unlocked } from "./storage";

test("a workspace has the same storage after a reload, and another workspace another", () => {
  const global = path.join("globalStorage", "winnow-mcp.winnow");
  const storage = daemonStorage(global, "file:///work/notes");
  assert.equal(daemonStorage(global, "file:///work/notes"), storage);
  assert.notEqual(daemonStorage(global, "file:///work/notes2"), storage);
  assert.equal(daemonStorage(global, ""), path.join(global, "no-workspace"));
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
