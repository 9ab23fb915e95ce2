// Routed requests with the real winnowd, over real pipes. Only VS Code and the model are fakes.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type TestContext, test } from "node:test";
import { fileURLToPath } from "node:url";
import { CancellationToken, CancellationTokenSource } from "vscode-jsonrpc/node";
import { Chat, type ChatOptions, type Sent, openWindow, resultsIn } from "../../test/support/chat";
import { fileIn, testDaemon } from "../../test/support/daemon";
import { answered, asked, call, environment, listing, result, system, text, tool } from "../../test/support/parts";
import type { Requester } from "../daemon/client";
import { CatalogList, DidChangeSettings, ModeSet, TaskList } from "../protocol/protocol.gen";
import { stopped } from "./answer";
import { Calls, type CallScreen } from "./calls";
import type { Consent } from "./consent";
import { type CallPart, type Message, type Part, type Tool, callsOf, textOf } from "../chat/message";

/** The host's own tools. */
const native = ["read_file", "run_in_terminal", "runSubagent"].map((name) => tool(name));

const topics = [
  ...["garden", "kitchen", "bridge", "violin", "harbour", "glacier", "castle", "forest", "desert", "museum"],
  ...["library", "airport", "theatre", "orchard", "lighthouse", "volcano", "market", "stadium", "island", "canyon"],
];

/** Eighty tools of four MCP servers. */
const mcp = Array.from({ length: 80 }, (_, i): Tool => {
  const [server, does] = [
    ["files", "Reads the file"],
    ["mail", "Sends the mail"],
    ["web", "Takes the screenshot"],
    ["data", "Queries the database"],
  ][i % 4] as [string, string];
  return tool(`mcp_${server}_tool_${i}`, `${does} number ${i} of the ${topics[i >> 2] ?? "rest"}.`);
});

/** Waits until a server of the daemon's runs. */
async function until(daemon: Requester, name: string): Promise<void> {
  for (;;) {
    const { servers } = await daemon.request(CatalogList, { serversOnly: true });
    if (servers.some((server) => server.name === name && server.state === "ready")) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** The tasks as the views ask for them. */
const daemonTasks = (window: { daemon: Requester }) => window.daemon.request(TaskList, {});

const deeds = ["read the file", "send the mail about the", "take a screenshot of the", "query the database of the"];

const proxy = tool("winnow_call", "Internal to Winnow.");

/** A window over a daemon of its own, with a chat that offers all the tools. */
async function open(t: TestContext, settings: object = {}, options: { file?: object } = {}) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-models-"));
  const storagePath = path.join(dir, "storage");
  await writeFile(path.join(dir, "winnow.json"), JSON.stringify(options.file ?? {}));
  const daemon = testDaemon(
    t,
    dir,
    { capabilities: { hostTools: true }, settings: { initialK: 10, searchK: 3, ...settings }, storagePath },
    { logLevel: () => "warn" },
  );
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })); // after the daemon, which writes there to its end
  await daemon.start();
  const window = openWindow(daemon, listing([...native, ...mcp, proxy]));
  const chat = (more: ChatOptions = {}, tools = [...native, ...mcp, proxy]) => new Chat(window, tools, more);
  return { daemon, window: { ...window, daemon }, chat, storagePath };
}

const names = (tools: readonly Tool[]) => tools.map(({ name }) => name);
const attachedIn = (sent: Sent) => sent.tools.filter((name) => name.startsWith("mcp_") && name !== "mcp_load");

/** Asserts that each request begins with the whole of the one before: the model's prompt cache goes by it. */
function assertPrefixes(sent: readonly Sent[]) {
  const plain = (messages: readonly Message[]) =>
    messages.map(({ role, parts }) => ({
      role,
      parts: parts.filter((part) => part.kind !== "text" || part.text !== ""),
    }));
  for (let i = 1; i < sent.length; i++) {
    const earlier = plain(sent[i - 1]?.messages ?? []);
    assert.deepEqual(plain(sent[i]?.messages ?? []).slice(0, earlier.length), earlier, `request ${i} changes the past`);
  }
}

