import assert from "node:assert/strict";
import test from "node:test";
import { CrashPolicy } from "./crashes";

test("five crashes in three minutes are waited for longer and longer, the sixth ends it", () => {
  const policy = new CrashPolicy();
  const delays = [0, 1, 2, 3, 4, 5].map((i) => policy.next(i * 1000));
  assert.deepEqual(delays, [100, 200, 400, 800, 1600, undefined]);
  assert.equal(policy.count, 6);
});

test("crashes are forgotten after three minutes, and when the user restarts", () => {
  const policy = new CrashPolicy();
  for (let i = 0; i < 5; i++) policy.next(i);
  assert.equal(policy.next(3 * 60_000 + 3), 200, "only the last one before is young enough");
  policy.reset();
  assert.equal(policy.next(3 * 60_000 + 4), 100);
});
