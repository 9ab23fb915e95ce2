// A conversation continues in a new window with a new winnowd: the model gets the same messages, byte for byte, as
// without the reload.
import assert from "node:assert/strict";
import { mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { testDaemon } from "../../test/support/daemon";
import type { Part, Tool } from "../chat/message";
import { Chat, type ChatOptions, type Model, type Sent, openWindow, resultsIn } from "../../test/support/chat";
import { call, listing, text, tool } from "../../test/support/parts";

const topics = ["garden", "kitchen", "bridge", "violin", "harbour", "glacier", "castle", "forest", "desert", "museum"];

/** Eighty tools of two MCP servers, and two of the host's own. */
const tools: Tool[] = [
  tool("read_file"),
  tool("run_in_terminal"),
  ...Array.from({ length: 80 }, (_, i) =>
    tool(
      `mcp_${i % 2 === 0 ? "mail" : "data"}_tool_${i}`,
      `${i % 2 === 0 ? "Sends the mail" : "Queries the database"} number ${i} of the ${topics[i % 10] ?? ""}.`,
    ),
  ),
];

/** Loads what the message is about, says so, and calls it. */
const model: Model = (sent) => {
  const turn = sent.messages.filter(({ role }) => role === "user").length;
  const [loaded, ran] = resultsIn(sent);
  const thought: Part = { kind: "other", text: `thought ${turn}`, raw: { value: `thought ${turn}`, id: `t${turn}` } };
  if (loaded === undefined) return [thought, text("Let me look. "), call(`h${turn}`, "mcp_load", { query: "castle" })];
  if (ran === undefined) return [text("Found it."), call(`c${turn}`, "mcp_mail_tool_6", { path: "/" })];
  return [text("There it is.")];
};

const messages = ["send a mail about the violin", "and the harbour", "query the database of the glacier", "the museum"];

/** Has a chat of four messages; a new window opens before those that are given. */
async function have(t: TestContext, reloads: readonly number[], more: ChatOptions = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-recall-"));
  const storagePath = path.join(dir, "storage");
  const sent: Sent[] = [];
  const titles: (string | undefined)[] = [];
  const open = async (before?: Chat) => {
    const settings = { initialK: 10, searchK: 3 };
    const params = { capabilities: { hostTools: true }, settings, storagePath };
    const daemon = testDaemon(t, dir, params, { logLevel: () => "warn" });
    await daemon.start();
    const window = openWindow(daemon, listing(tools));
    const chat = new Chat(window, tools, more);
    chat.model = model;
    if (before !== undefined) chat.messages.splice(0, Infinity, ...before.messages);
    return { daemon, window, chat };
  };
  let { daemon, window, chat } = await open();
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })); // after the first daemon, which writes there to its end
  for (const [i, words] of messages.entries()) {
    if (reloads.includes(i)) {
      await daemon.stop();
      ({ daemon, window, chat } = await open(chat));
    }
    await chat.say(words);
    sent.push(...chat.sent.splice(0));
    titles.push(window.routed.at(-1)?.title);
    assert.deepEqual(window.failures, []);
  }
  await daemon.stop();
  return { sent, titles, folder: path.join(storagePath, "conversations") };
}

/** What reaches the model, without the objects that VS Code wraps it in. */
const bytes = (sent: readonly Sent[]) =>
  sent.map((request) => JSON.stringify(request, (key, value: unknown) => (key === "raw" ? undefined : value)));

test("after a reload the model is sent what it would have been sent without, byte for byte", async (t) => {
  const without = await have(t, []);
  const reloaded = await have(t, [1, 3]);
  assert.equal(without.sent.length, messages.length * 3);
  assert.ok(without.sent.at(-1)?.messages.some(({ parts }) => parts.some((part) => part.kind === "other")));
  assert.deepEqual(bytes(reloaded.sent), bytes(without.sent));
  assert.deepEqual(reloaded.titles[3], messages[0], "the task keeps its title");
  const files = await readdir(reloaded.folder);
  assert.equal(files.length, 1);
  if (process.platform !== "win32") {
    const { mode } = await stat(path.join(reloaded.folder, files[0] ?? ""));
    assert.equal(mode & 0o077, 0, "only the user may read it");
  }
});

test("a conversation without an id is known by how it begins", async (t) => {
  const anonymous = { conversation: undefined, fromAgent: false };
  const without = await have(t, [], anonymous);
  const reloaded = await have(t, [2], anonymous);
  assert.deepEqual(bytes(reloaded.sent), bytes(without.sent));
  assert.equal((await readdir(reloaded.folder)).length, 1, "it is kept once, at its end");
});
