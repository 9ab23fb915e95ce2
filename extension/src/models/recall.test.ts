import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test from "node:test";
import { DaemonError } from "../daemon/errors";
import type { TaskState } from "../protocol.gen";
import { ConversationFiles } from "./conversations";
import { RoutingDaemon } from "./daemon";
import { HiddenMemory } from "./hidden";
import { type Place, Recall } from "./recall";

const place: Place = {
  facts: { conversation: "chat", messages: [], called: [], source: "vscode:1" },
  chain: ["one"],
};

test("a conversation that could not be taken up is tried again, and what is kept of it stays", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-recall-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const errors: unknown[] = [];
  const files = new ConversationFiles(
    dir,
    "workspace",
    (raw) => raw,
    (err) => errors.push(err),
  );
  let running = false;
  const resumed: unknown[] = [];
  const daemon = new RoutingDaemon({
    request: (_type, params) => {
      if (!running) return Promise.reject(new DaemonError("winnowd was stopped"));
      resumed.push(params);
      return Promise.resolve({} as never);
    },
  });
  const recall = () => new Recall({ files, daemon, memory: new HiddenMemory() }, (err) => errors.push(err));
  recall().keep(place, { task: "t1" } as TaskState, "the beans");
  await files.written();
  const reloaded = recall();
  assert.equal(await reloaded.recall(place), undefined);
  assert.match(String(errors), /was stopped/);
  running = true;
  assert.equal(await reloaded.recall(place), "the beans");
  assert.equal(await reloaded.recall(place), "the beans");
  assert.deepEqual(resumed, [{ state: { task: "t1", source: "vscode:1" } }], "it is resumed once");
});
