import assert from "node:assert/strict";
import test from "node:test";
import { demo } from "./demo";
import type { ModelMessage, ModelTool, Step } from "./script";

const tool = (name: string, description = "", properties = {}): ModelTool => ({
  name,
  description,
  inputSchema: { properties, required: Object.keys(properties) },
});
const path = { path: { type: "string" } };
const load = tool("mcp_load", "Load more tools", { query: { type: "string" } });
const search = tool("copilot_findTextInFiles", "Read the notes of the workspace", { query: { type: "string" } });

function steps(tools: ModelTool[], words: string, ...more: ModelMessage[]): Step[] {
  const messages: ModelMessage[] = [{ role: "user", parts: [{ kind: "text", text: words }] }, ...more];
  return [...demo({ number: 1, model: "m", messages, tools, toolMode: "auto", modelOptions: {} })];
}

test("asked by @winnow, it calls the tool of a server that fits the words, and none of VS Code's", () => {
  const tools = [
    search,
    tool("write_file", "Write a file", path),
    tool("read_file", "Read the text of a file", path),
    load,
  ];
  const [, call] = steps(tools, "read the note notes/espresso.md");
  assert.deepEqual(call, { kind: "call", name: "read_file", input: { path: "notes/espresso.md" } });
});

test("asked by VS Code's agent, it calls one of MCP's tools", () => {
  const tools = [
    tool("read_file", "Read a note", path),
    tool("mcp_fs_read_file", "Read the text of a file", path),
    load,
  ];
  const [, call] = steps(tools, "read the note a.md");
  assert.deepEqual(call, { kind: "call", name: "mcp_fs_read_file", input: { path: "a.md" } });
});

test("it asks for more tools once, and then says what it can", () => {
  const words = "translate a poem";
  assert.deepEqual(steps([load], words), [{ kind: "call", name: "mcp_load", input: { query: words } }]);
  const loaded: ModelMessage[] = [
    { role: "assistant", parts: [{ kind: "call", callId: "1", name: "mcp_load", input: {} }] },
    { role: "user", parts: [{ kind: "result", callId: "1", parts: [{ kind: "text", text: "nothing" }] }] },
  ];
  const [said] = steps([load], words, ...loaded);
  assert.match(said?.kind === "text" ? said.text : "", /found none for “translate a poem”/);
});

test("it quotes what the tool answered", () => {
  const ran: ModelMessage[] = [
    { role: "assistant", parts: [{ kind: "call", callId: "1", name: "read_file", input: {} }] },
    { role: "user", parts: [{ kind: "result", callId: "1", parts: [{ kind: "text", text: "one\ntwo" }] }] },
  ];
  assert.deepEqual(steps([load], "read", ...ran), [
    { kind: "text", text: "I called `read_file`. It answered:\n\n> one\n> two\n" },
  ]);
});
