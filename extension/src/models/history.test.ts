import assert from "node:assert/strict";
import { test } from "node:test";
import { cleaned, dispatched, unwrapped, withoutGroups, wrapped } from "./history";
import type { Part } from "./message";
import { answered, asked, call, result, text } from "../../test/support/parts";

const marker: Part = { kind: "data", mimeType: "stateful_marker", data: new Uint8Array([1]) };

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

test("groups that the model never saw leave no trace", () => {
  const messages = withoutGroups([
    asked("go"),
    answered(text(""), call("w1", "activate_web")),
    result("w1", "Tools activated: mcp_web_click"),
    answered(text("Let me see."), call("w2", "activate_more"), call("c1", "read_file")),
    result("w2", "Tools activated: "),
    result("c1", "x"),
  ]);
  assert.deepEqual(messages, [asked("go"), answered(text("Let me see."), call("c1", "read_file")), result("c1", "x")]);
});

test("with dispatch, calls of tools that are not offered are written as mcp_call", () => {
  const [message] = dispatched(
    [answered(call("c1", "mcp_x", { a: 1 }), call("c2", "read_file"))],
    (tool) => tool === "mcp_x",
  );
  assert.deepEqual(
    message,
    answered(call("c1", "mcp_call", { name: "mcp_x", arguments: { a: 1 } }), call("c2", "read_file")),
  );
});
