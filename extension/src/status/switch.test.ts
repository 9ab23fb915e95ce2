import assert from "node:assert/strict";
import test from "node:test";
import { type Values, turnOff, turnOn } from "./switch";

test("off is written where the setting is, and on puts back what was there", () => {
  const table: [Values, { level: string; before: number | undefined }][] = [
    [{}, { level: "global", before: undefined }],
    [{ global: 5 }, { level: "global", before: 5 }],
    [
      { global: 5, workspace: 3 },
      { level: "workspace", before: 3 },
    ],
  ];
  for (const [values, want] of table) {
    const { write, before } = turnOff(values);
    assert.deepEqual({ level: write.level, before }, want);
    assert.equal(write.value, 0);
    const remembered: Values = before === undefined ? {} : { [write.level]: before };
    assert.deepEqual(turnOn({ ...values, [write.level]: 0 }, remembered), [{ level: write.level, value: before }]);
  }
});

test("on takes every 0 away, also one that nobody remembers", () => {
  assert.deepEqual(turnOn({ workspace: 0, global: 0 }, { workspace: 4 }), [
    { level: "workspace", value: 4 },
    { level: "global", value: undefined },
  ]);
  assert.deepEqual(turnOn({ workspace: 0 }, { workspace: 0 }), [{ level: "workspace", value: undefined }]);
  assert.deepEqual(turnOn({ global: 7 }, {}), []);
});
