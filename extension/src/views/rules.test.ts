import assert from "node:assert/strict";
import test from "node:test";
import type { Cause } from "../protocol.gen";
import { causeText, rulePlace } from "./rules";

test("a cause leads to the place where it is written", () => {
  const table: [Cause | undefined, ReturnType<typeof rulePlace>][] = [
    [
      { kind: "server", owner: "git hub", key: "disabled" },
      { kind: "server", server: "git hub", key: "disabled" },
    ],
    [
      { kind: "server", owner: "a", key: "onlyAllow" },
      { kind: "tool", server: "a", key: "onlyAllow" },
    ],
    [
      { kind: "mode", owner: "review", key: "blockedMcpServers" },
      { kind: "mode", mode: "review", key: "blockedMcpServers" },
    ],
    [
      { kind: "rank", key: "winnow.initialK" },
      { kind: "setting", setting: "winnow.initialK" },
    ],
    [
      { kind: "limit", key: "winnow.maxTools" },
      { kind: "setting", setting: "winnow.maxTools" },
    ],
    [
      { kind: "budget", key: "winnow.budgetTokens" },
      { kind: "setting", setting: "winnow.budgetTokens" },
    ],
    [
      { kind: "named", key: "winnow.initialK" },
      { kind: "setting", setting: "winnow.initialK" },
    ],
    [
      { kind: "frozen", key: "winnow.searchTurns" },
      { kind: "setting", setting: "winnow.searchTurns" },
    ],
    [{ kind: "late" }, undefined],
    [{ kind: "gone" }, undefined],
    [undefined, undefined],
  ];
  for (const [cause, want] of table) assert.deepEqual(rulePlace(cause), want, JSON.stringify(cause));
});

test("a cause is worded as the daemon words it", () => {
  assert.equal(
    causeText({ kind: "server", owner: "github", key: "disabledTools" }),
    'disabledTools of server "github"',
  );
  assert.equal(causeText({ kind: "invalid", text: "there is no command" }), "there is no command");
  assert.equal(causeText(undefined), "");
});
