import assert from "node:assert/strict";
import test from "node:test";
import type { TaskSummary, TaskUsageResult, UsageSection } from "../../protocol.gen";
import { type UsageRow, taskPanel } from "./model";

const summary: TaskSummary = {
  task: "task-1",
  source: "",
  mode: "review",
  turn: 2,
  frozen: false,
  counts: { scoped: 200, attached: 2, native: 3 },
  tokens: { all: 10_000, attached: 2000, saved: 8000, client: 10_000, clientSaved: 8000 },
  routing: "dynamic",
  used: { called: 2, inHand: 1 },
};

function usage(overrides: Partial<TaskUsageResult> = {}): TaskUsageResult {
  return {
    total: 7000,
    unrouted: 15_000,
    client: 9000,
    contextTokens: 20_000,
    free: 13_000,
    sections: [
      { name: "System prompt", tokens: 4000 },
      { name: "Conversation", tokens: 1000 },
      {
        name: "MCP tools",
        tokens: 1900,
        children: [
          { name: "github", tokens: 1500, children: [{ name: "create_issue", tokens: 1500 }] },
          { name: "files", tokens: 400, children: [{ name: "mcp_files_read_file", tokens: 400 }] },
        ],
      },
      { name: "Winnow", tokens: 100 },
    ],
    turns: [
      { turn: 1, added: 1, tokens: 1500 },
      { turn: 2, added: 1, tokens: 400 },
    ],
    ...overrides,
  };
}

function panel(overrides: Partial<TaskUsageResult> = {}, task: Partial<TaskSummary> = {}) {
  const shown = { ...summary, ...task };
  return taskPanel({
    summary: shown,
    usage: usage(overrides),
    facts: { title: "read the notes", model: "GPT" },
    tasks: [shown, { ...summary, task: "task-2" }],
    factsOf: (id) => (id === "task-1" ? { title: "read the notes" } : undefined),
    prefixes: new Map([["files", "mcp_files_"]]),
    week: { monday: "2026-11-16", tasks: 1, requests: 2, clientSaved: 16, saved: 20 },
  });
}

/** Fails unless every row with children is their sum; returns the sum of the rows. */
function sum(rows: readonly UsageRow[]): number {
  let total = 0;
  for (const row of rows) {
    total += row.tokens;
    if (row.children.length > 0) assert.equal(sum(row.children), row.tokens, row.name);
  }
  return total;
}

test("the table sums exactly to the total, and the rest of the window is free", () => {
  const state = panel();
  assert.equal(sum(state.rows), state.total);
  assert.equal(state.total + (state.free ?? 0), state.window);
});

test("the bars hold every token, before and after", () => {
  const { bars, window } = panel();
  for (const { segments, tokens, label } of bars) {
    assert.equal(
      segments.reduce((all, segment) => all + segment.tokens, 0),
      tokens,
      label,
    );
    for (const [i, segment] of segments.entries()) {
      const end = i === 0 ? 0 : (segments[i - 1]?.start ?? 0) + (segments[i - 1]?.length ?? 0);
      assert.ok(Math.abs(segment.start - end) < 1e-9, `${label}: ${segment.name} begins at ${segment.start}`);
    }
  }
  const [before, client, after, ofWindow] = bars;
  assert.equal(before?.tokens, 15_000);
  assert.equal(client?.tokens, 9000);
  assert.equal(after?.tokens, 7000);
  assert.equal(after.segments[0]?.length, 4000 / 15_000);
  assert.equal(ofWindow?.size, "35% of 20k");
  assert.equal(ofWindow.segments[0]?.length, 4000 / (window ?? 0));
  // The same section has the same colour in both.
  assert.equal(
    before.segments.find(({ name }) => name === "MCP tools")?.colour,
    after.segments.find(({ name }) => name === "MCP tools")?.colour,
  );
});

test("the head says what was attached and saved, and of which task", () => {
  const state = panel();
  assert.equal(state.summary, "attached 2 of 200 tools, 8k tokens fewer than all of them");
  assert.equal(state.used, "The model called 2 tools: 1 was in hand from the start.");
  assert.match(state.week, /^This week: 2 requests of 1 task, 16 tokens fewer/);
  assert.deepEqual(state.details, ["GPT", "mode review", "turn 2"]);
  assert.deepEqual(state.tasks, [
    { id: "task-2", label: "Task 2" },
    { id: "task-1", label: "read the notes" },
  ]);
});

test("shadow mode shows what routing would have sent", () => {
  const state = panel({ shadow: true }, { shadow: true, missed: 2 });
  assert.equal(state.summary, "would attach 2 of 200 tools, 8k tokens fewer than all of them");
  assert.deepEqual(
    state.bars.map(({ label }) => label),
    ["With every tool", "VS Code by itself", "Winnow would send", "The model's window"],
  );
  assert.ok(state.details.includes("2 missed"));
});

test("what was missed is named as a person knows it, and warnings are there", () => {
  const missedTools = [{ server: "files", tool: "mcp_files_write_file" }];
  const { notes } = panel({}, { missedTools, warnings: ["3 pinned tools do not fit"] });
  assert.deepEqual(notes, [
    "Missed: write_file. The model called it, and routing would not have attached it.",
    "3 pinned tools do not fit.",
  ]);
});

test("a turn that added nothing is in the history too", () => {
  const state = panel({
    turns: [
      { turn: 1, added: 3, tokens: 10 },
      { turn: 2, added: 0, tokens: 0 },
      { turn: 3, added: 1, tokens: 30 },
    ],
  });
  assert.deepEqual(
    state.turns.map(({ sum, start, length }) => [sum, start, length]),
    [
      [10, 0, 0.25],
      [10, 0.25, 0],
      [40, 0.25, 0.75],
    ],
  );
});

test("a tool beside its server is called by its own name", () => {
  const [tool] = panel().rows[2]?.children[1]?.children ?? [];
  assert.equal(tool?.name, "read_file");
  assert.equal(tool.fullName, "mcp_files_read_file");
});

test("an unknown window has no free space, and no tools at all is no error", () => {
  const sections: UsageSection[] = [{ name: "MCP tools", tokens: 0 }];
  const state = taskPanel({
    summary,
    usage: { total: 0, unrouted: 0, client: 0, sections, turns: [] },
    facts: undefined,
    tasks: [summary],
    factsOf: () => undefined,
    prefixes: new Map(),
    week: undefined,
  });
  assert.equal(state.free, undefined);
  assert.equal(state.window, undefined);
  assert.deepEqual(
    state.bars.map(({ segments }) => segments),
    [[], []],
  );
});

test("two tools of one name, of different servers, have different ids", () => {
  const rows = panel({
    sections: [
      {
        name: "MCP tools",
        tokens: 2,
        children: [
          { name: "a", tokens: 1, children: [{ name: "x", tokens: 1 }] },
          { name: "b", tokens: 1, children: [{ name: "x", tokens: 1 }] },
        ],
      },
    ],
  }).rows;
  const ids = rows.flatMap((r) => [r.id, ...r.children.flatMap((c) => [c.id, ...c.children.map((t) => t.id)])]);
  assert.equal(new Set(ids).size, ids.length);
});
