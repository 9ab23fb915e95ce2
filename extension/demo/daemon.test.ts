import assert from "node:assert/strict";
import { chmod, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { ModeSet, TaskClose, TaskList } from "../src/protocol/protocol.gen";
import { Daemon } from "./daemon";
import { explain } from "./errors";

/** A daemon of few words: each method has one behaviour. */
const script = `#!${process.execPath}
const send = (message) => {
  const text = JSON.stringify({ jsonrpc: "2.0", ...message });
  process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text);
};
const answer = ({ id, method }) => {
  if (method === "task/list") send({ id, result: { tasks: [] } });
  if (method === "task/close") send({ id, error: { code: 1001, message: "no such task", data: { kind: "unknownTask", next: "Open one." } } });
  if (method === "mode/set") { console.error("about to fail"); process.exit(3); }
  if (method === "shutdown") send({ id, result: {} });
  if (method === "exit") process.exit(0);
};
let input = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  input += text;
  for (let match; (match = /^Content-Length: (\\d+)\\r\\n\\r\\n/.exec(input)); ) {
    const end = match[0].length + Number(match[1]);
    if (input.length < end) return;
    const message = JSON.parse(input.slice(match[0].length, end));
    input = input.slice(end);
    answer(message);
  }
});
`;

/** Starts the script and makes sure that it is gone after the test. */
async function start(t: TestContext, abort = new AbortController().signal): Promise<Daemon> {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-test-"));
  const file = path.join(dir, "daemon.js");
  await writeFile(file, script);
  await chmod(file, 0o755);
  const daemon = new Daemon(file, abort);
  t.after(async () => {
    await daemon.close();
    await rm(dir, { recursive: true });
  });
  return daemon;
}

// Windows starts no script by its first line.
const options = { skip: process.platform === "win32" };

test("a request gets its result", options, async (t) => {
  const daemon = await start(t);
  assert.deepEqual(await daemon.request(TaskList, {}), { tasks: [] });
});

test("a refusal keeps the next step", options, async (t) => {
  const daemon = await start(t);
  const err: unknown = await daemon.request(TaskClose, { task: "x" }).catch((err: unknown) => err);
  assert.equal(explain(err), "no such task. Open one.");
});

test("a daemon that ends by itself fails what is in flight, and leaves its log", options, async (t) => {
  const daemon = await start(t);
  await assert.rejects(daemon.request(ModeSet, { mode: "x" }), /winnowd ended by itself \(exit code 3\)/);
  await assert.rejects(daemon.until(new Promise(() => undefined)), /ended by itself/);
  assert.deepEqual(daemon.log, ["about to fail"]);
});

test("an abort ends the waiting at once", options, async (t) => {
  const controller = new AbortController();
  const daemon = await start(t, controller.signal);
  const waiting = daemon.until(new Promise(() => undefined));
  controller.abort(new Error("enough"));
  await assert.rejects(waiting, /enough/);
});

test("a program that does not exist is named", async () => {
  const daemon = new Daemon("/does/not/exist", new AbortController().signal);
  await assert.rejects(daemon.until(new Promise(() => undefined)), /\/does\/not\/exist could not be started: .*ENOENT/);
  await daemon.close();
});
