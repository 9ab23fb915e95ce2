import assert from "node:assert/strict";
import test from "node:test";
import type { ImportNoteKind } from "../protocol.gen";
import { noteText } from "./notes";

test("every note is a sentence that names its server or its file", () => {
  const kinds: ImportNoteKind[] = ["taken", "unusable", "merged", "keysLeftOut", "changedSince", "thereAgain"];
  const texts = kinds.map((kind) =>
    noteText([{ kind, server: "git hub", keys: ["dev", "gallery"], uri: "file:///f" }], () => "f.json"),
  );
  for (const text of texts) assert.match(text, /(“git hub”|f\.json).*\.$/);
  assert.equal(new Set(texts).size, kinds.length);
  assert.match(texts[3] ?? "", /dev, gallery/);
  assert.equal(
    noteText([], () => ""),
    "",
  );
});
