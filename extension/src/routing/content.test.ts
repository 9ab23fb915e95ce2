import assert from "node:assert/strict";
import test from "node:test";
import { text } from "../chat/message";
import { contentOf } from "./content";

const png = Buffer.from([1, 2, 3]);

test("each kind of content reaches the model", () => {
  const content = contentOf({
    isError: false,
    content: [
      { type: "text", text: "hello" },
      { type: "image", mimeType: "image/png", data: png.toString("base64") },
      { type: "resource", resource: { uri: "file:///a", text: "of a file" } },
      { type: "resource", resource: { uri: "file:///b", mimeType: "application/zip", blob: png.toString("base64") } },
      { type: "resource_link", name: "c", uri: "file:///c" },
      { type: "audio", mimeType: "audio/wav", data: "AAAA" },
    ],
  });
  assert.deepEqual(content, [
    text("hello"),
    { kind: "data", mimeType: "image/png", data: png },
    text("of a file"),
    text("[resource file:///b application/zip, 3 bytes]"),
    text("[resource c file:///c]"),
    text("[audio audio/wav that cannot be shown to a model]"),
  ]);
});

test("an error says that it is one, and a result is never empty", () => {
  assert.deepEqual(contentOf({ isError: true, content: [{ type: "text", text: "no such file" }] }), [
    text("The tool failed:\n"),
    text("no such file"),
  ]);
  assert.deepEqual(contentOf({ isError: false, content: [], structuredContent: { n: 1 } }), [text('{"n":1}')]);
  assert.deepEqual(contentOf({ isError: false, content: [] }), [text("The tool answered nothing.")]);
});
