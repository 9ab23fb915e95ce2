import assert from "node:assert/strict";
import test from "node:test";
import type { ConsentQuestion } from "../../protocol.gen";
import { compared, questionId, questionText, toAsk } from "./consent";

function question(server: string, file: string, more: Partial<ConsentQuestion> = {}): ConsentQuestion {
  return { server, file, hash: `hash of ${server}`, starts: `run ${server}`, parts: [], ...more };
}

const shorten = (file: string) => file.slice(1);

test("what is new is asked together, what has changed on its own, and each once", () => {
  const [a, b] = [question("a", "/x"), question("b", "/y")];
  const own = question("own", "/w", { ownFile: true });
  const changed = question("changed", "/x", { changed: true });
  const declined = question("declined", "/x", { declined: true });
  assert.deepEqual(toAsk([a, b, own, changed, declined], []), [[a, b], [own], [changed]]);
  assert.deepEqual(toAsk([a, b], [questionId(a)]), [[b]]);
  assert.deepEqual(toAsk([{ ...a, hash: "another" }], [questionId(a)]).length, 1);
  assert.deepEqual(toAsk([a], [questionId(a)]), []);
});

test("the question names the servers and the file, and what one starts", () => {
  assert.equal(
    questionText([question("a", "/.mcp.json")], shorten),
    "Winnow found an MCP server (a) in .mcp.json, which another client may run too. It starts: run a. May Winnow run it?",
  );
  const many = ["a", "b", "c", "d", "e"].map((name) => question(name, "/x"));
  assert.equal(
    questionText([...many, question("f", "/y")], shorten),
    "Winnow found 6 MCP servers (a, b, c and 3 more) in x and y, which another client may run too. May Winnow run them?",
  );
  assert.equal(
    questionText([question("a", "/w", { ownFile: true, instead: true })], shorten),
    "Since you trusted this workspace, an MCP server (a) came into w. It starts: run a. It would run instead of your other server of that name (a). May Winnow run it?",
  );
  assert.match(
    questionText([question("a", "/x", { allowedByFile: true })], shorten),
    /You have allowed this file before/,
  );
});

test("the question says what has changed", () => {
  const change = (before: string, after: string) =>
    questionText([question("a", "/x", { changed: true, changes: [{ key: "args", before, after }] })], shorten);
  const says = (what: string) =>
    `The MCP server a in x is not what you allowed: args ${what}. May Winnow run it as it is now?`;
  assert.equal(change("-y", "-n"), says("is -n, it was -y"));
  assert.equal(change("", "-n"), says("is new, -n"));
  assert.equal(change("-y", ""), says("is gone, it was -y"));
  assert.equal(change("(hidden)", "(hidden)"), says("has another value"));
  assert.ok(change("x".repeat(1000), "y").length < 400);
});

test("both sides of a change are shown whole", () => {
  const q = question("a", "/x", {
    parts: [
      { key: "command", text: "node" },
      { key: "env.NEW", text: "1" },
      { key: "env.KEY", text: "(hidden)" },
    ],
    changes: [
      { key: "command", before: "npx", after: "node" },
      { key: "env.NEW", before: "", after: "1" },
      { key: "env.OLD", before: "2", after: "" },
      { key: "env.KEY", before: "(hidden)", after: "(hidden)" },
    ],
  });
  assert.deepEqual(compared(q), {
    before: "command: npx\nenv.KEY: (hidden) (another value)\nenv.OLD: 2\n",
    after: "command: node\nenv.NEW: 1\nenv.KEY: (hidden)\n",
  });
});
