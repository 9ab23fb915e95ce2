import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attachment } from "../protocol.gen";
import { type RoutedTask, SessionStore, maxSessions } from "./sessions";

const attachment = (task: string): Attachment => ({
  task,
  generation: 1,
  mode: "dynamic",
  turn: 1,
  frozen: false,
  tools: [],
  metaTools: [],
  counts: { scoped: 0, attached: 0, native: 0 },
  tokens: { all: 0, attached: 0, saved: 0 },
  state: null,
});

const routed = (task: string, at: number, title?: string): RoutedTask => ({
  task,
  model: "One",
  attachment: attachment(task),
  sections: [],
  at,
  ...(title !== undefined && { title }),
});

test("a task keeps its title and moves to the end", () => {
  const store = new SessionStore();
  const seen: string[] = [];
  let changes = 0;
  store.onDidRoute((t) => seen.push(t.task));
  store.onDidChange(() => changes++);
  store.route(routed("a", 1, "first words"));
  store.route(routed("b", 2));
  store.route(routed("a", 3, "later words"));
  assert.deepEqual([...store.tasks.keys()], ["b", "a"]);
  assert.equal(store.tasks.get("a")?.title, "first words");
  assert.equal(store.tasks.get("a")?.at, 3);
  assert.deepEqual(seen, ["a", "b", "a"]);
  assert.equal(changes, 3);
});

test("the store is bounded", () => {
  const store = new SessionStore();
  for (let i = 0; i <= maxSessions; i++) store.route(routed(`t${i}`, i));
  assert.equal(store.tasks.size, maxSessions);
  assert.equal(store.tasks.has("t0"), false);
});