test("a request holds the host's own tools, mcp_load and the attached tools, and nothing else", async (t) => {
  const { window, chat } = await open(t);
  const one = chat();
  await one.say("send a mail about the violin");
  assert.deepEqual(one.offered.slice(0, 4), [...names(native), "mcp_load"]);
  const attached = one.offered.slice(4);
  assert.equal(attached.length, 10);
  assert.ok(attached.includes("mcp_mail_tool_13"), attached.join(" "));
  assert.ok(attached.every((name) => names(mcp).includes(name)));
  // Everything else is as VS Code sent it.
  assert.deepEqual(one.sent[0]?.messages, one.messages.slice(0, -1));
  const [routed] = window.routed;
  assert.equal(routed?.title, "send a mail about the violin");
  assert.equal(routed.model, "One");
  assert.deepEqual(
    routed.sections.map(({ name, tokens }) => [name, tokens > 0]),
    [
      ["System prompt", true],
      ["VS Code's tools", true],
      ["Conversation", true],
    ],
  );
});

test("seven turns add tools and remove none, then the set is frozen; tool results are no turns", async (t) => {
  const { window, chat } = await open(t, { initialK: 3 });
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call(`c${one.sent.length}`, "read_file")] : [text("done")]);
  let before: string[] = [];
  for (let turn = 1; turn <= 9; turn++) {
    await one.say(`${deeds[turn % 4] ?? ""} ${topics[turn * 2] ?? ""}`);
    const now = attachedIn({ messages: [], tools: one.offered });
    assert.deepEqual(now.slice(0, before.length), before, `turn ${turn}`);
    assert.equal(now.length > before.length, turn <= 7, `turn ${turn}: ${before.length}, then ${now.length}`);
    assert.equal(window.routed.at(-1)?.attachment.turn, turn);
    before = now;
  }
  assert.equal(window.routed.at(-1)?.attachment.frozen, true);
  assertPrefixes(one.sent);
});

test("mcp_load is answered within the request, and stays in the model's memory", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  one.model = (sent) => {
    const [loaded, ran] = resultsIn(sent);
    if (loaded === undefined)
      return [text("Let me look. "), call("h1", "mcp_load", { query: "query the database of the castle" })];
    if (ran === undefined) return [text("Found it."), call("c1", "mcp_data_tool_27", { path: "/" })];
    return [text("There it is.")];
  };
  assert.equal(await one.say("send a mail about the violin"), "Let me look. Found it.There it is.");
  assert.deepEqual(
    one.ran.map(({ name, input }) => [name, input]),
    [["mcp_data_tool_27", { path: "/" }]],
  );
  const [first, second, third] = one.sent;
  assert.ok(!first?.tools.includes("mcp_data_tool_27"));
  assert.ok(second?.tools.includes("mcp_data_tool_27"));
  assert.deepEqual(second?.tools.slice(0, first?.tools.length), first?.tools);
  assert.match(resultsIn(third ?? { messages: [], tools: [] })[0] ?? "", /mcp_data_tool_27/);
  one.model = () => [text("You are welcome.")];
  await one.say("thanks");
  assertPrefixes(one.sent);
});

test("a hidden round before an answer of mere text stays, too", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  one.model = (sent) =>
    resultsIn(sent).length === 0 ? [call("h1", "mcp_load", { names: ["mcp_data_tool_27"] })] : [text("Nothing fits.")];
  await one.say("send a mail about the violin");
  one.model = () => [text("Bye.")];
  await one.say("never mind");
  assert.deepEqual(one.ran, []);
  assertPrefixes(one.sent);
});

