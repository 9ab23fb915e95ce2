import assert from "node:assert/strict";
import { test } from "node:test";
import { cleaned, wrapped } from "./history";
import type { Part } from "../chat/message";
import { answered, asked, call, text } from "../../test/support/parts";

const marker: Part = { kind: "data", mimeType: "stateful_marker", data: new Uint8Array([1]) };

/** A call as the model reads it. */
const unwrapped = (made: Part) => cleaned([answered(made)])[0]?.parts[0];

test("a call through winnow_call comes back as the call that the model made", () => {
  const made = call("c1", "mcp_web_click", { ref: "e1" });
  const input = { ref: "e1" };
  assert.deepEqual(wrapped(made, "t1"), call("c1", "winnow_call", { task: "t1", tool: "mcp_web_click", input }));
  assert.deepEqual(unwrapped(wrapped(made, "t1")), made);
  // As chats of earlier versions have it.
  assert.deepEqual(unwrapped(call("c1", "winnow_call", { tool: "mcp_web_click", input })), made);
  assert.deepEqual(unwrapped(call("c2", "winnow_call", { tool: "mcp_x" })), call("c2", "mcp_x"));
  const senseless = call("c3", "winnow_call", {});
  assert.equal(unwrapped(senseless), senseless);
});

test("markers go, and what needs no change stays the same object", () => {
  const plain = asked("go");
  const messages = cleaned([plain, answered(text("ok"), marker, wrapped(call("c1", "mcp_x"), "t1"))]);
  assert.equal(messages[0], plain);
  assert.deepEqual(messages[1], answered(text("ok"), call("c1", "mcp_x")));
});
