import assert from "node:assert/strict";
import test from "node:test";
import { attachedBinary } from "./attachments";

/** A picture as VS Code hands it over, whose class its stable API does not name. */
const png = { mimeType: "image/png", data: () => Promise.resolve(new Uint8Array([1, 2])) };

const picture = { kind: "data", mimeType: "image/png", data: new Uint8Array([1, 2]) } as const;

test("a picture is read, where the model takes it", async () => {
  assert.deepEqual(await attachedBinary("shot", png, true), { name: "shot", picture });
  assert.deepEqual(await attachedBinary("shot", png, false), { name: "shot", problem: "the model takes no pictures" });
});

test("what is no picture, or cannot be read, says so", async () => {
  const zip = { ...png, mimeType: "application/zip" };
  const problem = "@winnow does not know what to do with application/zip";
  assert.deepEqual(await attachedBinary("a.zip", zip, true), { name: "a.zip", problem });
  const gone = { ...png, data: () => Promise.reject(new Error("it is gone")) };
  assert.deepEqual(await attachedBinary("shot", gone, true), { name: "shot", problem: "it is gone" });
  for (const value of [undefined, null, "text", { mimeType: "image/png" }]) {
    assert.equal(await attachedBinary("x", value, true), undefined);
  }
});
