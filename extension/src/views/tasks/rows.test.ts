import assert from "node:assert/strict";
import test from "node:test";
import type { ExplainedTool, TaskSummary } from "../../protocol.gen";
import { taskNoteRow, taskNotes, taskRow, taskSummary, taskToolRow, taskTools } from "./rows";

function task(overrides: Partial<TaskSummary> = {}): TaskSummary {
  return {
    task: "task-1",
    source: "",
    mode: "",
    turn: 2,
    frozen: false,
    counts: { scoped: 200, attached: 30, native: 3 },
    routing: "dynamic",
    used: { called: 0, inHand: 0 },
    tokens: { all: 10_200, attached: 2200, saved: 8000, client: 10_200, clientSaved: 8000 },
    ...overrides,
  };
}

function tool(overrides: Partial<ExplainedTool> = {}): ExplainedTool {
  return {
    server: "files",
    tool: "read_file",
    name: "read_file",
    attached: true,
    turn: 1,
    reason: "ranked",
    rank: 1,
    score: 2,
    parts: [],
    tokens: 210,
    sentence: "It fits the message.",
    verdict: "Attached at turn 1",
    ...overrides,
  };
}

test("a task sums up what was attached and saved", () => {
  assert.equal(taskSummary(task()), "attached 30 of 200 tools, 8k tokens fewer than all of them");
  assert.equal(taskSummary(task({ shadow: true })), "would attach 30 of 200 tools, 8k tokens fewer than all of them");
  const dearer = { all: 100, attached: 420, saved: -320, client: 100, clientSaved: -320 };
  assert.equal(
    taskSummary(task({ tokens: dearer, client: true })),
    "attached 30 of 200 tools, 320 tokens more than VS Code by itself",
  );
  const equal = { all: 5, attached: 5, saved: 0, client: 5, clientSaved: 0 };
  assert.equal(taskSummary(task({ tokens: equal })), "attached 30 of 200 tools");
  assert.equal(taskSummary(task({ tokens: equal, routing: "all" })), "attached all of 200 tools");
});

test("a task is called by its first words, or by its place", () => {
  const row = taskRow(task({ mode: "review" }), { title: "read the notes", model: "GPT" }, 3, true);
  assert.equal(row.label, "read the notes");
  assert.equal(row.description, "30 of 200 · turn 2 · mode review");
  assert.equal(row.expandable, "expanded");
  const long = taskRow(task(), { title: "read all of the notes about the garden" }, 3, true);
  assert.equal(long.label, "read all of the n…");
  assert.match(long.tooltip ?? "", /about the garden/);
  assert.equal(taskRow(task(), undefined, 3, false).label, "Task 3");
  assert.equal(taskRow(task({ frozen: true }), undefined, 3, false).description, "30 of 200 · turn 2, frozen");
});

test("a task says how many tools the model knows by name", () => {
  const named = task({ counts: { scoped: 200, attached: 30, named: 60, native: 3 } });
  assert.match(taskRow(named, undefined, 1, false).tooltip ?? "", /knows 60 more by name/);
  assert.doesNotMatch(taskRow(task(), undefined, 1, false).tooltip ?? "", /by name/);
});

test("a user's words are no Markdown", () => {
  assert.match(taskRow(task(), { title: "[x](command:y)" }, 1, false).tooltip ?? "", /\\\[x\\\]/);
});

test("shadow mode says what is would-be, and what was missed", () => {
  const missedTools = ["a", "b"].map((name) => ({ server: "files", tool: name }));
  const row = taskRow(task({ shadow: true, missed: 2, missedTools }), undefined, 1, true);
  assert.match(row.tooltip ?? "", /Shadow mode/);
  assert.match(row.tooltip ?? "", /Missed: a, b\\\. The model called them/);
  assert.match(row.accessibility, /Missed: a, b/);
  assert.equal(row.description, "2 missed · 30 of 200 · turn 2");
  assert.equal(row.context, "task.shadow");
});

test("what a person has to know of a task is a sentence each", () => {
  assert.deepEqual(taskNotes(task()), []);
  const missedTools = ["a", "b", "c", "d", "e", "f"].map((name) => ({ server: "files", tool: `mcp_${name}` }));
  const warnings = ["3 pinned tools do not fit", "server x claimed the message. The model answers."];
  assert.deepEqual(
    taskNotes(task({ missedTools, warnings }), ({ tool }) => tool.slice(4)),
    [
      "Missed: a, b, c, d and 2 more. The model called them, and routing would not have attached them.",
      "3 pinned tools do not fit.",
      "Server x claimed the message. The model answers.",
    ],
  );
  const row = taskNoteRow("t", "3 pinned <tools> do not fit.", 0);
  assert.equal(row.label, "3 pinned <tools> do not fit.");
  assert.doesNotMatch(row.tooltip ?? "", /[^\\]</);
});

test("the tools of a task keep their order, the missed ones first", () => {
  const tools = [
    tool({ tool: "b", name: "b" }),
    tool({ tool: "a", name: "a", turn: 2, reason: "loaded" }),
    tool({ tool: "out", name: "out", attached: false }),
    tool({ tool: "gone", name: "gone", attached: false, missed: true }),
  ];
  assert.deepEqual(
    taskTools(tools).map(({ name }) => name),
    ["gone", "b", "a"],
  );
});

test("a tool of a task shows its name, then in what it differs from the others", () => {
  const row = taskToolRow("t", tool());
  assert.equal(row.description, "210");
  assert.equal(taskToolRow("t", tool(), { twice: true }).description, "files · 210");
  assert.equal(taskToolRow("t", tool({ turn: 2, reason: "loaded" })).description, "loaded · turn 2 · 210");
  assert.equal(row.accessibility, "read_file, of server files, turn 1, ranked for the message, 210 tokens");
  assert.match(taskToolRow("t", tool({ missed: true, attached: false })).description ?? "", /missed/);
  assert.match(taskToolRow("t", tool({ cause: { kind: "gone" } })).accessibility, /cannot be called/);
});
