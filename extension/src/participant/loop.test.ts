import assert from "node:assert/strict";
import test from "node:test";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { type CallPart, type Message, type Part, text, textOf } from "../chat/message";
import { resultsOf } from "../../test/support/parts";
import { type Conversation, converse } from "./loop";

/** A model that answers its nth request with the nth list of parts. */
function scripted(answers: Part[][]) {
  const requests: (readonly Message[])[] = [];
  const ask: Conversation["ask"] = (messages, report) => {
    for (const part of answers[requests.push(messages) - 1] ?? []) report(part);
    return Promise.resolve(1);
  };
  return { ask, requests };
}

const call = (callId: string, name: string, input: object = {}): CallPart => ({ kind: "call", callId, name, input });

/** A conversation with tools that answer with their names. */
function conversation(answers: Part[][], more: Partial<Conversation> = {}) {
  const { ask, requests } = scripted(answers);
  const said: string[] = [];
  const source = new CancellationTokenSource();
  const all: Conversation = {
    ask,
    call: ({ name }) => Promise.resolve([text(`${name} done`)]),
    messages: [{ role: "user", parts: [text("go")] }],
    maxRounds: 10,
    say: (words) => said.push(words),
    token: source.token,
    ...more,
  };
  return { all, requests, said, source };
}

/** Each call has one result, in the next message. */
function assertAnswered(messages: readonly Message[]): void {
  for (const [i, { parts }] of messages.entries()) {
    const calls = parts.filter((part) => part.kind === "call").map(({ callId }) => callId);
    if (calls.length === 0) continue;
    assert.deepEqual(
      resultsOf(messages[i + 1]?.parts ?? []).map(({ callId }) => callId),
      calls,
    );
  }
}

test("it streams, calls, asks again with the results, and ends without a call", async () => {
  const thinking: Part = { kind: "other", text: "hm", raw: { thought: 1 } };
  const { all, requests, said } = conversation([
    [thinking, text("I re"), text("ad."), call("1", "read"), call("2", "read")],
    [text("Done.")],
  ]);
  assert.deepEqual(await converse(all), { ending: "answered" });
  assert.equal(said.join("|"), "I re|ad.|Done.");
  assert.equal(requests.length, 2);
  // What the model thought goes back to it as it came, and pieces of text are one.
  assert.deepEqual(requests[1]?.[1]?.parts.slice(0, 2), [thinking, text("I read.")]);
  assert.equal(requests[1].length, 3);
  assertAnswered(all.messages);
  assert.equal(textOf(all.messages.at(-1)?.parts ?? []), "Done.");
});

test("it stops after the limit of rounds, and makes no more calls", async () => {
  const endless = Array.from({ length: 9 }, (_, i) => [call(String(i), "read")]);
  let calls = 0;
  const { all, requests } = conversation(endless, {
    maxRounds: 3,
    call: () => Promise.resolve([text(String(++calls))]),
  });
  assert.deepEqual(await converse(all), { ending: "rounds" });
  assert.equal(requests.length, 3);
  assert.equal(calls, 2);
});

test("requests that Winnow itself repeats count too", async () => {
  const { all, requests } = conversation([[call("1", "read")], [call("2", "read")]]);
  const ask: Conversation["ask"] = async (...request) => 2 * (await all.ask(...request));
  assert.deepEqual(await converse({ ...all, ask, maxRounds: 3 }), { ending: "rounds" });
  assert.equal(requests.length, 2);
});

test("cancelled while the model answers: its calls are not made", async () => {
  const { all, source } = conversation([]);
  const ask: Conversation["ask"] = (_messages, report) => {
    report(call("1", "read"));
    source.cancel();
    return Promise.reject(new Error("the request was cancelled"));
  };
  assert.deepEqual(await converse({ ...all, ask }), { ending: "cancelled" });
});

test("cancelled while a call is made: the others are not made", async () => {
  let calls = 0;
  const { all, source, requests } = conversation([[call("1", "a"), call("2", "b")]], {
    call: () => {
      calls++;
      source.cancel();
      return Promise.reject(new Error("cancelled"));
    },
  });
  assert.deepEqual(await converse(all), { ending: "cancelled", interrupted: "1" });
  assert.equal(calls, 1);
  assert.equal(requests.length, 1);
});

test("what the model throws is thrown, and what was said before stays", async () => {
  const { all, said } = conversation([]);
  const ask: Conversation["ask"] = (_messages, report) => {
    report(text("half"));
    return Promise.reject(new Error("overloaded"));
  };
  await assert.rejects(converse({ ...all, ask }), /overloaded/);
  assert.deepEqual(said, ["half"]);
});
