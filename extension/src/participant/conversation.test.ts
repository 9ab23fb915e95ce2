import assert from "node:assert/strict";
import test from "node:test";
import { type PastTurn, type TurnRecord, recordOf, stateOf } from "./conversation";

/** A past turn as VS Code gives it back: through JSON. */
function past(record: TurnRecord): PastTurn {
  return { prompt: "p", answer: "a", record: recordOf(JSON.parse(JSON.stringify(record))) };
}

test("what is no record of this version is none", () => {
  assert.equal(recordOf({ version: 2, messages: [] }), undefined);
  assert.equal(recordOf({}), undefined);
});

test("the newest state counts", () => {
  const state = (task: string) => ({ task }) as TurnRecord["state"] & object;
  const turns = [
    past({ version: 1, messages: [], dropped: 0, state: state("a") }),
    past({ version: 1, messages: [], dropped: 0, state: state("b") }),
    { prompt: "p", answer: "", record: undefined },
  ];
  assert.equal(stateOf(turns)?.task, "b");
  assert.equal(stateOf([]), undefined);
});
