import assert from "node:assert/strict";
import test from "node:test";
import { ChatAllowances, maxChats } from "./tasks";

test("what is allowed in a chat is allowed in no other, and not for ever", () => {
  const allowances = new ChatAllowances();
  allowances.of("a").add("write_file");
  assert.ok(allowances.of("a").has("write_file"));
  assert.ok(!allowances.of("b").has("write_file"));
  for (let i = 1; i < maxChats; i++) allowances.of(`chat ${i}`);
  assert.ok(!allowances.of("a").has("write_file"));
});
