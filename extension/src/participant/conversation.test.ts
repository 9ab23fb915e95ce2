import assert from "node:assert/strict";
import test from "node:test";
import { type Message, text } from "../chat/message";
import { type PastTurn, type TurnRecord, keep, messagesOf, named, overflow, recordOf, stateOf } from "./conversation";

const turn: Message[] = [
  { role: "user", parts: [text("read it")] },
  {
    role: "assistant",
    parts: [
      { kind: "other", text: "hm", raw: {} },
      text("I read."),
      { kind: "call", callId: "1", name: "read", input: { path: "a" } },
    ],
  },
  {
    role: "user",
    parts: [
      {
        kind: "result",
        callId: "1",
        content: [text("words"), { kind: "data", mimeType: "image/png", data: new Uint8Array(3) }],
      },
    ],
  },
  { role: "assistant", parts: [text("Done.")] },
];

/** A past turn as VS Code gives it back: through JSON. */
function past(record: TurnRecord): PastTurn {
  return { prompt: "p", answer: "a", record: recordOf(JSON.parse(JSON.stringify(record))) };
}

test("a turn survives JSON, but for what only the model knew", () => {
  const messages = messagesOf(past({ version: 1, messages: keep(turn), dropped: 0 }));
  assert.deepEqual(
    messages.map(({ role, parts }) => [role, ...parts.map(({ kind }) => kind)]),
    [
      ["user", "text"],
      ["assistant", "text", "call"],
      ["user", "result"],
      ["assistant", "text"],
    ],
  );
  assert.deepEqual(messages[2]?.parts[0], {
    kind: "result",
    callId: "1",
    content: [text("words[image/png that was shown before]")],
  });
});

test("what was cut is known by what it was", () => {
  const kept = messagesOf(past({ version: 1, messages: keep(turn), dropped: 0 }));
  const digests = (messages: readonly Message[]) => messages.map((message) => named(message).digest);
  assert.deepEqual(digests(kept), digests(turn));
  // Of what is kept as it was, no digest is.
  assert.deepEqual(
    keep(turn).map(({ digest }) => digest === undefined),
    [true, true, false, true],
  );
});

test("long results are cut, the oldest first", () => {
  const result = (n: number): Message => ({
    role: "user",
    parts: [{ kind: "result", callId: String(n), content: [text(String(n).repeat(25_000))] }],
  });
  const kept = keep([result(1), result(2), result(3)]).flatMap(({ parts }) => parts);
  const sizes = kept.map((part) => (part.kind === "result" ? part.text.length : 0));
  assert.ok((sizes[0] ?? 0) < 1100 && sizes[1] === 25_000 && sizes[2] === 25_000, sizes.join());
});

test("a turn without a record is what the user saw", () => {
  const messages = messagesOf({ prompt: "hello", answer: "hi", record: undefined });
  assert.deepEqual(messages, [
    { role: "user", parts: [text("hello")] },
    { role: "assistant", parts: [text("hi")] },
  ]);
  assert.equal(recordOf({ version: 2, messages: [] }), undefined);
  assert.equal(recordOf({}), undefined);
});

test("the newest state counts", () => {
  const state = (task: string) => ({ task }) as TurnRecord["state"] & object;
  const turns = [
    past({ version: 1, messages: [], dropped: 0, state: state("a") }),
    past({ version: 1, messages: [], dropped: 0, state: state("b") }),
    { prompt: "p", answer: "", record: undefined },
  ];
  assert.equal(stateOf(turns)?.task, "b");
  assert.equal(stateOf([]), undefined);
});

test("what does not fit is dropped in one go, and stays dropped", () => {
  // Each turn costs 4 for the message and 96 / 4 for the text.
  const turns = Array.from({ length: 10 }, (): Message[] => [{ role: "user", parts: [text("x".repeat(384))] }]);
  assert.equal(overflow(turns, 0, 1000), 0);
  assert.equal(overflow(turns, 0, 900), 6); // 4 turns of 100 are within half of 900
  assert.equal(overflow(turns, 6, 900), 6);
  assert.equal(overflow(turns, 0, Infinity), 0);
  assert.equal(overflow(turns, 0, 10), 10);
});