test("a load beside a real call takes effect, and is not lost", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  one.model = (sent) =>
    resultsIn(sent).length === 0
      ? [call("h1", "mcp_load", { names: ["mcp_data_tool_27"] }), call("c1", "read_file")]
      : [text("Both done.")];
  await one.say("send a mail about the violin");
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["read_file"],
  );
  assert.ok(one.offered.includes("mcp_data_tool_27"));
  const calls = one.sent[1]?.messages.flatMap(({ parts }) => callsOf(parts).map(({ name }) => name));
  assert.deepEqual(calls, ["read_file", "mcp_load"]);
  assert.equal(resultsIn(one.sent[1] ?? { messages: [], tools: [] }).length, 2);
});

test("a tool that is called before it is attached runs, and is attached", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27")] : [text("done")]);
  await one.say("send a mail about the violin");
  assert.ok(!one.sent[0]?.tools.includes("mcp_data_tool_27"));
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["mcp_data_tool_27"],
  );
  assert.ok(one.sent[1]?.tools.includes("mcp_data_tool_27"));
});

test("with earlyCall retry the model calls again with the schema at hand", async (t) => {
  const { chat } = await open(t, { earlyCall: "retry" });
  const one = chat();
  let calls = 0;
  one.model = () => (calls < 2 ? [call(`c${++calls}`, "mcp_data_tool_27")] : [text("done")]);
  await one.say("send a mail about the violin");
  assert.deepEqual(
    one.ran.map(({ callId }) => callId),
    ["c2"],
  );
  assert.match(resultsIn(one.sent[1] ?? { messages: [], tools: [] })[0] ?? "", /call it again/);
  assert.ok(one.sent[1]?.tools.includes("mcp_data_tool_27"));
});

test("with earlyCall refuse the model is told, and VS Code runs nothing", async (t) => {
  const { chat } = await open(t, { earlyCall: "refuse" });
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27")] : [text("done")]);
  await one.say("send a mail about the violin");
  assert.deepEqual(one.ran, []);
  assert.match(resultsIn(one.sent[1] ?? { messages: [], tools: [] })[0] ?? "", /mcp_load/);
});

test("a misspelled name is repaired, an unknown one answered, a forbidden one refused by its rule", async (t) => {
  const file = { servers: { files: { disabledTools: ["mcp_files_tool_0"] } } };
  const { window, chat } = await open(t, {}, { file });
  window.routing.listing = () => listing([...native, ...mcp, proxy], ["files", "mail", "web", "data"]);
  const one = chat();
  const made = ["MCP_Data-Tool_27", "mcp_no_such_tool", "mcp_files_tool_0"];
  one.model = () => {
    const name = made.shift();
    return name === undefined ? [text("done")] : [call(`c${made.length}`, name)];
  };
  await one.say("send a mail about the violin");
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["mcp_data_tool_27"],
  );
  const [, unknown, forbidden] = resultsIn(one.sent.at(-1) ?? { messages: [], tools: [] });
  assert.match(unknown ?? "", /there is no tool "mcp_no_such_tool"/);
  assert.match(forbidden ?? "", /disabledTools of server "files"/);
});

