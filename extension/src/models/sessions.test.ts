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
  tokens: { all: 0, attached: 0, saved: 0, client: 0, clientSaved: 0 },
});

const routed = (task: string, title?: string): RoutedTask => ({
  task,
  model: "One",
  attachment: attachment(task),
  sections: [],
  ...(title !== undefined && { title }),
});

test("a task keeps its title and moves to the end", () => {
  const store = new SessionStore();
  let changes = 0;
  store.onDidChange(() => changes++);
  store.route(routed("a", "first words"));
  store.route(routed("b"));
  store.route(routed("a", "later words"));
  assert.deepEqual([...store.tasks.keys()], ["b", "a"]);
  assert.equal(store.tasks.get("a")?.title, "first words");
  assert.equal(changes, 3);
});

test("the store is bounded", () => {
  const store = new SessionStore();
  for (let i = 0; i <= maxSessions; i++) store.route(routed(`t${i}`));
  assert.equal(store.tasks.size, maxSessions);
  assert.equal(store.tasks.has("t0"), false);
});
