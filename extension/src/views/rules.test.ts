import assert from "node:assert/strict";
import test from "node:test";
import type { Exclusion } from "../protocol.gen";
import { rulePlace } from "./rules";

test("a rule leads to the place where it is written", () => {
  const table: [Exclusion | undefined, ReturnType<typeof rulePlace>][] = [
    [
      { kind: "server", owner: "git hub", key: "disabled" },
      { kind: "server", server: "git hub", key: "disabled" },
    ],
    [
      { kind: "tool", owner: "a", key: "onlyAllow" },
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
      { kind: "window", key: "winnow.searchTurns" },
      { kind: "setting", setting: "winnow.searchTurns" },
    ],
    [{ kind: "gating", owner: "a" }, undefined],
    [{ kind: "new" }, undefined],
    [{ kind: "gone" }, undefined],
    [undefined, undefined],
  ];
  for (const [exclusion, want] of table) assert.deepEqual(rulePlace(exclusion), want, JSON.stringify(exclusion));
});