test("tools that VS Code hides in groups are revealed, offered, and called through winnow_call", async (t) => {
  const { window, chat } = await open(t);
  const hidden = mcp.slice(20);
  const groups = [tool("activate_web"), tool("activate_rest")];
  const run = ({ name, input }: CallPart) => {
    if (name === "winnow_call") {
      // VS Code runs it once; whoever else calls it, such as a model that is not routed, may not.
      const { task, tool: real } = input as { task: string; tool: string };
      const { allowances } = window.routing;
      assert.deepEqual([allowances.use("another", real), allowances.use(task, real)], [false, true]);
      assert.equal(allowances.use(task, real), false);
    }
    if (name === "activate_web")
      return `Tools activated: ${[...names(hidden.slice(0, 30)), "activate_sub"].join(", ")}`;
    if (name === "activate_rest") return `Tools activated: ${names(hidden.slice(30, 40)).join(", ")}`;
    return "done";
  };
  const one = chat({ run }, [...native, ...mcp.slice(0, 20), ...groups, proxy]);
  one.model = (sent) =>
    resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27", { path: "/" })] : [text("done")];
  await one.say("query the database of the castle");
  assert.deepEqual(
    one.ran.map(({ name, input }) => [name, input]),
    [
      ["activate_web", {}],
      ["activate_rest", {}],
      ["winnow_call", { task: window.routed.at(-1)?.task, tool: "mcp_data_tool_27", input: { path: "/" } }],
    ],
  );
  // The model was asked twice, and knows of no group and no proxy.
  assert.equal(one.sent.length, 2);
  assert.ok(one.offered.includes("mcp_data_tool_27"));
  assert.ok(!one.offered.some((name) => /activate|winnow/.test(name)));
  const calls = one.sent[1]?.messages.flatMap(({ parts }) => callsOf(parts));
  assert.deepEqual(
    calls?.map(({ name, input }) => [name, input]),
    [["mcp_data_tool_27", { path: "/" }]],
  );
  // Each message asks once what is there: the user may have switched something off.
  one.ran.length = 0;
  await one.say("and of the bridge");
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["activate_web", "activate_rest", "winnow_call"],
  );
  assertPrefixes(one.sent);
});

test("a hidden tool that the user switches off does not run from the next message on", async (t) => {
  const { window, chat } = await open(t);
  let on = names(mcp.slice(20));
  const run = ({ name }: { name: string }) => (name === "activate_all" ? `Tools activated: ${on.join(", ")}` : "done");
  const one = chat({ run }, [...native, ...mcp.slice(0, 20), tool("activate_all"), proxy]);
  one.model = (sent) =>
    resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27", { path: "/" })] : [text("done")];
  await one.say("query the database of the castle");
  assert.equal(one.ran.at(-1)?.name, "winnow_call");

  on = on.filter((name) => name !== "mcp_data_tool_27");
  one.ran.length = 0;
  await one.say("query the database of the castle again");
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["activate_all"],
  );
  assert.match(resultsIn(one.sent.at(-1) ?? { messages: [], tools: [] }).join(), /mcp_data_tool_27/);
  assert.deepEqual(window.failures, []);
});

test("without winnow_call the groups stay what they are", async (t) => {
  const { chat } = await open(t);
  const one = chat({}, [...native, ...mcp.slice(0, 60), tool("activate_rest")]);
  await one.say("query the database of the castle");
  assert.deepEqual(one.ran, []);
  assert.ok(one.offered.includes("activate_rest"));
});

test("a routed model has the servers that Winnow runs, by the confirmed call tool", async (t) => {
  const server = fileURLToPath(import.meta.resolve("@modelcontextprotocol/server-memory/dist/index.js"));
  const file = { servers: { memory: { command: process.execPath, args: [server] } } };
  const { daemon, window, chat } = await open(t, {}, { file });
  await until(daemon, "memory");
  const asked: string[] = [];
  const answers: Consent[] = ["skip", "task", "once"];
  const calls = new Calls(daemon);
  const screen: CallScreen = {
    progress: () => undefined,
    warn: (message) => assert.fail(message),
    confirm: ({ tool = "" }) => Promise.resolve(answers[asked.push(tool) - 1] ?? "skip"),
  };
  const host = () => Promise.reject(new Error("VS Code has none"));
  const results: string[] = [];
  const made: [string, object][] = [
    ["mcp__memory__create_entities", { entities: [{ name: "Violin", entityType: "thing", observations: [] }] }],
    ["mcp__memory__create_entities", { entities: [{ name: "Violin", entityType: "thing", observations: [] }] }],
    ["mcp__memory__read_graph", {}],
  ];
  const run = async ({ name, input }: CallPart) => {
    assert.equal(name, "winnow_call");
    const { task, tool: real, input: args } = input as { task: string; tool: string; input: object };
    assert.ok(window.routing.allowances.use(task, real), "the call is not allowed");
    results.push(textOf(await calls.run({ task, name: real, input: args }, screen, host, CancellationToken.None)));
    return results.at(-1) ?? "";
  };
  const one = chat({ run }, [...native, proxy]); // VS Code itself has none
  one.model = (sent) => {
    const next = made[resultsIn(sent).length];
    return next === undefined ? [text("done")] : [call(`c${resultsIn(sent).length}`, ...next)];
  };
  await one.say("remember the violin in the knowledge graph");
  assert.ok(one.offered.includes("mcp__memory__create_entities"), one.offered.join(" "));
  assert.match(results[0] ?? "", /declined/);
  assert.match(results[2] ?? "", /Violin/);
  assert.deepEqual(asked, ["create_entities", "create_entities", "read_graph"]);
});

