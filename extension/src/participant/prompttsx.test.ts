import assert from "node:assert/strict";
import test from "node:test";
import { promptText } from "./prompttsx";

test("the text of a tree is read in its order, with its lines", () => {
  const text = (text: string, lineBreakBefore?: number) => ({ type: 2, text, lineBreakBefore });
  const tree = {
    node: {
      type: 1,
      ctor: 2,
      ctorName: "Matches",
      children: [
        text("1 match", 1),
        { type: 1, ctor: 2, children: [text("garden.md:", 1), text(" behind the shed")] },
        { type: 1, ctor: 3, props: { src: "data:image/png;base64,AAAA" }, children: [] },
      ],
    },
  };
  assert.equal(promptText(tree), "1 match\ngarden.md: behind the shed[image]");
});

test("what is no tree says nothing", () => {
  for (const value of [undefined, null, "text", 1, {}, { node: null }, { node: { children: [null, 1] } }]) {
    assert.equal(promptText(value), "");
  }
});
