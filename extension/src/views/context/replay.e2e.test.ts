import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { test } from "node:test";
import { replayPage } from "./replayrun";

test("the daemon makes a page of what clients have kept, and says why it does not", async () => {
  const folder = await mkdtemp(path.join(tmpdir(), "winnow-replay-"));
  const before = process.env["HOME"];
  process.env["HOME"] = folder;
  try {
    const program = () => Promise.resolve(path.resolve("extension/bin/winnowd"));
    const session = {
      workspaceFolders: [],
      storagePath: path.join(folder, "storage"),
      trusted: true,
      settings: { initialK: 5 },
      globalStorageDirs: [path.join(folder, "User", "globalStorage")],
    };
    const page = await replayPage({ program, session: () => session }, AbortSignal.timeout(60_000));
    assert.match(page, /^<!DOCTYPE html>/);
    assert.match(page, /No conversation of .* was found/);
    await assert.rejects(
      replayPage({ program, session: () => ({ trusted: "yes" }) }, AbortSignal.timeout(60_000)),
      /was not replayed: .*standard input/,
    );
  } finally {
    process.env["HOME"] = before;
    await rm(folder, { recursive: true, force: true });
  }
});
