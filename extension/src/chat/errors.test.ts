import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanError } from "./errors";

test("code and message stay, the stack goes", () => {
  const err = Object.assign(new Error("quota used up\n    at send (/x/y.js:1:2)\n    at async z"), { code: "Blocked" });
  assert.deepEqual(cleanError(err), { code: "Blocked", message: "quota used up" });
});

test("a code that is no kind of VS Code's is left out", () => {
  assert.deepEqual(cleanError(Object.assign(new Error("refused"), { code: "ECONNREFUSED" })), { message: "refused" });
});

test("whatever is thrown has a message, and a short one", () => {
  assert.deepEqual(cleanError("plain"), { message: "plain" });
  assert.deepEqual(cleanError(new Error("")), { message: "the model failed without saying why" });
  assert.equal(cleanError(new Error("x".repeat(9000))).message.length, 2001);
});
