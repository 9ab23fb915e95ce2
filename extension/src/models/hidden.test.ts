import assert from "node:assert/strict";
import { test } from "node:test";
import { chainOf, digestsOf } from "./digests";
import { HiddenMemory } from "./hidden";
import type { Message, Part, ResultPart } from "./message";
import { answered, asked, call, result, system, text } from "./testparts";

const question = [system(), asked("add 4 and 5")];
const chain = (messages: readonly Message[]) => chainOf(digestsOf(messages));
const end = (messages: readonly Message[]) => chain(messages).at(-1) ?? "";
const restored = (memory: HiddenMemory, messages: Message[]) => memory.restore("task", messages, chain(messages));

const load = [answered(text("Let me look. "), call("h1", "mcp_load", { query: "add" })), result("h1", "Attached: sum")];

function remembering(callIds: string[], said = load) {
  const memory = new HiddenMemory();
  memory.keep("task", { chain: end(question), callIds }, { rounds: said, calls: [], results: [] });
  return memory;
}

test("a hidden round goes back before the call that followed it, each with its own words", () => {
  const later = [
    ...question,
    answered(text("Let me look. Found it."), call("c1__vscode-1717171717", "mcp_sum")),
    result("c1__vscode-1717171717", "9"),
  ];
  assert.deepEqual(restored(remembering(["c1"]), later), [
    ...question,
    ...load,
    answered(text("Found it."), call("c1__vscode-1717171717", "mcp_sum")),
    result("c1__vscode-1717171717", "9"),
  ]);
});

test("a hidden round goes back before an answer that is only text, by its place", () => {
  const later = [...question, answered(text("Let me look. It is 9.")), asked("thanks")];
  assert.deepEqual(restored(remembering([]), later), [
    ...question,
    ...load,
    answered(text("It is 9.")),
    asked("thanks"),
  ]);
});

test("an equal answer in another place is left alone", () => {
  const later = [system(), asked("something else"), answered(text("Let me look. It is 9.")), asked("thanks")];
  assert.deepEqual(restored(remembering([]), later), later);
});

test("words that VS Code changed are not said twice", () => {
  const later = [...question, answered(text("Shortened."), call("c1", "mcp_sum")), result("c1", "9")];
  const [, , first, , last] = restored(remembering(["c1"]), later);
  assert.deepEqual(first, answered(call("h1", "mcp_load", { query: "add" })));
  assert.deepEqual(last, answered(text("Shortened."), call("c1", "mcp_sum")));
});

test("thinking stays in its own round", () => {
  const thought: Part = { kind: "other", text: "I need a tool", raw: { value: "I need a tool" } };
  const more: Part = { kind: "other", text: "now add", raw: { value: "now add" } };
  const rounds = [answered(thought, call("h1", "mcp_load")), result("h1", "ok")];
  const later = [...question, answered(thought, more, call("c1", "mcp_sum")), result("c1", "9")];
  const [, , first, , last] = restored(remembering(["c1"], rounds), later);
  assert.deepEqual(first, rounds[0]);
  assert.deepEqual(last, answered(more, call("c1", "mcp_sum")));
});

test("a load beside a real call goes back into that message, with its result", () => {
  const memory = new HiddenMemory();
  const answer: ResultPart = { kind: "result", callId: "h1", content: [text("Attached: sum")] };
  memory.keep(
    "task",
    { chain: end(question), callIds: ["c1"] },
    { rounds: [], calls: [call("h1", "mcp_load")], results: [answer] },
  );
  const later = [...question, answered(call("c1", "read_file")), result("c1", "x")];
  assert.deepEqual(restored(memory, later), [
    ...question,
    answered(call("c1", "read_file"), call("h1", "mcp_load")),
    { role: "user", parts: [answer] },
    result("c1", "x"),
  ]);
});

test("another task's rounds are its own, and nothing hidden is nothing kept", () => {
  const memory = remembering(["c1"]);
  const later = [...question, answered(call("c1", "mcp_sum")), result("c1", "9")];
  assert.deepEqual(memory.restore("other", later, chain(later)), later);
  memory.keep("other", { chain: "x", callIds: [] }, { rounds: [], calls: [], results: [] });
  assert.deepEqual(memory.restore("other", later, chain(later)), later);
});

test("the memory is bounded", () => {
  const memory = remembering(["c1"]);
  for (let i = 0; i < 40; i++) {
    memory.keep(`t${i}`, { chain: "x", callIds: [] }, { rounds: load, calls: [], results: [] });
  }
  const later = [...question, answered(call("c1", "mcp_sum")), result("c1", "9")];
  assert.deepEqual(restored(memory, later), later);
});
