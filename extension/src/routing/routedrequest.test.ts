import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationTokenSource, type RequestType } from "vscode-jsonrpc/node";
import { call, text } from "../../test/support/parts";
import type { Requester } from "../daemon/client";
import { DaemonError, DaemonGoneError } from "../daemon/errors";
import {
  type AttachedTool,
  ConversationRoute,
  type ConversationRouteParams,
  type ConversationRouteResult,
  type ErrorData,
  type ErrorKind,
  type TaskCallResult,
} from "../protocol/protocol.gen";
import { type ModelAnswer, RoutedRequest } from "./routedrequest";

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
  return { asked, requester };
}

const refusal = (kind: ErrorKind, message = "no", next?: string) =>
  new DaemonError(message, { data: { kind, ...(next !== undefined && { next }) } });

const tool = (name: string): AttachedTool => {
  return { name, server: "s", tool: name, description: "", inputSchema: {}, tokens: 1, turn: 1, reason: "ranked" };
};

const attachment = (generation: number, ...names: string[]): ConversationRouteResult["attachment"] => ({
  task: "t",
  generation,
  mode: "dynamic",
  turn: 1,
  frozen: false,
  tools: names.map(tool),
  metaTools: [{ name: "mcp_search", description: "", inputSchema: {} }],
  counts: { scoped: 0, attached: 0, native: 0 },
  tokens: { all: 0, attached: 0, saved: 0, client: 0, clientSaved: 0 },
});

const routed = (request: number, more: Partial<ConversationRouteResult> = {}): ConversationRouteResult => {
  return { task: "t", request, newTurn: true, attachment: attachment(1, "a", "b"), ...more };
};

const params: ConversationRouteParams = { messages: [{ role: "user", digest: "a" }] };

const names = (request: RoutedRequest) => request.now.attachment.tools.map(({ name }) => name);

/** A routed request to a daemon that answers calls as it is told. */
async function request(answer: (method: string, params: unknown) => unknown) {
  const { asked, requester } = daemon((method, given) =>
    method === "conversation/route" ? routed(1) : answer(method, given),
  );
  return {
    asked,
    request: await RoutedRequest.route(requester, () => requester.request(ConversationRoute, params), token),
  };
}

const said = (more: Partial<TaskCallResult>): TaskCallResult => {
  return { content: [{ type: "text", text: "found" }], isError: false, ...more };
};

test("a call is the host's, or is answered, and may attach more", async () => {
  const answers = [
    said({ isError: true, host: { name: "mcp_real", arguments: { a: 1 } } }),
    said({ attachment: attachment(2, "a", "b", "c") }),
  ];
  const { asked, request: one } = await request(() => answers.shift());
  assert.deepEqual(await one.judge(call("c1", "MCP-Real", { a: 1 })), {
    kind: "host",
    name: "mcp_real",
    input: { a: 1 },
  });
  assert.deepEqual(await one.judge(call("c2", "mcp_load", { query: "x" })), { kind: "answer", text: "found" });
  assert.deepEqual(names(one), ["a", "b", "c"]);
  assert.deepEqual(asked.at(-1)?.[1], { task: "t", name: "mcp_load", arguments: { query: "x" } });
});

test("a daemon that was started since is told of the request, and asked again", async () => {
  let crashed = true;
  const { asked, request: one } = await request(() => {
    if (crashed) {
      crashed = false;
      throw refusal("unknownTask");
    }
    return said({});
  });
  assert.deepEqual(await one.judge(call("c1", "mcp_search")), { kind: "answer", text: "found" });
  assert.deepEqual(
    asked.map(([method]) => method),
    ["conversation/route", "conversation/call", "conversation/route", "conversation/call"],
  );
});

test("a daemon that stays away leaves calls to the host; what it refuses, the model is told with the next step", async () => {
  let err: Error = new DaemonGoneError("gone");
  const { request: one } = await request(() => {
    throw err;
  });
  assert.deepEqual(await one.judge(call("c1", "mcp_x", { a: 1 })), { kind: "host", name: "mcp_x", input: { a: 1 } });
  assert.equal((await one.judge(call("c2", "mcp_search"))).kind, "answer");
  err = refusal("internal", "it broke", "See the log.");
  assert.deepEqual(await one.judge(call("c3", "mcp_x")), { kind: "answer", text: "Error: it broke. See the log." });
});

test("what the model answered is told as it was, and without a daemon the chat comes to an end", async () => {
  let gone = false;
  const { asked, request: one } = await request(() => {
    if (gone) throw new DaemonGoneError("gone");
    return { next: "send" };
  });
  const answer = (delivered: string[]): ModelAnswer => {
    return { parts: [text("x"), call("h1", "mcp_load")], delivered, answers: [{ call: "h1", text: "ok" }] };
  };
  assert.equal(await one.answered(answer(["c1"]), false), "send");
  assert.deepEqual(asked.at(-1)?.[1], {
    task: "t",
    request: 1,
    parts: [
      { part: { kind: "text", text: "x" } },
      { call: "h1", part: { kind: "call", callId: "h1", name: "mcp_load", input: {} } },
    ],
    calls: ["c1"],
    answers: [{ call: "h1", text: "ok" }],
  });
  gone = true;
  assert.deepEqual(
    await Promise.all([
      one.answered(answer(["c1"]), false),
      one.answered(answer([]), false),
      one.answered(answer([]), true),
    ]),
    ["end", "sendLast", "stop"],
  );
});
