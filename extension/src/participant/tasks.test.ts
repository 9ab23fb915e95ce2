import assert from "node:assert/strict";
import test from "node:test";
import type { Daemon } from "../daemon/client";
import type { Attachment, TaskState } from "../protocol.gen";
import { ChatAllowances, ChatTasks, maxChats } from "./tasks";

/** The state of a task, as far as it is looked at here. */
const state = (task: string) => ({ task, turn: 1, generation: 1 }) as TaskState;
const attachment = (task: string) => ({ task, state: state(task) }) as Attachment;

test("a chat that is gone on with is opened in the daemon once, and again when many others came between", async () => {
  const opened: string[] = [];
  const request = (_: unknown, params: { state: TaskState }) => {
    opened.push(params.state.task);
    return Promise.resolve(attachment(params.state.task));
  };
  const tasks = new ChatTasks({ request } as unknown as Daemon);
  await tasks.resume(state("first"));
  await tasks.resume(state("first"));
  assert.deepEqual(opened, ["first"]);
  for (let i = 1; i < maxChats; i++) tasks.note(attachment(`task ${i}`));
  await tasks.resume(state("first"));
  assert.deepEqual(opened, ["first"], "it is one of as many as are remembered");
  tasks.note(attachment("one more"));
  await tasks.resume(state("first"));
  assert.deepEqual(opened, ["first", "first"]);
});

test("what is allowed in a chat is allowed in no other, and not for ever", () => {
  const allowances = new ChatAllowances();
  allowances.of("a").add("write_file");
  assert.ok(allowances.of("a").has("write_file"));
  assert.ok(!allowances.of("b").has("write_file"));
  for (let i = 1; i < maxChats; i++) allowances.of(`chat ${i}`);
  assert.ok(!allowances.of("a").has("write_file"));
});
