import assert from "node:assert/strict";
import test from "node:test";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { type CallPart, type Message, type Part, resultsOf, text, textOf } from "../models/message";
import { type Conversation, converse } from "./loop";

/** A model that answers its nth request with the nth list of parts. */
function scripted(answers: Part[][]) {
  const requests: { messages: readonly Message[]; tools: string[] }[] = [];
  const model: Conversation["model"] = {
    send(messages, tools) {
      requests.push({ messages, tools: tools.map(({ name }) => name) });
      const answer = answers[requests.length - 1] ?? [];
      // eslint-disable-next-line @typescript-eslint/require-await -- a stream that never waits
      return (async function* () {
        yield* answer;
      })();
    },
  };
  return { model, requests };
}

const call = (callId: string, name: string, input: object = {}): CallPart => ({ kind: "call", callId, name, input });

/** A conversation with tools that answer with their names, and each call adds a tool. */
function conversation(answers: Part[][], more: Partial<Conversation> = {}) {
  const { model, requests } = scripted(answers);
  const said: string[] = [];
  const offered = ["read"];
  const source = new CancellationTokenSource();
  const all: Conversation = {
    model,
    tools: {
      list: () => offered.map((name) => ({ name, description: "" })),
      call: ({ name }) => {
        offered.push(`${name}-more`);
        return Promise.resolve([text(`${name} done`)]);
      },
    },
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

test("it streams, calls, asks again with what the calls changed, and ends without a call", async () => {
  const thinking: Part = { kind: "other", text: "hm", raw: { thought: 1 } };
  const { all, requests, said } = conversation([
    [thinking, text("I re"), text("ad."), call("1", "read"), call("2", "read")],
    [text("Done.")],
  ]);
  assert.equal(await converse(all), "answered");
  assert.equal(said.join("|"), "I re|ad.|Done.");
  assert.deepEqual(
    requests.map(({ tools }) => tools.length),
    [1, 3],
  );
  // What the model thought goes back to it as it came, and pieces of text are one.
  assert.deepEqual(requests[1]?.messages[1]?.parts.slice(0, 2), [thinking, text("I read.")]);
  assert.equal(requests[1].messages.length, 3);
  assertAnswered(all.messages);
  assert.equal(textOf(all.messages.at(-1)?.parts ?? []), "Done.");
});

test("it stops after the limit of rounds, and makes no more calls", async () => {
  const endless = Array.from({ length: 9 }, (_, i) => [call(String(i), "read")]);
  let calls = 0;
  const { all, requests } = conversation(endless, {
    maxRounds: 3,
    tools: { list: () => [], call: () => Promise.resolve([text(String(++calls))]) },
  });
  assert.equal(await converse(all), "rounds");
  assert.equal(requests.length, 3);
  assert.equal(calls, 2);
  assertAnswered(all.messages);
});

test("cancelled while the model answers: its calls are not made", async () => {
  const { all, source } = conversation([]);
  const model: Conversation["model"] = {
    // eslint-disable-next-line @typescript-eslint/require-await -- a stream that never waits
    async *send() {
      yield call("1", "read");
      source.cancel();
      throw new Error("the request was cancelled");
    },
  };
  assert.equal(await converse({ ...all, model }), "cancelled");
  assertAnswered(all.messages);
});

test("cancelled while a call is made: the others are not made", async () => {
  let calls = 0;
  const { all, source, requests } = conversation([[call("1", "a"), call("2", "b")]], {
    tools: {
      list: () => [],
      call: () => {
        calls++;
        source.cancel();
        return Promise.reject(new Error("cancelled"));
      },
    },
  });
  assert.equal(await converse(all), "cancelled");
  assert.equal(calls, 1);
  assert.equal(requests.length, 1);
  assertAnswered(all.messages);
});

test("what the model throws is thrown, and what was said before stays", async () => {
  const { all } = conversation([]);
  const model: Conversation["model"] = {
    // eslint-disable-next-line @typescript-eslint/require-await -- a stream that never waits
    async *send() {
      yield text("half");
      throw new Error("overloaded");
    },
  };
  await assert.rejects(converse({ ...all, model }), /overloaded/);
});
