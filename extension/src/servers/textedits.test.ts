import assert from "node:assert/strict";
import test from "node:test";
import { applied } from "./textedits";

const at = (line: number, character: number) => ({ line, character });

test("edits are those of the text before all of them", () => {
  const edits = [
    { range: { start: at(0, 1), end: at(0, 2) }, newText: "BB" },
    { range: { start: at(1, 0), end: at(2, 0) }, newText: "" },
    { range: { start: at(3, 0), end: at(3, 0) }, newText: "end\n" },
  ];
  assert.equal(applied("abc\ngone\n😀x\n", edits), "aBBc\n😀x\nend\n");
  assert.equal(applied("", [{ range: { start: at(0, 0), end: at(0, 0) }, newText: "{}\n" }]), "{}\n");
  assert.equal(applied("a\r\nb\r\n", [{ range: { start: at(1, 0), end: at(1, 1) }, newText: "c" }]), "a\r\nc\r\n");
});
