import assert from "node:assert/strict";
import test from "node:test";
import { findKey } from "./findkey";

const json = `{
  "servers": {
    "a": { "disabledTools": [] },
    "b": {
      "disabledTools": ["x"]
    }
  }
}`;

test("a key is found at or after a line", () => {
  assert.deepEqual(findKey(json, 3, "disabledTools"), { line: 3, column: 12 });
  assert.deepEqual(findKey(json, 4, "disabledTools"), { line: 5, column: 7 });
  assert.deepEqual(findKey(json, 4, "onlyAllow"), { line: 4, column: 1 });
  assert.deepEqual(findKey("customModes:\n  - slug: a\n    groups: [read]\n", 2, "groups"), { line: 3, column: 5 });
  assert.deepEqual(findKey("", 1, "a.*"), { line: 1, column: 1 });
});
