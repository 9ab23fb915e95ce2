import assert from "node:assert/strict";
import test from "node:test";
import { causeText } from "./causes";

test("a cause is worded as the daemon words it", () => {
  assert.equal(
    causeText({ kind: "server", owner: "github", key: "disabledTools" }),
    'disabledTools of server "github"',
  );
  assert.equal(causeText({ kind: "invalid", text: "there is no command" }), "there is no command");
  assert.equal(causeText(undefined), "");
});
