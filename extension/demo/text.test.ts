import assert from "node:assert/strict";
import test from "node:test";
import type { AttachedRow, DemoEvent } from "./events";
import { layoutFor, render } from "./text";

const plain = { colour: false, columns: 80 };

/** The escape character that begins every colour. */
const escape = "\u001b";

function row(over: Partial<AttachedRow> = {}): AttachedRow {
  return { name: "t", server: "s", tool: "t", tokens: 7, reason: "ranked", rank: 1, score: 2.5, why: [], ...over };
}

function turn(rows: AttachedRow[]): DemoEvent {
  return {
    kind: "turn",
    turn: 2,
    message: "do it",
    rows,
    counts: { scoped: 1200, attached: 30, native: 0 },
    tokens: { all: 20000, attached: 5000, saved: 15000, client: 20000, clientSaved: 15000 },
  };
}

test("a server's line", () => {
  const line = render(
    {
      kind: "server",
      server: {
        name: "memory",
        source: "",
        state: "ready",
        tools: 9,
        tokens: 2100,
        inScope: 9,
        scopeTokens: 0,
        startMs: 1234.4,
      },
    },
    plain,
  );
  assert.equal(line, "  ✓ memory                   9 tools   2,100 tokens  1,234 ms\n");
});

test("a turn tells rank, score, why and tokens, the best first, and what it saves", () => {
  const text = render(
    turn([
      row({ reason: "fill", rank: 0, score: 0 }),
      row({
        server: "filesystem",
        tool: "read_text_file",
        rank: 1,
        score: 9.876,
        tokens: 1312,
        why: [
          { name: "recent use", value: 0.5, detail: "" },
          { name: "name", value: 9.376, detail: "read" },
        ],
      }),
    ]),
    plain,
  );
  assert.equal(
    text,
    [
      "",
      "Turn 2: “do it”",
      "   rank   score  tool                       why                           tokens",
      "      1    9.88  filesystem/read_text_file  name: read; recent use         1,312",
      "      –       –  s/t                        fill                               7",
      "  30 of 1,200 tools attached: 5,000 of 20,000 tokens, 75 % saved",
      "",
    ].join("\n"),
  );
});

test("a long reason is cut to the width of the terminal", () => {
  const text = render(turn([row({ why: [{ name: "description", value: 1, detail: "word ".repeat(40) }] })]), plain);
  const line = text.split("\n").find((part) => part.includes("description"));
  assert.ok(line !== undefined);
  assert.match(line, /…/);
  assert.ok(line.length <= plain.columns, `${String(line.length)} columns`);
});

test("a turn that adds nothing says so", () => {
  assert.match(render(turn([]), plain), /\n {2}nothing new\n/);
});

test("mcp_load tells what is new and what was there", () => {
  const text = render(
    {
      kind: "load",
      query: "graph",
      loaded: [
        { name: "a", server: "memory", tool: "read_graph", already: false },
        { name: "b", server: "memory", tool: "open_nodes", already: true },
      ],
      text: "",
      counts: { scoped: 10, attached: 4, native: 0 },
      tokens: { all: 0, attached: 0, saved: 0, client: 0, clientSaved: 0 },
    },
    plain,
  );
  assert.match(text, /mcp_load: “graph”\n {2}\+ memory\/read_graph\n {2}= memory\/open_nodes \(was attached\)\n/);
  assert.match(text, /4 of 10 tools attached: 0 of 0 tokens, 0 % saved\n$/);
});

test("a call shows the real result, line by line", () => {
  const text = render(
    { kind: "call", server: "s", tool: "t", arguments: { path: "/x" }, text: "one\ntwo\n", ms: 3.2 },
    plain,
  );
  assert.equal(text, '\nCall s/t {"path":"/x"}\n  │ one\n  │ two\n  answered in 3 ms\n');
});

test("colour is the terminal's, and the user's to refuse", () => {
  const bold = (colour: boolean) => render(turn([]), { colour, columns: 80 });
  assert.ok(bold(true).includes(escape));
  assert.ok(!bold(false).includes(escape));
  assert.equal(layoutFor({ isTTY: true, columns: 90 }, {}).colour, true);
  assert.equal(layoutFor({ isTTY: true, columns: 90 }, {}).columns, 90);
  assert.equal(layoutFor({ isTTY: true }, { NO_COLOR: "1" }).colour, false);
  assert.equal(layoutFor({ isTTY: true }, { NO_COLOR: "" }).colour, true);
  assert.equal(layoutFor({}, {}).colour, false);
  assert.equal(layoutFor({}, { FORCE_COLOR: "1" }).colour, true);
  assert.equal(layoutFor({ isTTY: true }, { FORCE_COLOR: "0" }).colour, false);
});
