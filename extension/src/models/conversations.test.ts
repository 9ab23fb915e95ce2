import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import type { TaskState } from "../protocol.gen";
import { ConversationFiles, maxFiles } from "./conversations";
import type { Kept } from "./kept";
import { answered, call, result, text } from "./testparts";

/** As much of a state as matters here. */
const state = (task: string) => ({ version: 1, task, turn: 2 }) as unknown as TaskState;

const data = { kind: "data" as const, mimeType: "image/png", data: new Uint8Array([1, 2, 255]) };
const thinking = { kind: "other" as const, text: "hm", raw: { value: "hm", id: "t1", metadata: { signature: "s" } } };

const kept = (task = "t"): Kept => ({
  title: "beans",
  state: state(task),
  hidden: [
    {
      anchor: { chain: "abc", callIds: ["c1"] },
      rounds: [
        answered(thinking, text("Let me look."), call("h1", "mcp_load", { query: "a" })),
        result("h1", "ok", data),
      ],
      calls: [call("h2", "mcp_load")],
      results: [{ kind: "result", callId: "h2", content: [text("ok")] }],
    },
  ],
});

async function files(t: TestContext, revive = (raw: unknown) => raw) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-kept-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const errors: unknown[] = [];
  const folder = path.join(dir, "conversations");
  return { folder, errors, files: new ConversationFiles(folder, "workspace", revive, (err) => errors.push(err)) };
}

test("what was kept is read as it was written", async (t) => {
  const { files: store, errors } = await files(t);
  store.write("one", kept("old"));
  store.write("one", kept());
  await store.written();
  assert.deepEqual(await store.read("one"), kept());
  assert.equal(await store.read("another"), undefined);
  store.forget("one");
  await store.written();
  assert.equal(await store.read("one"), undefined);
  assert.deepEqual(errors, []);
});

test("another workspace's conversation that begins alike is another one", async (t) => {
  const { files: store, folder } = await files(t);
  store.write("one", kept());
  await store.written();
  const other = new ConversationFiles(
    folder,
    "another",
    (raw) => raw,
    () => assert.fail("nothing fails"),
  );
  assert.equal(await other.read("one"), undefined);
});

test("thinking that VS Code has no class for is left out", async (t) => {
  const { files: store } = await files(t, () => undefined);
  store.write("one", kept());
  await store.written();
  const first = (await store.read("one"))?.hidden[0]?.rounds[0];
  assert.deepEqual(
    first?.parts.map(({ kind }) => kind),
    ["text", "call"],
  );
});

test("only so many are kept, and none that is too long", async (t) => {
  const { files: store, folder } = await files(t);
  for (let i = 0; i < maxFiles + 5; i++) {
    store.write(`chat ${i}`, kept());
    await store.written();
  }
  assert.equal((await readdir(folder)).length, maxFiles);
  assert.equal(await store.read("chat 0"), undefined);
  assert.ok(await store.read(`chat ${maxFiles + 4}`));
  const last = `chat ${maxFiles + 4}`;
  store.write(last, { ...kept(), title: "x".repeat(5_000_000) });
  await store.written();
  assert.equal(await store.read(last), undefined, "an older state would be a lie");
});

test("a file that cannot be read, or is of another version, is told or passed over", async (t) => {
  const { files: store, folder, errors } = await files(t);
  store.write("one", kept());
  await store.written();
  const [name] = await readdir(folder);
  await writeFile(path.join(folder, name ?? ""), '{"version":99}');
  assert.equal(await store.read("one"), undefined);
  assert.equal(errors.length, 0);
  await writeFile(path.join(folder, name ?? ""), "{ cut off");
  assert.equal(await store.read("one"), undefined);
  assert.equal(errors.length, 1);
});
