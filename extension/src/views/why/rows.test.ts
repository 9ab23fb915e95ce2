import assert from "node:assert/strict";
import test from "node:test";
import type { ExplainedTool } from "../../protocol.gen";
import { byRelevance, toolPicks, whyMarkdown, whyRows } from "./rows";

function tool(overrides: Partial<ExplainedTool> = {}): ExplainedTool {
  return {
    server: "files",
    tool: "read_file",
    name: "read_file",
    attached: true,
    turn: 1,
    reason: "ranked",
    rank: 2,
    score: 3.5,
    parts: [
      { name: "words in the name", value: 2.25, detail: "read file" },
      { name: "meaning", value: 1.25, detail: "" },
    ],
    tokens: 210,
    sentence: "It fits the message.",
    verdict: "Attached at turn 1",
    ...overrides,
  };
}

const blocked = tool({
  name: "b",
  attached: false,
  rank: 0,
  parts: [],
  score: 0,
  cause: { kind: "mode", owner: "review", key: "blockedMcpServers" },
});
const beaten = tool({
  name: "c",
  attached: false,
  rank: 40,
  cause: { kind: "rank", key: "winnow.initialK" },
});

/** The rows of an explanation with those behind Details. */
function allRows(of: ExplainedTool) {
  const rows = whyRows(of).flatMap((group) => group.rows);
  return [...rows, ...rows.flatMap(({ details = [] }) => details.flatMap((group) => group.rows))];
}

test("the tools are grouped by what became of them", () => {
  const missed = tool({ name: "d", attached: false, missed: true });
  const groups = toolPicks({ ranker: "hybrid", tools: [tool(), beaten, missed, blocked], shadow: true });
  assert.deepEqual(
    groups.map(({ heading, rows }) => [heading, rows.map(({ label }) => label)]),
    [
      ["Missed: called without being attached (1)", ["d"]],
      ["Would be attached (1)", ["read_file"]],
      ["Would not be attached (1)", ["c"]],
      ["Switched off by you (1)", ["b"]],
    ],
  );
  assert.equal(groups[2]?.rows[0]?.detail, beaten.sentence);
  assert.match(whyMarkdown(tool()), /Attached at turn 1/);
  assert.deepEqual(toolPicks({ ranker: "", tools: [] }), []);
});

test("what was called comes first, then what fits best, and the order does not change between two looks", () => {
  const tools = [
    tool({ name: "a", rank: 0 }),
    tool({ name: "b", rank: 2 }),
    tool({ name: "c", rank: 1 }),
    tool({ name: "d", rank: 9, called: true }),
    tool({ name: "e", rank: 0 }),
  ];
  const names = byRelevance(tools).map(({ name }) => name);
  assert.deepEqual(names, ["d", "c", "b", "a", "e"]);
  assert.deepEqual(
    byRelevance(byRelevance(tools)).map(({ name }) => name),
    names,
  );
});

test("an explanation has the score, its parts with the words that matched, and the way to the setting", () => {
  const rows = allRows(beaten);
  assert.ok(rows.some(({ label, description }) => label === "+2.25  words in the name" && description === "read file"));
  assert.ok(rows.some(({ label, description }) => label === "Score 3.5" && description === "rank 40"));
  const button = rows.find(({ place }) => place !== undefined);
  assert.equal(button?.label, "Open the setting winnow.initialK");
  assert.deepEqual(whyRows(blocked)[0]?.rows[1]?.place, { kind: "mode", mode: "review", key: "blockedMcpServers" });
  assert.ok(allRows(blocked).some(({ label }) => label === "No score"));
});

test("what the server itself said is part of it, in the list, the explanation and the tooltip", () => {
  const gating = "Its server keeps it out of this message.";
  const rows = whyRows(tool({ gating })).flatMap((group) => group.rows);
  assert.ok(rows.some(({ label }) => label === gating));
  const [group] = toolPicks({ ranker: "bm25", tools: [tool({ gating }), tool({ name: "other" })] });
  assert.deepEqual(
    group?.rows.map(({ detail }) => detail),
    [`It fits the message. ${gating}`, "It fits the message."],
  );
  assert.match(whyMarkdown(tool({ gating })), /Its server keeps it out of this message/);
});

test("the tooltip adds up, and the server's words are no Markdown", () => {
  const text = whyMarkdown(tool({ name: "a|b", parts: [{ name: "x", value: 3.5, detail: "[l](command:z)" }] }));
  assert.match(text, /\*\*3\.5\*\*/);
  assert.match(text, /a\\\|b/);
  assert.ok(!text.includes("](command:"));
});
