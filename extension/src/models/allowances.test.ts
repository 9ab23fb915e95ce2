import assert from "node:assert/strict";
import { test } from "node:test";
import { Allowances } from "./allowances";

test("each call that a routed model made may run once", () => {
  const allowances = new Allowances();
  assert.equal(allowances.use("read"), false);
  for (const [task, tool] of [
    ["one", "read"],
    ["one", "write"],
    ["two", "read"],
  ] as const) {
    allowances.allow(task, tool);
  }
  assert.deepEqual(
    ["read", "read", "read", "write", "write"].map((tool) => allowances.use(tool)),
    [true, true, false, true, false],
  );
});

test("a call that was never run is not allowed for ever", () => {
  const allowances = new Allowances();
  allowances.allow("one", "read");
  allowances.allow("two", "write");
  allowances.end("one");
  assert.equal(allowances.use("read"), false);
  assert.equal(allowances.use("write"), true);
});
