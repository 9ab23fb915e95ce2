import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationTokenSource, type RequestType } from "vscode-jsonrpc/node";
import { DaemonError, DaemonGoneError } from "../daemon/errors";
import type { ErrorData } from "../protocol.gen";
import { type Requester, RoutingDaemon } from "./daemon";
import { call } from "./testparts";

const { token } = new CancellationTokenSource();

/** A daemon that answers as it is told, and notes what it was asked. */
function daemon(answer: (method: string, params: unknown) => unknown) {
  const asked: [method: string, params: unknown][] = [];
  const requester: Requester = {
    request: <P, R>(type: RequestType<P, R, ErrorData>, params: P) => {
      asked.push([type.method, params]);
      return Promise.resolve().then(() => answer(type.method, params) as R);
    },
  };
  return { asked, routing: new RoutingDaemon(requester) };
}

const list = (i: number) => ({ source: `vscode:${i}`, tools: [{ server: "s", name: `mcp_${i}` }] });

test("a list is sent once, also to two chats at a time, and again when it failed", async () => {
  let fail = true;
  const { asked, routing } = daemon(() => {
    if (fail) throw new DaemonError("no");
  });
  await assert.rejects(routing.provide(list(1)));
  fail = false;
  await Promise.all([routing.provide(list(1)), routing.provide(list(1))]);
  await routing.provide(list(1));
  assert.equal(asked.length, 2);
});

test("the daemon keeps a few lists; one that went is sent again", async () => {
  const { asked, routing } = daemon(() => ({}));
  for (let i = 0; i <= 16; i++) await routing.provide(list(i));
  assert.deepEqual(asked.at(-1), ["catalog/setHostTools", { source: "vscode:0", tools: [] }]);
  await routing.provide(list(16));
  assert.equal(asked.length, 18);
  await routing.provide(list(0));
  assert.deepEqual(asked.at(-2), ["catalog/setHostTools", list(0)]);
});

test("a tool of the host's is left to the host, under its own name", async () => {
  const { routing } = daemon(() => {
    throw new DaemonError("the host's", { data: { kind: "hostTool", server: "s", tool: "mcp_real" } });
  });
  const direct = await routing.judge("t", call("c1", "MCP-Real", { a: 1 }), token);
  assert.deepEqual(direct, { kind: "host", name: "mcp_real", input: { a: 1 } });
  for (const [given, input] of [
    [{ b: 2 }, { b: 2 }],
    ['{"b":2}', { b: 2 }],
    ["nonsense", {}],
    [undefined, {}],
  ]) {
    const made = await routing.judge("t", call("c2", "mcp_call", { name: "mcp_real", arguments: given }), token);
    assert.deepEqual(made, { kind: "host", name: "mcp_real", input });
  }
});

test("what the daemon refuses, the model is told with the next step", async () => {
  const { routing } = daemon(() => {
    throw new DaemonError("a rule forbids it", { data: { kind: "outOfScope", next: "Change that setting." } });
  });
  const verdict = await routing.judge("t", call("c1", "mcp_x"), token);
  assert.deepEqual(verdict, { kind: "answer", text: "Error: a rule forbids it. Change that setting." });
});

test("a crash is asked about again; a daemon that stays away leaves calls to the host", async () => {
  let crashes = 1;
  const { routing } = daemon((method) => {
    assert.equal(method, "task/call");
    if (crashes-- > 0) throw new DaemonGoneError("gone");
    return { content: [{ type: "text", text: "found" }], isError: false };
  });
  assert.deepEqual(await routing.judge("t", call("c1", "mcp_search", { query: "x" }), token), {
    kind: "answer",
    text: "found",
    attachment: undefined,
  });
  crashes = 9;
  assert.deepEqual(await routing.judge("t", call("c2", "mcp_x", { a: 1 }), token), {
    kind: "host",
    name: "mcp_x",
    input: { a: 1 },
  });
  const meta = await routing.judge("t", call("c3", "mcp_search"), token);
  assert.equal(meta.kind, "answer");
});

test("mcp_load takes what models write", async () => {
  const { asked, routing } = daemon(() => ({ loaded: [], text: "ok", attachment: {} }));
  await routing.judge("t", call("c1", "mcp_load", { query: "mail", names: ["a", 3] }), token);
  await routing.judge("t", call("c2", "mcp_load", { names: "a" }), token);
  assert.deepEqual(
    asked.map(([, params]) => params),
    [
      { task: "t", query: "mail", names: ["a"] },
      { task: "t", names: ["a"] },
    ],
  );
});
