import assert from "node:assert/strict";
import test from "node:test";
import { Waiting } from "./waiting";

test("what is waited for is said once, and is known at each moment", () => {
  const said: string[] = [];
  const waiting = new Waiting((line) => said.push(line));
  assert.equal(waiting.text, "waiting for winnowd");
  waiting.note({ kind: "waiting", servers: [] });
  waiting.note({ kind: "waiting", servers: ["memory", "playwright"] });
  waiting.note({ kind: "waiting", servers: ["playwright"] });
  assert.deepEqual(said, ["waiting for MCP servers to start: memory, playwright"]);
  assert.equal(waiting.text, "waiting for MCP servers to start: playwright");
  waiting.note({ kind: "catalog", servers: 2, tools: 30, tokens: 5000 });
  assert.equal(waiting.text, "waiting for an answer of winnowd's");
  assert.equal(said.length, 1);
});
