import assert from "node:assert/strict";
import test from "node:test";
import { keepLatest } from "./latest";

test("what is kept again becomes the latest, and the oldest give way", () => {
  const map = new Map<string, number>();
  for (const [i, key] of ["a", "b", "a", "c", "d"].entries()) keepLatest(map, key, i, 3);
  assert.deepEqual(
    [...map],
    [
      ["a", 2],
      ["c", 3],
      ["d", 4],
    ],
  );
});
