import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, asked, call, result, system, text } from "../../test/support/parts";
import type { InternalRounds } from "../protocol/protocol.gen";
import { withInternal } from "./internal";
import type { Message, Part } from "./message";
import { partToJson } from "./partjson";

const question = [system(), asked("add 4 and 5")];

const load = answered(text("Let me look. "), call("h1", "mcp_load", { query: "add" }));

/** A call of mcp_load is answered as a text. */
const loaded: Message = {
  role: "user",
  parts: [{ kind: "result", callId: "h1", content: [text("Attached: sum")] }],
};

const answers = [{ call: "h1", text: "Attached: sum" }];

/** Puts a round back before the third message. */
const restored = (messages: readonly Message[], more: Partial<InternalRounds> = {}, round = load) => {
  const rounds = [{ parts: round.parts.map(partToJson), answers }];
  return withInternal(messages, [{ id: 1, message: 2, rounds, ...more }], (raw) => raw);
};

test("an internal round goes back before its message, each with its own words", () => {
  const later = [
    ...question,
    answered(text("Let me look. Found it."), call("c1__vscode-1717171717", "mcp_sum")),
    result("c1__vscode-1717171717", "9"),
  ];
  assert.deepEqual(restored(later), [
    ...question,
    load,
    loaded,
    answered(text("Found it."), call("c1__vscode-1717171717", "mcp_sum")),
    result("c1__vscode-1717171717", "9"),
  ]);
});

test("words that VS Code changed are not said twice", () => {
  const later = [...question, answered(text("Shortened."), call("c1", "mcp_sum")), result("c1", "9")];
  const [, , first, , last] = restored(later);
  assert.deepEqual(first, answered(call("h1", "mcp_load", { query: "add" })));
  assert.deepEqual(last, answered(text("Shortened."), call("c1", "mcp_sum")));
});

test("thinking stays in its own round, and is left out where VS Code has no class for it", () => {
  const thought: Part = { kind: "other", text: "I need a tool", raw: { value: "I need a tool" } };
  const more: Part = { kind: "other", text: "now add", raw: { value: "now add" } };
  const round = answered(thought, call("h1", "mcp_load"));
  const later = [...question, answered(thought, more, call("c1", "mcp_sum")), result("c1", "9")];
  const [, , first, , last] = restored(later, {}, round);
  assert.deepEqual(first, round);
  assert.deepEqual(last, answered(more, call("c1", "mcp_sum")));
  const rounds = [{ parts: round.parts.map(partToJson), answers }];
  const [, , bare] = withInternal(later, [{ id: 1, message: 2, rounds }], () => undefined);
  assert.deepEqual(bare, answered(call("h1", "mcp_load")));
});

test("a load beside a real call goes back into that message, with its result", () => {
  const later = [...question, answered(call("c1", "read_file")), result("c1", "x")];
  const calls = [partToJson(call("h1", "mcp_load"))];
  assert.deepEqual(restored(later, { rounds: [], calls, answers }), [
    ...question,
    answered(call("c1", "read_file"), call("h1", "mcp_load")),
    loaded,
    result("c1", "x"),
  ]);
});

test("a message that nothing belongs to stays as it is", () => {
  const later = [...question, answered(call("c1", "mcp_sum")), result("c1", "9")];
  assert.deepEqual(
    withInternal(later, [], (raw) => raw),
    later,
  );
});

test("parts are the same after they were JSON", () => {
  const image: Part = { kind: "data", mimeType: "image/png", data: new Uint8Array([1, 2, 255]) };
  const parts = [text("x"), call("c1", "f", { a: 1 }), image, ...result("c1", "x", image).parts];
  const calls = JSON.parse(JSON.stringify(parts.map(partToJson))) as unknown[];
  const [first] = withInternal([answered()], [{ id: 1, message: 0, calls }], (raw) => raw);
  assert.deepEqual(first, answered(...parts));
});
