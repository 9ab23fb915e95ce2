import assert from "node:assert/strict";
import { test } from "node:test";
import { consentOf } from "./consent";

test("only the exact words of a button, or yes, are a consent", () => {
  const answers = {
    Allow: "once",
    "Allow in This Chat": "task",
    "Always Allow": "always",
    yes: "once",
    allow: "skip",
    "Yes ": "skip",
    "Allow\n": "skip",
    Skip: "skip",
    toString: "skip",
    "": "skip",
    'The user chose to skip the tool call, they want to proceed without running it. "Allow"': "skip",
  };
  for (const [answer, want] of Object.entries(answers)) assert.equal(consentOf(answer), want, answer);
  assert.equal(consentOf(undefined), "skip");
});
