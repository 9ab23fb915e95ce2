import assert from "node:assert/strict";
import test from "node:test";
import { rulePlace } from "./rules";

test("a rule leads to the place where it is written", () => {
  const table: [string, ReturnType<typeof rulePlace>][] = [
    ['disabled of server "git hub"', { kind: "server", server: "git hub", key: "disabled" }],
    ['onlyAllow of server "a"', { kind: "tool", server: "a", key: "onlyAllow" }],
    ['disabledTools of server "a\\"b"', { kind: "tool", server: 'a"b', key: "disabledTools" }],
    ['blockedMcpServers of mode "review"', { kind: "mode", mode: "review", key: "blockedMcpServers" }],
    ['groups of mode "ask"', { kind: "mode", mode: "ask", key: "groups" }],
    ["not among the best winnow.initialK", { kind: "setting", setting: "winnow.initialK" }],
    ["winnow.maxTools or the model's own limit is reached", { kind: "setting", setting: "winnow.maxTools" }],
    [
      "the window of winnow.searchTurns turns is over; mcp_load attaches it",
      { kind: "setting", setting: "winnow.searchTurns" },
    ],
    ["it came after this turn began", undefined],
    ["its server no longer offers it", undefined],
  ];
  for (const [rule, want] of table) assert.deepEqual(rulePlace(rule), want, rule);
});