test("strategy dispatch: the model searches, and what it calls runs as the real tool", async (t) => {
  const { chat } = await open(t, { strategy: "dispatch" });
  const one = chat();
  one.model = (sent) => {
    const [found, ran] = resultsIn(sent);
    if (found === undefined) return [call("h1", "mcp_search", { query: "query the database of the castle" })];
    if (ran === undefined) return [call("c1", "mcp_call", { name: "mcp_data_tool_27", arguments: { path: "/" } })];
    return [text("done")];
  };
  await one.say("what does the castle's database hold?");
  assert.deepEqual(one.offered, [...names(native), "mcp_search", "mcp_call"]);
  assert.deepEqual(
    one.ran.map(({ name, input }) => [name, input]),
    [["mcp_data_tool_27", { path: "/" }]],
  );
  one.model = () => [text("bye")];
  await one.say("thanks");
  const calls = one.sent.at(-1)?.messages.flatMap(({ parts }) => callsOf(parts).map(({ name }) => name));
  assert.deepEqual(calls, ["mcp_search", "mcp_call"]);
  assertPrefixes(one.sent);
});

test("strategy topK: each message has its own tools, and what was called stays", async (t) => {
  const { chat } = await open(t, { strategy: "topK", topK: 4 });
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_mail_tool_13")] : [text("done")]);
  await one.say("send a mail about the violin");
  one.model = () => [text("done")];
  await one.say("take a screenshot of the volcano");
  assert.ok(one.offered.includes("mcp_web_tool_62"), one.offered.join(" "));
  assert.ok(one.offered.includes("mcp_mail_tool_13"));
  assert.ok(one.offered.length < native.length + 8);
});

test("searchTurns 0 sends all that the host sent, and nothing of Winnow's", async (t) => {
  const { chat } = await open(t, { searchTurns: 0 });
  const one = chat({}, [...native, ...mcp, tool("activate_rest"), proxy]);
  await one.say("send a mail about the violin");
  assert.deepEqual([...one.offered].sort(), [...names(native), ...names(mcp), "activate_rest"].sort());
  assert.deepEqual(one.ran, []);
});

test("shadow changes nothing, and tells what would have been", async (t) => {
  const { window, chat } = await open(t, { shadow: true });
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27")] : [text("done")]);
  await one.say("send a mail about the violin");
  assert.deepEqual([...one.offered].sort(), [...names(native), ...names(mcp)].sort());
  assert.equal(window.routed[0]?.attachment.shadow, true);
  assert.equal(window.routed[0].attachment.wouldAttach?.length, 10);
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["mcp_data_tool_27"],
  );
});

