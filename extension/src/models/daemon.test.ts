import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationToken, type RequestType } from "vscode-jsonrpc/node";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import type { ErrorData } from "../protocol/protocol.gen";
import { RoutingDaemon } from "./daemon";

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

const list = (i: number) => ({ source: `vscode:${i}`, tools: [{ server: "s", name: `mcp_${i}` }], withOwn: false });

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

test("a list that the daemon has lost is handed over once more, and no third time", async () => {
  const lost = new DaemonError('there is no source "vscode:1"', {
    data: { kind: "unknownSource" },
  });
  const { asked, routing } = daemon((method) => {
    if (method === "conversation/route") throw lost;
  });
  await assert.rejects(routing.route(list(1), { messages: [] }, CancellationToken.None), lost);
  assert.deepEqual(
    asked.map(([method]) => method),
    ["catalog/setHostTools", "conversation/route", "catalog/setHostTools", "conversation/route"],
  );
});
