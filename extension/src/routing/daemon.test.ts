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

const unknown = new DaemonError("nothing is known of it", { data: { kind: "unknownSource" } });
const request = { messages: [], tools: [{ name: "a" }] };
const { None } = CancellationToken;

test("what the daemon has lost is handed over once more, and no third time", async () => {
  const { asked, routing } = daemon((method) => {
    if (method === "conversation/route") throw unknown;
  });
  await assert.rejects(routing.route(list(1), request, None), unknown);
  assert.deepEqual(
    asked.map(([method, params]) => (method === "conversation/route" ? "tools" in (params as object) : method)),
    ["catalog/setHostTools", true, "catalog/setHostTools", true],
  );
});

test("the tools of a request are sent once, and again when the daemon does not know them", async () => {
  let lost = false;
  const { asked, routing } = daemon((method, params) => {
    if (method === "conversation/route" && lost && !("tools" in (params as object))) throw unknown;
  });
  const [same, other] = [
    { ...request, tools: [{ name: "a" }] },
    { ...request, tools: [{ name: "b" }] },
  ];
  const listing = list(1);
  for (const each of [request, same, other]) await routing.route(listing, each, None);
  lost = true;
  await routing.route(listing, same, None);
  const sent = asked.slice(1).map(([, params]) => params as { tools?: unknown; toolsId: string });
  assert.deepEqual(
    sent.map(({ tools }) => tools !== undefined),
    [true, false, true, false, true], // the fourth was refused
  );
  assert.equal(new Set(sent.map(({ toolsId }) => toolsId)).size, 2);
});
