// @winnow with the real winnowd and real MCP servers from npm; only the model
// is scripted.
import assert from "node:assert/strict";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { type TestContext } from "node:test";
import { CancellationTokenSource } from "vscode-jsonrpc/node";
import { openWindow } from "../../test/support/chat";
import { root, testDaemon } from "../../test/support/daemon";
import { listing } from "../../test/support/parts";
import { Calls } from "../routing/calls";
import type { Consent } from "../routing/consent";
import { type CallPart, type Message, type Part, type Tool, text, textOf } from "../chat/message";
import { resultsOf } from "../../test/support/parts";
import {
  type Attachment,
  ModeSet,
  ServerWait,
  SetHostTools,
  type TaskDescribeCallResult,
  TaskExplain,
  TaskOpen,
} from "../protocol/protocol.gen";
import { type Model, type Question, answer } from "./answer";
import { commands } from "./commands";
import { type PastTurn, recordOf, stateOf } from "./conversation";

/** A workspace with notes and three real servers. */
async function workspace(t: TestContext) {
  const dir = await mkdtemp(path.join(tmpdir(), "winnow-answer-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 }));
  const notes = path.join(dir, "notes");
  await mkdir(notes);
  await writeFile(path.join(notes, "garden.md"), "Sow the beans in May.\n");
  const npm = (name: string, ...args: string[]) => ({
    command: process.execPath,
    args: [path.join(root, "node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js"), ...args],
  });
  const file = path.join(dir, "winnow.json");
  const servers = {
    filesystem: npm("filesystem", notes),
    memory: { ...npm("memory"), env: { MEMORY_FILE_PATH: path.join(dir, "memory.jsonl") } },
    everything: npm("everything", "stdio"),
  };
  await writeFile(
    file,
    JSON.stringify({ servers, modes: { files: { allowedMcpServers: ["filesystem"] } } }, undefined, 2),
  );
  return { dir, notes, file };
}

/** Starts a daemon in a workspace. */
function start(t: TestContext, dir: string, settings: object = {}) {
  const daemon = testDaemon(t, dir, { storagePath: dir, settings });
  void daemon.start();
  return { daemon, routing: openWindow(daemon, listing([])).routing, calls: new Calls(daemon) };
}

/** What the scripted model does with a request. */
type Script = (request: { messages: readonly Message[]; tools: Tool[]; results: string[] }) => Part[] | Promise<Part[]>;

let calls = 0;
const call = (name: string, input: object = {}): CallPart => ({ kind: "call", callId: `call-${++calls}`, name, input });

/** A chat whose every message is answered by a script, as VS Code would drive it. */
class Chat {
  readonly past: PastTurn[] = [];
  readonly requests: { tools: string[]; messages: readonly Message[] }[] = [];
  readonly said: string[] = [];
  readonly progress: string[] = [];
  readonly asked: TaskDescribeCallResult[] = [];
  readonly warned: string[] = [];
  readonly source = new CancellationTokenSource();
  attachment: Attachment | undefined;
  /** What the user says to a question. */
  reply: () => Consent = () => "once";
  /** Called with each progress message. */
  onProgress: (message: string) => void = () => undefined;

  async send(
    session: ReturnType<typeof start>,
    prompt: string,
    script: Script,
    { maxInputTokens = 100_000, ...more }: Partial<Question & Pick<Model, "maxInputTokens">> = {},
  ) {
    const outcome = await answer(session, {
      prompt,
      attached: [],
      past: this.past,
      folders: [],
      maxRounds: 10,
      host: { list: () => [], invoke: () => Promise.reject(new Error("no such tool")) },
      token: this.source.token,
      model: {
        name: "One",
        maxInputTokens,
        maxTools: 0,
        send: (messages, tools) => {
          this.requests.push({ tools: tools.map(({ name }) => name), messages });
          const last = messages.at(-1)?.parts ?? [];
          const results = resultsOf(last).map(({ content }) => textOf(content));
          return (async function* () {
            yield* await script({ messages, tools: [...tools], results });
          })();
        },
      },
      screen: {
        say: (words) => this.said.push(words),
        progress: (message) => {
          this.progress.push(message);
          this.onProgress(message);
        },
        warn: (message) => this.warned.push(message),
        servers: () => undefined,
        routed: ({ attachment }) => (this.attachment = attachment),
        confirm: (described) => {
          this.asked.push(described);
          return Promise.resolve(this.reply());
        },
      },
      ...more,
    });
    // VS Code keeps the record as JSON.
    const record = recordOf(JSON.parse(JSON.stringify(outcome.record ?? {})));
    this.past.push({ prompt, answer: this.said.join(""), record });
    return outcome;
  }
}

/** A script that makes calls one after the other, then says what the last one answered. */
function sequence(...names: [string, object][]): Script {
  let next = 0;
  return ({ results }) => {
    const step = names[next++];
    return step === undefined ? [text(`Answer: ${results.at(-1) ?? ""}`)] : [call(...step)];
  };
}

const entity = { entities: [{ name: "Ada", entityType: "person", observations: ["likes beans"] }] };

test("a tool that says it only reads is asked about once, and its result reaches the model", async (t) => {
  const { dir, notes } = await workspace(t);
  const session = start(t, dir);
  const read = () => sequence(["read_text_file", { path: path.join(notes, "garden.md") }]);
  const first = new Chat();
  await first.send(session, "read the note about the garden", read());
  assert.deepEqual(
    first.asked.map(({ tool, readOnly }) => [tool, readOnly]),
    [["read_text_file", true]],
  );
  const chat = new Chat();
  const { ending } = await chat.send(session, "read the note about the garden", read());
  assert.equal(ending, "answered");
  assert.match(chat.said.join(""), /Sow the beans/);
  assert.deepEqual(chat.asked, []);
  assert.ok(
    chat.progress.some((line) => line.includes("(filesystem)")),
    chat.progress.join("\n"),
  );
  assert.equal(chat.requests.length, 2);
});

test("a picture reaches the model once, and what cannot be read is told", async (t) => {
  const session = start(t, (await workspace(t)).dir);
  const chat = new Chat();
  const picture = { kind: "data", mimeType: "image/png", data: new Uint8Array([1, 2]) } as const;
  const attached = [
    { name: "shot", picture },
    { name: "a.zip", problem: "no idea" },
  ];
  await chat.send(session, "what is this?", () => [text("a picture")], { attached });
  assert.ok(chat.requests[0]?.messages.at(-1)?.parts.includes(picture));
  assert.deepEqual(chat.warned, ["a.zip is not sent: no idea."]);
  await chat.send(session, "sure?", () => [text("yes")]);
  const later = chat.requests[1]?.messages.flatMap(({ parts }) => parts) ?? [];
  assert.ok(later.every(({ kind }) => kind === "text"));
  assert.ok(later.some((part) => textOf([part]) === "[image/png that was shown before]"));
});

test("a tool that may write asks: once, for this chat, always, no", async (t) => {
  const { dir, file } = await workspace(t);
  const session = start(t, dir);
  const chat = new Chat();
  chat.reply = () => "skip";
  await chat.send(session, "remember Ada", sequence(["create_entities", entity]));
  assert.match(chat.said.join(""), /declined this call/);
  await assert.rejects(readFile(path.join(dir, "memory.jsonl")), /ENOENT/);
  const [asked] = chat.asked;
  assert.deepEqual([asked?.server, asked?.tool, asked?.arguments], ["memory", "create_entities", entity]);

  chat.reply = () => "once";
  await chat.send(session, "do it", sequence(["create_entities", entity], ["create_entities", entity]));
  assert.equal(chat.asked.length, 3);
  assert.match(await readFile(path.join(dir, "memory.jsonl"), "utf8"), /Ada/);

  chat.reply = () => "task";
  await chat.send(session, "again", sequence(["create_entities", entity], ["create_entities", entity]));
  assert.equal(chat.asked.length, 4);

  const other = new Chat();
  other.reply = () => "always";
  await other.send(session, "remember Ada", sequence(["create_entities", entity]));
  assert.equal(other.asked.length, 1);
  assert.deepEqual(
    (JSON.parse(await readFile(file, "utf8")) as { servers: { memory: { alwaysAllow: string[] } } }).servers.memory
      .alwaysAllow,
    ["create_entities"],
  );
  const third = new Chat();
  await third.send(session, "remember Ada", sequence(["create_entities", entity]));
  assert.deepEqual(third.asked, []);
});

test("the model loads what it misses; the set stays, and the next daemon goes on with it", async (t) => {
  const { dir } = await workspace(t);
  const routed = { threshold: 5, initialK: 3, searchK: 2 };
  const session = start(t, dir, routed);
  const chat = new Chat();
  await chat.send(session, "read a file", sequence(["mcp_load", { names: ["get-sum"] }], ["get-sum", { a: 4, b: 5 }]));
  assert.match(chat.said.join(""), /\b9\b/);
  const [first, second] = chat.requests;
  assert.ok(first?.tools.length === 4 && first.tools.includes("mcp_load"), first?.tools.join());
  // Mid-task nothing moves: what is new comes after what was there.
  assert.deepEqual(
    second?.tools.filter((name) => name !== "mcp__everything__get-sum"),
    first.tools,
  );

  await session.daemon.stop();
  const next = start(t, dir, routed);
  await chat.send(next, "and now list a directory", () => [text("Listed.")]);
  const last = chat.requests.at(-1);
  const attached = chat.attachment?.tools.map(({ name }) => name) ?? [];
  assert.equal(chat.attachment?.turn, 2);
  assert.deepEqual(attached.slice(0, 4), [
    ...first.tools.filter((name) => name !== "mcp_load"),
    "mcp__everything__get-sum",
  ]);
  // The model sees all of the first turn again, its calls and their results included.
  const kinds = last?.messages.flatMap(({ parts }) => parts.map(({ kind }) => kind));
  assert.deepEqual(kinds, ["text", "text", "call", "result", "call", "result", "text", "text"]);
});

test("the daemon is killed in mid-turn: the answer goes on with the same set", async (t) => {
  const { dir, notes } = await workspace(t);
  const session = start(t, dir, { threshold: 5, initialK: 3 });
  const chat = new Chat();
  const script = sequence(["read_text_file", { path: path.join(notes, "garden.md") }]);
  const { daemon } = session;
  await chat.send(session, "read a text file", async (request) => {
    const { state } = daemon;
    if (chat.requests.length === 1 && state.kind === "ready" && state.pid !== undefined) {
      // A call that a crash cuts off is not made again, so the crash comes before it.
      const gone = new Promise((resolve) => daemon.onDidChangeState(resolve));
      process.kill(state.pid, "SIGKILL");
      await gone;
    }
    return script(request);
  });
  assert.match(chat.said.join(""), /Sow the beans/);
  assert.deepEqual(chat.requests[1]?.tools, chat.requests[0]?.tools);
});

test("cancelling ends a call that runs", async (t) => {
  const { dir } = await workspace(t);
  const session = start(t, dir);
  const chat = new Chat();
  chat.onProgress = (message) => {
    if (/long running/i.test(message)) chat.source.cancel();
  };
  const { ending, record } = await chat.send(
    session,
    "run the long operation",
    sequence(["trigger-long-running-operation", { duration: 600, steps: 600 }]),
  );
  assert.equal(ending, "cancelled");
  assert.equal(chat.requests.length, 1);
  assert.match(JSON.stringify(record?.messages.at(-1)), /cancelled/);
});

test("with strategy dispatch the question names the tool behind mcp_call", async (t) => {
  const { dir } = await workspace(t);
  const session = start(t, dir, { strategy: "dispatch", threshold: 5 });
  const chat = new Chat();
  await chat.send(
    session,
    "remember Ada",
    sequence(
      ["mcp_search", { query: "create entities" }],
      ["mcp_call", { name: "create_entities", arguments: entity }],
    ),
  );
  assert.deepEqual(chat.requests[0]?.tools, ["mcp_search", "mcp_call"]);
  assert.deepEqual(
    chat.asked.map(({ server, tool }) => [server, tool]),
    [["memory", "create_entities"]],
  );
  assert.ok(chat.progress.includes("Looking for tools: create entities"), chat.progress.join("\n"));
});

test("what fails is told to the model, with the next step", async (t) => {
  const { dir } = await workspace(t);
  const session = start(t, dir);
  const chat = new Chat();
  await chat.send(session, "x", sequence(["no_such_tool", {}]));
  assert.match(chat.said.join(""), /no_such_tool/);
  await session.daemon.request(ModeSet, { mode: "files" });
  const other = new Chat();
  await other.send(session, "x", sequence(["create_entities", entity]));
  assert.match(other.said.join(""), /allowedMcpServers/);
  assert.deepEqual(other.asked, []);
});

test("when the chat outgrows the model the oldest turns go, and the tools are chosen afresh", async (t) => {
  const { dir } = await workspace(t);
  const session = start(t, dir, { threshold: 5, initialK: 3 });
  const chat = new Chat();
  const small = { maxInputTokens: 2000 };
  for (let i = 0; i < 3; i++) await chat.send(session, `read a file ${"x".repeat(2000)}`, () => [text("Read.")], small);
  const generation = chat.attachment?.generation ?? 0;
  await chat.send(session, "add two numbers", () => [text("Added.")], small);
  const { dropped = 0 } = chat.past.at(-1)?.record ?? {};
  assert.ok(dropped > 0);
  assert.ok((chat.attachment?.generation ?? 0) > generation);
  assert.ok((chat.requests.at(-1)?.messages.length ?? 0) < 8);
});

test("a command without a task of its own leaves other chats' tasks alone, and says whose it tells of", async (t) => {
  const { dir } = await workspace(t);
  const session = start(t, dir, { threshold: 5, initialK: 3 });
  const { daemon } = session;
  await daemon.request(ServerWait, { timeoutMs: 60_000 });
  await daemon.request(SetHostTools, { source: "vscode:1", tools: [], withOwn: true });
  const other = await daemon.request(TaskOpen, { message: "read a text file", source: "vscode:1" });
  const context = { ...session, words: "get-sum", state: undefined, sections: () => [], routed: undefined };
  const { load, why } = commands;
  assert.ok(load !== undefined && why !== undefined);
  assert.match((await why(context)).markdown, /no task yet/);
  const loaded = await load(context);
  assert.notEqual(loaded.state?.task, other.task);
  const untouched = await daemon.request(TaskExplain, { task: other.task, tool: "mcp__everything__get-sum" });
  assert.equal(untouched.tools[0]?.attached, false);

  const routed = {
    face: "model",
    task: other.task,
    title: "read",
    model: "One",
    attachment: other,
    sections: [],
  } as const;
  const told = await load({ ...context, words: "mcp__everything__get-sum", routed });
  assert.match(told.markdown, /^The latest chat with One \\\(Winnow\\\), “read”:/);
  assert.equal(told.state, undefined);
});

test("the commands tell what the daemon decided", async (t) => {
  const { dir } = await workspace(t);
  const session = start(t, dir, { threshold: 5, initialK: 3 });
  const chat = new Chat();
  await chat.send(session, "read a text file", () => [text("Read.")]);
  const state = stateOf(chat.past);
  assert.ok(state !== undefined);
  const context = { ...session, state, sections: () => [{ name: "Conversation", tokens: 12 }], routed: undefined };
  const told = async (command: string, words = "") =>
    (await commands[command]?.({ ...context, words }))?.markdown ?? "";
  assert.match(await told("why"), /\*\*3 of \d+ tools attached\*\*/);
  assert.match(
    await told("why"),
    /tools attached\*\*\.\n[\s\S]*- `mcp__filesystem__read_(?:text_)?file` \(filesystem\), \d+ tokens: \w/,
  );
  assert.match(await told("why", "mcp__everything__get-sum"), /of everything: /);
  assert.match(await told("usage"), /\| Conversation \| 12 \|[\s\S]*\*\*Total\*\*[\s\S]*Free/);
  assert.match(await told("load", "add two numbers"), /- `mcp__everything__get-sum` \(everything\)\n/);
  assert.match(await told("mode"), /\| `files` \|/);
});
