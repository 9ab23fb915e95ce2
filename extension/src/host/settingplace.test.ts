import assert from "node:assert/strict";
import test from "node:test";
import { settingOffset } from "./settingplace";

/** What stands in a text from the place of a setting on. */
const at = (text: string, id: string) => {
  const offset = settingOffset(text, id);
  return offset === undefined ? undefined : text.slice(offset);
};

test("a setting is found by its whole name, in groups, and in a workspace's file", () => {
  assert.equal(at('{ // mine\n  "a": 1,\n  "winnow.initialk": 4,\n}', "winnow.initialk"), '"winnow.initialk": 4,\n}');
  const grouped = '{"winnow":{"gateway":{"mod":"all"}}}';
  assert.equal(at(grouped, "winnow.gateway.mod"), '"mod":"all"}}}');
  assert.equal(at('{"winnow.gateway":{"mod":1}}', "winnow.gateway.mod"), '"mod":1}}');
  assert.equal(at('{"winnow":{"gateway.mod":1}}', "winnow.gateway.mod"), '"gateway.mod":1}}');
  assert.equal(at('{"folders":[],"settings":{"winnow.x":1}}', "winnow.x"), '"winnow.x":1}}');
});

test("what is not there is not found", () => {
  for (const text of ["", "{ broken", "[]", '{"winnow.y": "winnow.x"}']) assert.equal(at(text, "winnow.x"), undefined);
});
