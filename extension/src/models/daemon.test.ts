import assert from "node:assert/strict";
import { test } from "node:test";
import { CancellationToken, type RequestType } from "vscode-jsonrpc/node";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import type { ErrorData } from "../protocol/protocol.gen";
import { type Listing, RoutingDaemon } from "./daemon";

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

const list = (i: number): Listing => ({
  tools: [{ name: `mcp_${i}`, description: "", tags: ["mcp"], fullReferenceName: `s/${i}` }],
  servers: ["s"],
});

test("a list is sent once, also to two chats at a time, and again when it failed or is another", async () => {
  let fail = true;
  const { asked, routing } = daemon(() => {
    if (fail) throw new DaemonError("no");
  });
  const [one, two] = [list(1), list(2)];
  await assert.rejects(routing.everyServer(one));
  fail = false;
  await Promise.all([routing.everyServer(one), routing.everyServer(one)]);
  await routing.everyServer(one);
  assert.equal(asked.length, 2);
  await routing.everyServer(two);
  const [tool] = two.tools;
  assert.deepEqual(asked.at(-1)?.[1], {
    source: "vscode:listing",
    tools: [{ server: "", ...tool }],
    withOwn: true,
    listing: { servers: ["s"] },
  });
});

test("a list that the daemon has lost is handed over once more, and no third time", async () => {
  const lost = new DaemonError('there is no source "vscode:listing"', {
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
