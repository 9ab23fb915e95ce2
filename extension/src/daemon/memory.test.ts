import assert from "node:assert/strict";
import test from "node:test";
import { SessionMemory } from "./memory";

const attachment = (task: string, turn: number) => ({ task, tools: [], state: { task, turn } });

test("the latest state of each open task is sent again, after the host's tools", () => {
  const memory = new SessionMemory();
  memory.note("task/open", {}, attachment("a", 1));
  memory.note("task/load", {}, { loaded: [], attachment: attachment("b", 1) });
  memory.note("task/turn", {}, attachment("a", 2));
  memory.note("task/open", {}, attachment("c", 1));
  memory.note("task/close", { task: "c" }, {});
  memory.note("catalog/setHostTools", { source: "host", tools: [{ name: "old" }] }, { version: 1 });
  memory.note("catalog/setHostTools", { source: "host", tools: [{ name: "new" }] }, { version: 2 });
  memory.note("catalog/list", {}, { version: 2 });
  memory.note("task/call", {}, null);
  memory.note("mode/set", { mode: "review" }, {});
  assert.equal(memory.mode, "review");
  assert.deepEqual(
    memory.replay().map(({ type, params }) => [type.method, params]),
    [
      ["catalog/setHostTools", { source: "host", tools: [{ name: "new" }] }],
      ["task/resume", { state: { task: "b", turn: 1 } }],
      ["task/resume", { state: { task: "a", turn: 2 } }],
    ],
  );
});

test("the task of a conversation is not given back: its daemon knows of later turns", () => {
  const memory = new SessionMemory();
  const kept = { conversation: "chat" };
  memory.note("conversation/route", {}, attachment("a", 1));
  assert.ok(
    memory.note("task/load", {}, { loaded: [], attachment: { ...attachment("a", 1), state: { task: "a", ...kept } } }),
  );
  assert.ok(
    memory.note("task/call", {}, { attachment: { task: "b", tools: [], state: { task: "b", messages: ["1"] } } }),
  );
  assert.deepEqual(memory.replay(), []);
});

test("it is bounded", () => {
  const memory = new SessionMemory();
  for (let i = 0; i < 600; i++) memory.note("task/open", {}, attachment(`t${i}`, 1));
  const tasks = memory.replay();
  assert.equal(tasks.length, 512);
  assert.deepEqual(tasks[0]?.params, { state: { task: "t88", turn: 1 } });
});

test("the state is asked for where there is one", () => {
  const memory = new SessionMemory();
  assert.deepEqual(memory.paramsOf("task/turn", { task: "a" }), { task: "a", wantState: true });
  assert.deepEqual(memory.paramsOf("task/explain", { task: "a" }), { task: "a" });
});
