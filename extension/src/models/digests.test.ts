import assert from "node:assert/strict";
import { test } from "node:test";
import { conversationOf, digestsOf } from "./digests";
import type { Part } from "./message";
import { answered, asked, call, environment, result, system, text } from "../../test/support/parts";

const image: Part = { kind: "data", mimeType: "image/png", data: new Uint8Array([1, 2, 3]) };

test("each message has the role that the daemon counts turns by", () => {
  const messages = [system(), environment, asked("go"), answered(text(""), call("c1", "read_file")), result("c1", "x")];
  assert.deepEqual(
    digestsOf(messages).map(({ role }) => role),
    ["system", "user", "user", "assistant", "tool"],
  );
});

test("a message names its calls as the model made them", () => {
  const wrapped = call("c2__vscode-1717171717", "winnow_call", { tool: "mcp_web_click", input: {} });
  const [message, plain] = digestsOf([answered(text("so"), call("c1", "read_file"), wrapped), asked("go")]);
  assert.deepEqual(message?.calls, [
    { id: "c1", name: "read_file" },
    { id: "c2", name: "mcp_web_click" },
  ]);
  assert.equal(plain?.calls, undefined);
});

test("a message that stands for others says so", () => {
  const summary = "<conversation-summary>\nWe wrote a page.\n</conversation-summary>";
  const marked = digestsOf([system(), asked(summary), answered(text(summary))]).map((message) => message.summary);
  assert.deepEqual(marked, [undefined, true, undefined]);
});

test("equal messages share a digest, others do not", () => {
  const [a, b, c] = digestsOf([asked("go"), asked("go"), asked("go on")]);
  assert.equal(a?.digest, b?.digest);
  assert.notEqual(a?.digest, c?.digest);
  const calls = digestsOf([answered(call("c1", "f", { a: 1 })), answered(call("c1", "f", { a: 2 }))]);
  assert.notEqual(calls[0]?.digest, calls[1]?.digest);
});

test("an image that VS Code drops from a result after its turn changes nothing", () => {
  const [fresh, later] = digestsOf([
    result("c1", "Here it is:", image, "\n[Image URI: vscode-chat://x/file.png]That was it."),
    result("c1", "Here it is:[Image was previously shown to you. Image URI: vscode-chat://x/file.png]That was it."),
  ]);
  assert.deepEqual(fresh, later);
});

test("an image of the user's counts", () => {
  const [a, b] = digestsOf([
    { role: "user", parts: [text("look"), image] },
    { role: "user", parts: [text("look")] },
  ]);
  assert.notEqual(a?.digest, b?.digest);
});

test("thinking and markers come and go", () => {
  const thinking: Part = { kind: "other", text: "hm", raw: {} };
  const marker: Part = { kind: "data", mimeType: "stateful_marker", data: new Uint8Array([9]) };
  const [a, b] = digestsOf([answered(thinking, text("ok"), marker), answered(text("ok"))]);
  assert.deepEqual(a, b);
});

test("a conversation is VS Code's, and the agent's that speaks in it", () => {
  const of = (prompt: string) => conversationOf("chat-1", [system(prompt), asked("go")]);
  const agent = "You are an expert.\nWhen asked, you must state that you are using One (Winnow).\nlog: VSCODE_TARGET=1";
  assert.ok(of(agent).startsWith("chat-1#"));
  assert.equal(of(agent), of(agent.replace("One", "Two").replace("=1", "=2")));
  assert.notEqual(of(agent), of("You are Explore, a subagent."));
});

test("what the agent finds while a chat goes on changes neither the conversation nor its beginning", () => {
  const base = "You are an agent.\n<instructions>\nBe short.\n</instructions>\n";
  const found = [
    '<instruction forToolsWithPrefix="mcp_everything">\nServer instructions.\n</instruction>\n',
    "<instructions>\n<skills>\n<skill>\nsetup\n</skill>\n</skills>\n\n<agents>\nExplore\n</agents>\n</instructions>\n",
    '<instructions>\n<attachment filePath="AGENTS.md">\nUse tabs.\n</attachment>\n</instructions>\n',
    "<toolUseInstructions>Use the run_in_terminal tool.</toolUseInstructions>\n",
  ];
  const of = (prompt: string) => [conversationOf("chat-1", [system(prompt)]), digestsOf([system(prompt)])];
  for (const more of found) assert.deepEqual(of(`${base}${more}Done.`), of(`${base}Done.`), more);
  assert.notDeepEqual(of(base), of(base.replace("an agent", "another agent")));
  // A prompt that begins with a section is known by all of it.
  assert.notDeepEqual(of("<role>One</role>"), of("<role>Two</role>"));
});

test("a custom agent is another one, which shares the prompt of VS Code's own", () => {
  const of = (mode: string) =>
    conversationOf("chat-1", [system(`You are an agent.\n<instructions>Be brief.</instructions>${mode}`)]);
  const cook = '<modeInstructions>\nYou are currently running in "Cook" mode. Cook.</modeInstructions>';
  assert.notEqual(of(cook), of(""));
  assert.notEqual(of(cook), of(cook.replace("Cook", "Smith")));
  assert.equal(of(cook), of(cook.replace("Cook.", "Cook with the run_in_terminal tool.")));
});
