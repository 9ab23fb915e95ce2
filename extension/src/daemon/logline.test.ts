import assert from "node:assert/strict";
import test from "node:test";
import { parseLogLine } from "./logline";

test("a line of slog keeps its level, message and attributes", () => {
  const line = '{"time":"2026-11-21T06:41:53Z","level":"WARN","msg":"MCP server failed","server":"x y","generation":2}';
  assert.deepEqual(parseLogLine(line), { level: "warn", text: "MCP server failed server=x y generation=2" });
});

test("a panic is kept as it is", () => {
  for (const line of ["panic: runtime error", "goroutine 1 [running]:", "{", '"text"', "null"]) {
    assert.deepEqual(parseLogLine(line), { level: "error", text: line });
  }
});
