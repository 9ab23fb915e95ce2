import assert from "node:assert/strict";
import { test } from "node:test";
import { Allowances } from "./allowances";

test("each call that a routed model made may run once", () => {
  const allowances = new Allowances();
  assert.equal(allowances.use("one", "read"), false);
  for (const [task, tool] of [
    ["one", "read"],
    ["one", "write"],
    ["two", "read"],
  ] as const) {
    allowances.allow(task, tool);
  }
  const made = [
    ["one", "read", true],
    ["one", "read", false],
    ["two", "read", true],
    ["one", "write", true],
    ["one", "write", false],
  ] as const;
  for (const [task, tool, may] of made) assert.equal(allowances.use(task, tool), may, `${task} ${tool}`);
});

test("what a chat left unused runs in no other", () => {
  const allowances = new Allowances();
  allowances.allow("one", "write");
  allowances.allow("two", "read");
  assert.equal(allowances.use("two", "write"), false);
  assert.equal(allowances.use("one", "write"), true);
});

test("a call that was never run is not allowed for ever", () => {
  const allowances = new Allowances();
  allowances.allow("one", "read");
  allowances.allow("two", "write");
  allowances.end("one");
  assert.equal(allowances.use("one", "read"), false);
  assert.equal(allowances.use("two", "write"), true);
});