test("what is saved is told against what VS Code would send: the tools that it shows, and its groups", async (t) => {
  const { window, chat } = await open(t);
  const shown = mcp.slice(0, 20);
  const group = tool("activate_rest", "More tools.");
  const run = ({ name }: CallPart) =>
    name === "activate_rest" ? `Tools activated: ${names(mcp.slice(20)).join(", ")}` : "done";
  const one = chat({ run }, [...native, ...shown, group, proxy]);
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27")] : [text("done")]);
  await one.say("query the database of the castle");
  const tokens = window.routed.at(-1)?.attachment.tokens;
  assert.ok(tokens !== undefined && tokens.client < tokens.all / 2, JSON.stringify(tokens));
  assert.equal(tokens.clientSaved, tokens.client - tokens.attached);
  // The group that Winnow has opened is none that VS Code would have.
  one.tools = [...native, ...mcp, proxy];
  await one.say("and of the bridge");
  assert.equal(window.routed.at(-1)?.attachment.tokens.client, tokens.client);
  const { tasks } = await daemonTasks(window);
  assert.deepEqual(tasks.at(-1)?.used, { called: 1, inHand: 1, groupCalls: 1 });
});

test("shadow mode measures with the tools behind the groups, which it leaves closed", async (t) => {
  const { window, chat } = await open(t, { shadow: true });
  const group = tool("activate_rest");
  const one = chat({}, [...native, ...mcp.slice(0, 20), group, proxy]);
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "activate_rest")] : [text("done")]);
  await one.say("query the database of the castle");
  const offered = [...names(native), ...names(mcp.slice(0, 20)), "activate_rest"].sort();
  assert.deepEqual([...one.offered].sort(), offered);
  const [routed] = window.routed;
  assert.equal(routed?.attachment.wouldAttach?.length, 10);
  assert.ok(routed.attachment.wouldAttach.some(({ name }) => name === "mcp_data_tool_27"));
  const { tasks } = await daemonTasks(window);
  assert.deepEqual([tasks.at(-1)?.counts.scoped, tasks.at(-1)?.counts.attached], [80, 10]);
});

test("with routing off a group that the model opens shows its tools with the next request", async (t) => {
  const { chat } = await open(t, { searchTurns: 0 });
  const one = chat({}, [...native, ...mcp.slice(0, 20), tool("activate_rest"), proxy]);
  one.model = (sent) => {
    one.tools = [...native, ...mcp, proxy];
    return resultsIn(sent).length === 0 ? [call("c1", "activate_rest")] : [text("done")];
  };
  await one.say("query the database of the castle");
  assert.deepEqual(
    one.sent.map(({ tools }) => tools.length),
    [native.length + 21, native.length + 80],
  );
});

test("settings take effect at the next turn", async (t) => {
  const { daemon, chat } = await open(t);
  const one = chat();
  await one.say("send a mail about the violin");
  assert.equal(attachedIn({ messages: [], tools: one.offered }).length, 10);
  daemon.notify(DidChangeSettings, { settings: { searchK: 7 } });
  await one.say("take a screenshot of the volcano");
  // Seven, of which some may be attached already; with the setting as it was, three at most.
  const { length } = attachedIn({ messages: [], tools: one.offered });
  assert.ok(length > 13 && length <= 17, `${length} tools`);
});

test("a mode keeps a server's tools out, by the server's own name", async (t) => {
  const { daemon, window, chat } = await open(t, {}, { file: { modes: { calm: { blockedMcpServers: ["mail"] } } } });
  window.routing.listing = () => listing([...native, ...mcp, proxy], ["files", "mail", "web", "data"]);
  await daemon.request(ModeSet, { mode: "calm" });
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_mail_tool_13")] : [text("done")]);
  await one.say("send a mail about the violin");
  assert.ok(!one.offered.some((name) => name.startsWith("mcp_mail")));
  assert.deepEqual(one.ran, []);
  assert.match(resultsIn(one.sent.at(-1) ?? { messages: [], tools: [] })[0] ?? "", /blockedMcpServers of mode "calm"/);
  await daemon.request(ModeSet, { mode: "" });
  await one.say("send a mail about the harbour");
  assert.ok(one.offered.includes("mcp_mail_tool_17"), one.offered.join(" "));
});

