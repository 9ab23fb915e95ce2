import assert from "node:assert/strict";
import { test } from "node:test";
import type { Attachment } from "../protocol/protocol.gen";
import { type RoutedTask, Sessions, maxSessions } from "./sessions";

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
  face: "model",
  task,
  model: "One",
  attachment: attachment(task),
  sections: [],
  ...(title !== undefined && { title }),
});

test("a task keeps its title", () => {
  const store = new Sessions();
  let changes = 0;
  store.onDidChange(() => changes++);
  store.route(routed("a", "first words"));
  store.route(routed("b"));
  store.route(routed("a", "later words"));
  assert.equal(store.of("a")?.title, "first words");
  assert.equal(store.of("c"), undefined);
  assert.equal(changes, 3);
});

test("the latest task of a face and a model is none of another's", () => {
  const store = new Sessions();
  store.route(routed("a"));
  store.route({ ...routed("b"), face: "participant" });
  store.route({ ...routed("c"), model: "Two" });
  store.route(routed("d"));
  store.route(routed("a"));
  assert.equal(store.latest("model", "One")?.task, "a");
  assert.equal(store.latest("participant", "One")?.task, "b");
  assert.equal(store.latest("participant", "Two"), undefined);
});

test("the task that was routed longest ago gives way", () => {
  const store = new Sessions();
  store.route(routed("first"));
  for (let i = 1; i < maxSessions; i++) store.route(routed(`t${i}`));
  store.route(routed("first"));
  store.route(routed("last"));
  assert.ok(store.of("first") !== undefined && store.of("last") !== undefined);
  assert.equal(store.of("t1"), undefined);
});
