import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationToken, type RequestType } from "vscode-jsonrpc/node";
import { DaemonError } from "../daemon/errors";
import type { ErrorData, TaskDescribeCallResult } from "../protocol/protocol.gen";
import { Calls, type CallScreen, type Consent, maxChats } from "./calls";
import { textOf } from "./message";

/** Calls over a daemon that answers by method; a function is called each time. */
function callsOver(answers: Record<string, () => unknown>) {
  const sent: [method: string, params: unknown][] = [];
  const calls = new Calls({
    request: <P, R>(type: RequestType<P, R, ErrorData>, params: P) => {
      sent.push([type.method, params]);
      const answer = answers[type.method] ?? (() => ({}));
      return new Promise<R>((resolve) => {
        resolve(answer() as R);
      });
    },
    onNotification: () => ({ dispose: () => undefined }),
  });
  return { calls, sent };
}

const writes: TaskDescribeCallResult = { meta: false, server: "files", tool: "write", confirm: true };
const done = () => ({ content: [{ type: "text", text: "done" }], isError: false });
const call = (task = "t1") => ({ task, name: "write", input: {} });
const noHost = () => Promise.reject(new Error("not VS Code's"));

function screenOf(consent: Consent) {
  const warned: string[] = [];
  let asked = 0;
  const screen: CallScreen = {
    progress: () => undefined,
    warn: (message) => warned.push(message),
    confirm: () => Promise.resolve((asked++, consent)),
  };
  return { screen, warned, asked: () => asked };
}

test("what hinders that a tool is always allowed is told, and does not hinder the call", async () => {
  const { calls } = callsOver({
    "task/describeCall": () => writes,
    "task/call": done,
    "tool/approve": () => {
      throw new DaemonError("the file cannot be written");
    },
  });
  const { screen, warned } = screenOf("always");
  assert.equal(textOf(await calls.run(call(), screen, noHost, CancellationToken.None)), "done");
  assert.deepEqual(warned, ["That write is always allowed could not be saved: the file cannot be written"]);
});

test("what is allowed in a chat is allowed in no other, and not for ever", async () => {
  const { calls } = callsOver({ "task/describeCall": () => writes, "task/call": done });
  const { screen, asked } = screenOf("chat");
  const run = (task: string) => calls.run(call(task), screen, noHost, CancellationToken.None);
  await run("a");
  await run("a");
  assert.equal(asked(), 1);
  await run("b");
  assert.equal(asked(), 2);
  for (let i = 1; i < maxChats; i++) await run(`chat ${i}`);
  const before = asked();
  await run("a");
  assert.equal(asked(), before + 1);
});

test("a server that is not up yet is waited for, once", async () => {
  let tries = 0;
  const { calls, sent } = callsOver({
    "task/describeCall": () => ({ ...writes, confirm: false }),
    "task/call": () => {
      if (tries++ === 0) throw new DaemonError("away", { data: { kind: "unavailable", server: "files" } });
      return done();
    },
  });
  const { screen } = screenOf("skip");
  assert.equal(textOf(await calls.run(call(), screen, noHost, CancellationToken.None)), "done");
  assert.deepEqual(
    sent.map(([method]) => method),
    ["task/describeCall", "task/call", "server/wait", "task/call"],
  );
});

test("a tool of VS Code's is VS Code's to ask about and to run, by its own name", async () => {
  const { calls } = callsOver({
    "task/describeCall": () => ({ ...writes, host: true }),
    "task/call": () => ({ content: [], isError: false, host: { name: "mcp_files_write", arguments: { a: 1 } } }),
  });
  const { screen, asked } = screenOf("skip");
  const ran: [string, object][] = [];
  await calls.run(
    call(),
    screen,
    (name, input) => {
      ran.push([name, input]);
      return Promise.resolve([]);
    },
    CancellationToken.None,
  );
  assert.deepEqual([ran, asked()], [[["mcp_files_write", { a: 1 }]], 0]);
});
