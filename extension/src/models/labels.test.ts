import assert from "node:assert/strict";
import { test } from "node:test";
import { labelsIn } from "./labels";

test("a file's servers are named, comments and trailing commas or not", () => {
  assert.deepEqual(labelsIn(`{\n  // mine\n  "servers": { "GitHub MCP": { "type": "http" }, "a/b": {}, },\n}`), [
    "GitHub MCP",
    "a/b",
  ]);
});

test("a file without servers, or a broken one, names none", () => {
  for (const text of ["", "{", "[]", "null", `{"servers": 3}`, `{"inputs": []}`])
    assert.deepEqual(labelsIn(text), [], text);
});