test("two chats, and the subagents of one of them, keep apart", async (t) => {
  const { window, chat } = await open(t);
  const one = chat({ conversation: "chat-1" });
  const two = chat({ conversation: "chat-2" });
  const sub = chat({ conversation: "chat-1", instructions: "You are Explore, a subagent." });
  await one.say("send a mail about the violin");
  await two.say("take a screenshot of the volcano");
  const before = attachedIn({ messages: [], tools: one.offered });
  await sub.say("query the database of the castle");
  // One without a name is the chat's own agent, which is asked something else.
  const unnamed = chat({ conversation: "chat-1" });
  unnamed.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_web_tool_62")] : [text("done")]);
  await unnamed.say("look at the mountain");
  const own = window.routed.filter(({ task }) => task === window.routed.at(-1)?.task);
  assert.deepEqual([own.length, own.at(-1)?.attachment.turn], [2, 1]);
  await one.say("send it again");
  assert.equal(new Set(window.routed.map(({ task }) => task)).size, 4);
  assert.deepEqual(attachedIn({ messages: [], tools: one.offered }).slice(0, before.length), before);
  assert.equal(window.routed.at(-1)?.attachment.turn, 2);
  assert.ok(two.offered.includes("mcp_web_tool_62"));
});

test("another extension's conversation, which has no id, is known by its messages", async (t) => {
  const { window, chat } = await open(t);
  const one = chat({ conversation: undefined, fromAgent: false });
  await one.say("send a mail about the violin");
  await one.say("take a screenshot of the volcano");
  assert.deepEqual(
    window.routed.map(({ attachment }) => attachment.turn),
    [1, 2],
  );
  assert.equal(new Set(window.routed.map(({ task }) => task)).size, 1);
});

test("@winnow has chosen the tools itself, also with a twin picked", async (t) => {
  const { window, chat } = await open(t);
  const one = chat({ conversation: undefined, fromAgent: false, fromWinnow: true });
  await one.say("send a mail about the violin");
  assert.deepEqual(one.offered, [...names(native), ...names(mcp)]);
  assert.deepEqual(window.routed, []);
});

test("chores of the agent and requests without MCP's tools pass as they are", async (t) => {
  const { window, chat } = await open(t);
  const chores: [Chat, Message[]][] = [
    // A title: no tools at all.
    [chat({ conversation: undefined }, []), [system("Write a title."), asked("send a mail")]],
    // Compaction: all tools, no conversation.
    [chat({ conversation: undefined }), [system(), asked("x"), asked("Summarize the conversation history so far")]],
    [
      chat({ conversation: undefined, fromAgent: false }),
      [system(), { role: "user", parts: [text("Summarize the conversation history so far, …")] }],
    ],
    // A subagent that only reads.
    [chat({}, native), [system("You are Explore."), asked("look around")]],
  ];
  for (const [chore, messages] of chores) {
    await chore.request(undefined, messages);
    assert.deepEqual(chore.sent[0]?.messages, messages);
    assert.deepEqual(
      chore.offered,
      names(chore.tools).filter((name) => name !== "winnow_call"),
    );
  }
  assert.deepEqual(window.routed, []);
});

test("a compacted conversation is routed afresh", async (t) => {
  const { window, chat } = await open(t);
  const one = chat();
  await one.say("send a mail about the violin");
  await one.say("take a screenshot of the volcano");
  one.messages.splice(2, one.messages.length, asked("<conversation-summary>\nWe mailed.\n</conversation-summary>"));
  await one.say("query the database of the castle");
  const [first, , last] = window.routed;
  assert.equal(last?.task, first?.task);
  assert.equal(last?.attachment.tools.length, 10);
  assert.ok(one.offered.includes("mcp_data_tool_27"));
});

test("a request that is cancelled ends, and the chat goes on", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  const source = new CancellationTokenSource();
  one.model = function* () {
    yield text("half a sen");
    source.cancel();
    yield call("h1", "mcp_load", { query: "mail" });
  };
  assert.equal(await one.say("send a mail about the violin", source), "half a sen");
  assert.equal(one.sent.length, 1);
  one.model = () => [text("fine")];
  assert.equal(await one.say("go on"), "fine");
});

