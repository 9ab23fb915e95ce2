import assert from "node:assert/strict";
import { test } from "node:test";
import { answered, asked, call, result, text } from "../../test/support/parts";
import { edited } from "./edits";
import type { Part } from "../chat/message";
import { partToJson } from "../chat/partjson";

const thought: Part = { kind: "other", text: "hm", raw: { value: "hm" } };

test("what an edit keeps is the same object, what it adds is read, what it drops is gone", () => {
  const [kept, question, old, made] = [asked("go"), asked("add"), text("Old."), call("c1", "mcp_sum")];
  const messages = edited(
    [kept, question, answered(old, made), result("c1", "9")],
    [
      { message: 1, drop: true },
      {
        message: 2,
        before: [{ role: "assistant", parts: [partToJson(thought)] }],
        parts: [{ keep: 0, part: partToJson(text("New.")) }, { keep: 1 }],
        after: [{ role: "user", parts: [partToJson(result("h1", "x").parts[0] ?? old)] }],
      },
    ],
    (raw) => raw,
  );
  assert.equal(messages[0], kept);
  assert.deepEqual(messages.slice(1, 4), [
    answered(thought),
    answered(text("New."), made),
    { role: "user", parts: result("h1", "x").parts },
  ]);
  assert.equal(messages[2]?.parts[1], made);
  assert.equal(messages.length, 5);
});

test("a part that VS Code has no class for is left out", () => {
  const before = [{ role: "assistant", parts: [partToJson(thought), partToJson(text("x"))] }];
  const [first] = edited([asked("go")], [{ message: 0, before }], () => undefined);
  assert.deepEqual(first, answered(text("x")));
});

test("parts are the same after they were JSON", () => {
  const image: Part = { kind: "data", mimeType: "image/png", data: new Uint8Array([1, 2, 255]) };
  const parts = [text("x"), call("c1", "f", { a: 1 }), image, ...result("c1", "x", image).parts];
  const after = [{ role: "assistant", parts: JSON.parse(JSON.stringify(parts.map(partToJson))) as unknown[] }];
  assert.deepEqual(edited([asked("go")], [{ message: 0, after }], (raw) => raw)[1], answered(...parts));
});
