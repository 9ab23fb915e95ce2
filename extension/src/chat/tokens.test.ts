import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, call, result, text } from "../../test/support/parts";
import { messageTokens, textTokens } from "./tokens";

test("a text costs about a token for four bytes", () => {
  assert.equal(textTokens(""), 0);
  assert.equal(textTokens("read the note about the garden"), 8);
  // A Chinese character is nearer to one token than to a quarter of one.
  assert.equal(textTokens("花园笔记"), 3);
});

test("a message costs what is in it, calls, results and images included", () => {
  const image = { kind: "data", mimeType: "image/png", data: new Uint8Array(100_000) } as const;
  assert.ok(messageTokens(result("c1", image)) < 2000);
  assert.ok(messageTokens(result("c1", "x".repeat(400))) >= 100);
  assert.ok(messageTokens(answered(call("c1", "f", { a: "x".repeat(400) }))) >= 100);
  assert.equal(messageTokens(answered(text("b"), text("c"))), messageTokens(answered(text("b"))) + 1);
});
