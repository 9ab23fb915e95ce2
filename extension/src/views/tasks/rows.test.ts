import assert from "node:assert/strict";
import test from "node:test";
import type { TaskRow } from "../../protocol/protocol.gen";
import { taskRow } from "./rows";

const task: TaskRow = {
  task: "task-3",
  source: "",
  mode: "",
  turn: 1,
  frozen: false,
  counts: { scoped: 200, attached: 30, native: 3 },
  routing: "dynamic",
  used: { called: 0, inHand: 0 },
  tokens: { all: 10_200, attached: 2200, saved: 8000, client: 10_200, clientSaved: 8000 },
  texts: {
    row: { label: "Task 3", tooltip: "Attached 30 of 200 tools.", accessibility: "attached 30 of 200 tools" },
    summary: "attached 30 of 200 tools",
    costs: "",
  },
};

test("a task is called by its first words, or by its place", () => {
  const row = taskRow(task, { title: "read all of the notes about the garden", model: "GPT" });
  assert.equal(row.label, "read all of th…");
  assert.equal(row.tooltip, "**read all of the notes about the garden** · GPT\n\nAttached 30 of 200 tools.");
  assert.equal(row.accessibility, "read all of the notes about the garden, attached 30 of 200 tools, GPT");
  assert.equal(taskRow(task, undefined).label, "Task 3");
});

test("a user's words are no Markdown", () => {
  const { tooltip } = taskRow(task, { title: "[x](command:y)", model: "$(x)" });
  assert.match(tooltip ?? "", /^\*\*\\\[x\\\]\\\(command:y\\\)\*\* · \\\$\\\(x\\\)/);
});