test("a daemon that dies within a turn comes back with the same tools", async (t) => {
  const { daemon, window, chat, storagePath } = await open(t);
  const folder = path.join(storagePath, "conversations");
  await mkdir(folder, { recursive: true });
  const kept = fileIn(t, folder);
  const one = chat();
  one.model = async function* (sent: Sent) {
    const ran = resultsIn(sent);
    if (ran.length === 0) {
      await kept;
      const { state } = daemon;
      assert.ok(state.kind === "ready" && state.pid !== undefined);
      process.kill(state.pid, "SIGKILL");
      yield call("h1", "mcp_load", { names: ["mcp_data_tool_27"] });
    } else if (ran.length === 1) yield call("c1", "mcp_data_tool_27");
    else yield text("done");
  };
  await one.say("send a mail about the violin");
  assert.deepEqual(
    one.ran.map(({ name }) => name),
    ["mcp_data_tool_27"],
  );
  const [first, , last] = one.sent;
  assert.deepEqual(last?.tools.slice(0, first?.tools.length), first?.tools);
  assert.equal(new Set(window.routed.map(({ task }) => task)).size, 1);
  assert.deepEqual(window.failures, []);
});

test("without a daemon the chat works, unrouted", async (t) => {
  const { daemon, window, chat } = await open(t);
  await daemon.stop();
  const one = chat();
  one.model = (sent) => (resultsIn(sent).length === 0 ? [call("c1", "mcp_data_tool_27")] : [text("done")]);
  assert.equal(await one.say("send a mail about the violin"), "done");
  assert.deepEqual(one.offered, [...names(native), ...names(mcp)]);
  assert.equal(window.failures.length, 2);
});

test("a model that loads without end is stopped, and the user reads why", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  let n = 0;
  one.model = (sent) => [
    call(`h${++n}`, sent.tools.includes("mcp_load") ? "mcp_load" : "mcp_search", { query: `tool ${n}` }),
  ];
  const read = await one.say("send a mail about the violin");
  assert.equal(one.sent.length, 9);
  assert.ok(!one.offered.includes("mcp_load"));
  assert.deepEqual(one.ran, []);
  assert.equal(read.trim(), stopped(9));
  // The next message goes on, and the model reads why it was stopped.
  one.model = () => [text("as you like")];
  assert.equal(await one.say("go on"), "as you like");
  assert.ok(
    one.sent.at(-1)?.messages.some(({ role, parts }) => role === "assistant" && textOf(parts).trim() === stopped(9)),
  );
});

test("thinking, data and images pass, markers do not", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  const thinking: Part = { kind: "other", text: "hm", raw: { value: "hm", id: "t1" } };
  const usage: Part = { kind: "data", mimeType: "usage", data: new Uint8Array([1]) };
  const marker: Part = { kind: "data", mimeType: "stateful_marker", data: new Uint8Array([2]) };
  const image: Part = { kind: "data", mimeType: "image/png", data: new Uint8Array([3]) };
  one.model = () => [thinking, text("ok"), usage, marker];
  const history = [
    system(),
    environment,
    asked("look"),
    answered(thinking, text(""), call("c1", "read_file"), marker),
    result("c1", "a picture", image),
  ];
  assert.deepEqual(await one.request(undefined, history), [thinking, text("ok"), usage]);
  assert.deepEqual(
    one.sent[0]?.messages,
    history.map((message) => ({ ...message, parts: message.parts.filter((part) => part !== marker) })),
  );
});

test("an error of the model reaches VS Code, and what was said before it stays", async (t) => {
  const { chat } = await open(t);
  const one = chat();
  one.model = function* () {
    yield text("half");
    throw new Error("quota used up");
  };
  await assert.rejects(one.say("send a mail"), /quota used up/);
});
