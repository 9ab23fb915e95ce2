import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationToken, type RequestType } from "vscode-jsonrpc/node";
import { DaemonError } from "../daemon/errors";
import type { ErrorData, TaskDescribeCallResult } from "../protocol/protocol.gen";
import { Calls, type CallScreen } from "./calls";
import type { Consent } from "./consent";
import { textOf } from "../chat/message";

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

test("the daemon is told how far a yes reaches, and of none where nobody was asked", async () => {
  const made = async (consent: Consent, described: TaskDescribeCallResult) => {
    const { calls, sent } = callsOver({ "task/describeCall": () => described, "task/call": done });
    const { screen, asked } = screenOf(consent);
    const answer = textOf(await calls.run(call(), screen, noHost, CancellationToken.None));
    const params = sent.find(([method]) => method === "task/call")?.[1] as { consent?: string } | undefined;
    return [answer, asked(), params?.consent];
  };
  for (const consent of ["once", "task", "always"] as const)
    assert.deepEqual(await made(consent, writes), ["done", 1, consent]);
  assert.deepEqual(await made("always", { ...writes, confirm: false }), ["done", 0, undefined]);
  assert.deepEqual(await made("always", { ...writes, host: true }), ["done", 0, undefined]);
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
