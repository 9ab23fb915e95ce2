// The routed models in VS Code's own agent mode: what the model behind a twin
// is sent, turn after turn.
import { setup, suite, suiteSetup, suiteTeardown, teardown, test } from "mocha";
import assert from "node:assert/strict";
import { mkdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import { routedName } from "../../src/models/twins";
import {
  type Exchange,
  type ModelRequest,
  type Script,
  ask,
  call,
  cancelled,
  languageModel,
  newChat,
  results,
  say,
  scriptedModel,
  setting,
  startServers,
  until,
  userWords,
} from "./api";
import { attached, bare, harmless, missing, names, twin } from "./routed";

/** Tools of the test servers, as VS Code names them. Calling one of these asks nobody. */
const sum = "mcp_everything_re_get-sum";
const image = "mcp_everything_re_get-tiny-image";
const readNote = "mcp_secure-filesy_read_text_file";

/** What a model says of itself. */
const bareInfo = { version: "1", maxInputTokens: 100_000, maxOutputTokens: 8000, capabilities: { toolCalling: true } };

/** A PNG of one pixel. */
const dot = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const isOwn = (name: string) => /^(mcp|activate|winnow)_/.test(name);

/** The host's own tools of a request. */
const native = (request: ModelRequest | undefined) => names(request).filter((name) => !isOwn(name));

/** Reads an answer to its end. */
async function read(answer: vscode.LanguageModelChatResponse): Promise<unknown[]> {
  const parts: unknown[] = [];
  for await (const part of answer.stream) parts.push(part);
  return parts;
}

/** Asserts that each request begins with all messages of the one before. */
function assertPrefixes(exchanges: readonly Exchange[]) {
  // VS Code puts an empty text before calls, which says nothing.
  const plain = (request: ModelRequest | undefined) =>
    request?.messages.map(({ role, parts }) => ({
      role,
      parts: parts.filter((p) => p.kind !== "text" || p.text !== ""),
    }));
  for (let i = 1; i < exchanges.length; i++) {
    const earlier = plain(exchanges[i - 1]?.request) ?? [];
    assert.deepEqual(
      plain(exchanges[i]?.request)?.slice(0, earlier.length),
      earlier,
      `request ${i + 1} changes the past`,
    );
  }
}

suite("models", () => {
  let model: Awaited<ReturnType<typeof scriptedModel>>;
  let restore: (() => Promise<void>)[] = [];

  suiteSetup(async () => {
    model = await scriptedModel();
    await startServers(/get-sum$/);
    await startServers(/read_text_file$/);
    await startServers(/read_graph$/);
    await languageModel(twin);
  });

  setup(async () => {
    await set("threshold", 5);
    await set("initialK", 6);
    await set("searchK", 2);
    await newChat();
    model.use(() => [say("done")]);
    model.exchanges.length = 0;
  });

  teardown(async () => {
    for (const put of restore.reverse()) await put();
    restore = [];
  });

  suiteTeardown(newChat);

  async function set(name: string, value: unknown) {
    restore.push(await setting(`winnow.${name}`, value));
  }

  /** Sends a message under a script and returns the requests that it took. */
  async function turn(words: string, script?: Script, selector = twin): Promise<Exchange[]> {
    if (script !== undefined) model.use(script);
    const before = model.exchanges.length;
    await ask(words, selector);
    return model.exchanges.slice(before);
  }

  test("each model has one twin, which comes and goes with it", async () => {
    const twins = () => vscode.lm.selectChatModels({ vendor: "winnow" });
    const [found] = await twins();
    const [original] = await vscode.lm.selectChatModels(bare);
    assert.equal(found?.name, routedName("Scripted One"));
    assert.equal(found.family, original?.family);
    assert.equal(found.maxInputTokens, original?.maxInputTokens);
    model.showLate(true);
    await until("the late model's twin", async () => (await twins()).some(({ id }) => id === "scripted/scripted-late"));
    model.showLate(false);
    await until("its end", async () => (await twins()).length === 1);
    assert.deepEqual(
      (await twins()).map(({ id }) => id),
      ["scripted/scripted-one"],
    );
  });

  test("Copilot's own models have twins while the setting says so, and it is heard at once", async () => {
    const ids = async () => (await vscode.lm.selectChatModels({ vendor: "winnow" })).map(({ id }) => id);
    const copilots = { ...bareInfo, id: "gpt-4.1", name: "GPT 4.1", family: "gpt-4.1" };
    // Nobody is signed in, so Copilot's vendor has no model but this one.
    const registered = vscode.lm.registerLanguageModelChatProvider("copilot", {
      provideLanguageModelChatInformation: () => [copilots],
      provideLanguageModelChatResponse: () => Promise.resolve(),
      provideTokenCount: () => Promise.resolve(1),
    });
    try {
      await languageModel({ vendor: "copilot", id: copilots.id });
      const before = await ids();
      assert.ok(before.length > 0 && !before.includes("copilot/gpt-4.1"), before.join());
      const put = await setting("winnow.routedModels.copilot", true);
      try {
        await languageModel({ vendor: "winnow", id: "copilot/gpt-4.1" });
      } finally {
        await put();
      }
      await until("its twin to go", async () => (await ids()).join() === before.join());
    } finally {
      registered.dispose();
    }
  });

  test("an image that is sent with a message reaches the model as it was", async () => {
    const chat = await languageModel(twin);
    const { LanguageModelChatMessage: Message, LanguageModelDataPart: Data, LanguageModelTextPart: Text } = vscode;
    const message = Message.User([new Text("what is on it?"), Data.image(Buffer.from(dot, "base64"), "image/png")]);
    await read(await chat.sendRequest([message], { tools: [] }));
    assert.deepEqual(model.exchanges.at(-1)?.request.messages.at(-1)?.parts, [
      { kind: "text", text: "what is on it?" },
      { kind: "data", mimeType: "image/png", base64: dot },
    ]);
    // And beside MCP's tools, where the request is one of a task.
    const tools = vscode.lm.tools.filter(({ tags }) => tags.includes("mcp"));
    await read(await chat.sendRequest([message], { tools }));
    const routed = model.exchanges.at(-1)?.request;
    assert.ok(names(routed).includes("mcp_load"), names(routed).join(" "));
    assert.deepEqual(routed?.messages.at(-1)?.parts.at(-1), { kind: "data", mimeType: "image/png", base64: dot });
  });

  test("a request holds the host's own tools, mcp_load and the attached tools, and nothing else", async () => {
    const [unrouted] = await turn("read the note about the garden", undefined, bare);
    await newChat();
    const [routed] = await turn("read the note about the garden");
    assert.ok(native(unrouted?.request).length > 30);
    const own = native(unrouted?.request);
    assert.deepEqual(names(routed?.request).slice(0, own.length), own);
    const [load, ...rest] = names(routed?.request).slice(own.length);
    assert.equal(load, "mcp_load");
    assert.equal(rest.length, 6);
    assert.ok(rest.includes(readNote), rest.join(" "));
    const mcp = vscode.lm.tools.filter(({ tags }) => tags.includes("mcp"));
    assert.ok(rest.every((name) => mcp.some((tool) => tool.name === name)));
    // The tools are as VS Code describes them.
    const read = routed?.request.tools.find(({ name }) => name === readNote);
    assert.equal(read?.description, mcp.find(({ name }) => name === readNote)?.description);
    assert.ok(attached(unrouted?.request).length > 6);
  });

  test("the system prompt reaches the model, as a user's message", async () => {
    const [unrouted] = await turn("hello", undefined, bare);
    await newChat();
    const [routed] = await turn("hello");
    assert.deepEqual(
      unrouted?.request.messages.map(({ role }) => role),
      ["role 3", "user", "user"],
    );
    assert.ok(routed !== undefined);
    assert.deepEqual(
      routed.request.messages.map(({ role }) => role),
      ["user", "user", "user"],
    );
    assert.match(JSON.stringify(routed.request.messages[0]), /You are/);
    assert.equal(userWords(routed.request), "hello");
  });

  test("seven turns add tools and remove none, then the set is frozen", async () => {
    const words = [
      "read the note about the garden",
      "add two numbers to a sum",
      "which entities and relations are in the memory graph",
      "move a file to another folder",
      "echo this message",
      "list the folder with the sizes of its files",
      "search the nodes of the graph",
      "delete the relations of an entity",
      "toggle the simulated logging",
    ];
    const sets: string[][] = [];
    for (const said of words) {
      const [exchange] = await turn(said);
      const before = sets.at(-1) ?? [];
      const now = attached(exchange?.request);
      assert.deepEqual(now.slice(0, before.length), before, said);
      sets.push(now);
    }
    assert.equal(sets[0]?.length, 6);
    assert.ok((sets[6]?.length ?? 0) > 6);
    assert.deepEqual(sets.slice(7), [sets[6], sets[6]]);
    assertPrefixes(model.exchanges);
  }).timeout(180_000);

  test("mcp_load is answered within the request, and stays in the model's memory", async () => {
    await set("initialK", 3);
    const exchanges = await turn("move a file to another folder", function* (request) {
      const [loaded, ran] = results(request);
      if (loaded === undefined) {
        yield say("Let me look. ");
        yield call("mcp_load", { query: "add two numbers" });
      } else if (ran === undefined) yield call(sum, { a: 4, b: 5 });
      else yield say(`It is ${ran.text}`);
    });
    assert.equal(exchanges.length, 3);
    const [first, second, third] = exchanges;
    assert.ok(!names(first?.request).includes(sum));
    assert.ok(names(second?.request).includes(sum));
    assert.deepEqual(third && results(third.request).map(({ name }) => name), ["mcp_load", sum]);
    assert.match((third && results(third.request)[1]?.text) ?? "", /\b9\b/);
    await turn("thanks", () => [say("welcome")]);
    assertPrefixes(model.exchanges);
  });

  test("a tool that is called before it is attached runs, and is attached", async () => {
    await set("initialK", 3);
    let wanted = "";
    const [first, second] = await turn("move a file to another folder", function* (request) {
      const [ran] = results(request);
      if (ran === undefined) {
        wanted = missing(names(request));
        yield call(wanted, harmless[wanted]?.input);
      } else yield say("done");
    });
    assert.ok(!names(first?.request).includes(wanted));
    assert.match((second && results(second.request)[0]?.text) ?? "", harmless[wanted]?.says ?? /^$/);
    assert.ok(names(second?.request).includes(wanted));
  });

  test("an image in a result passes, and costs no tool when VS Code drops it", async () => {
    const [, second] = await turn("show me a tiny image", function* (request) {
      if (results(request).length === 0) yield call(image, {});
      else yield say("nice");
    });
    const parts = second?.request.messages.flatMap(({ parts }) => parts) ?? [];
    const shown = parts.flatMap((part) => (part.kind === "result" ? part.parts : []));
    assert.ok(shown.some((part) => part.kind === "data" && part.mimeType === "image/png"));
    const [third] = await turn("move a file", () => [say("done")]);
    const before = attached(second?.request);
    assert.deepEqual(attached(third?.request).slice(0, before.length), before);
  });

  test("searchTurns 0 and shadow send what VS Code sent", async () => {
    const [unrouted] = await turn("hello", undefined, bare);
    const want = names(unrouted?.request).filter((name) => name !== "winnow_call");
    for (const [name, value] of [
      ["searchTurns", 0],
      ["shadow", true],
    ] as const) {
      await set(name, value);
      await newChat();
      const [routed] = await turn("hello");
      assert.deepEqual(names(routed?.request).sort(), want.sort(), name);
      await restore.pop()?.();
    }
  });

  test("strategy dispatch: the model searches, and what it calls runs as the real tool", async () => {
    await set("strategy", "dispatch");
    const exchanges = await turn("add 4 and 5", function* (request) {
      const [found, ran] = results(request);
      if (found === undefined) yield call("mcp_search", { query: "add two numbers" });
      else if (ran === undefined) yield call("mcp_call", { name: sum, arguments: { a: 4, b: 5 } });
      else yield say("done");
    });
    const [first, , third] = exchanges;
    assert.deepEqual(names(first?.request).filter(isOwn), ["mcp_search", "mcp_call"]);
    assert.match((third && results(third.request)[1]?.text) ?? "", /\b9\b/);
    await turn("thanks", () => [say("welcome")]);
    assertPrefixes(model.exchanges);
  });

  test("strategy topK chooses afresh for each message", async () => {
    await set("strategy", "topK");
    await set("topK", 4);
    const [first] = await turn("read the text of a file");
    const [second] = await turn("delete the relations of an entity in the graph");
    assert.equal(attached(first?.request).length, 4);
    assert.equal(attached(second?.request).length, 4);
    assert.notDeepEqual(attached(first?.request), attached(second?.request));
  });

  test("a changed setting takes effect at the next turn", async () => {
    const [first] = await turn("read the note about the garden");
    await set("searchK", 12);
    const [second] = await turn("delete the relations of an entity in the graph");
    assert.ok(attached(second?.request).length >= attached(first?.request).length + 6);
  });

  test("a mode keeps a server's tools out, and gives them back", async () => {
    const folder = path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", ".vscode");
    const file = path.join(folder, "winnow.json");
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify({ modes: { numbers: { allowedMcpServers: ["everything"] } } }));
    try {
      const calm = await untilMode(1, (request) =>
        attached(request).every((name) => name.startsWith("mcp_everything")),
      );
      assert.ok(attached(calm).length > 0);
      const [, second] = await turn("read the note about the garden", function* (request) {
        if (results(request).length === 0) yield call(readNote, { path: "garden.md" });
        else yield say("done");
      });
      assert.match((second && results(second.request)[0]?.text) ?? "", /allowedMcpServers of mode "numbers"/);
      model.use(() => [say("done")]);
      await untilMode(0, (request) => names(request).includes(readNote));
    } finally {
      await rm(file);
    }
  });

  /** Picks an entry of the list of modes, the first of which is no mode, until a new chat's request is as it has to be. */
  function untilMode(entry: number, holds: (request: ModelRequest) => boolean): Promise<ModelRequest> {
    return until("the mode", async () => {
      // The list is open until an entry is picked; it has its entries when VS Code has answered something else.
      void vscode.commands.executeCommand("winnow.pickMode");
      await vscode.commands.getCommands();
      for (let i = 0; i < entry; i++) await vscode.commands.executeCommand("workbench.action.quickOpenSelectNext");
      await vscode.commands.executeCommand("workbench.action.acceptSelectedQuickOpenItem");
      await newChat();
      const [exchange] = await turn("read the note about the garden");
      return exchange !== undefined && holds(exchange.request) && exchange.request;
    });
  }

  test("two chats side by side keep apart", async () => {
    const [first] = await turn("read the text of the note");
    await newChat();
    const [other] = await turn("delete the relations of an entity in the graph");
    assert.equal(attached(other?.request).length, 6);
    assert.notDeepEqual(attached(other?.request), attached(first?.request));

    // As another extension would: two conversations without an id, in turn.
    const chat = await languageModel(twin);
    const tools = vscode.lm.tools.filter(({ tags }) => tags.includes("mcp"));
    const converse = async (...said: string[]) => {
      const { User, Assistant } = vscode.LanguageModelChatMessageRole;
      const messages = said.map((text, i) => new vscode.LanguageModelChatMessage(i % 2 === 0 ? User : Assistant, text));
      const answer = await chat.sendRequest(messages, { tools });
      await read(answer);
      return attached(model.exchanges.at(-1)?.request);
    };
    const a1 = await converse("read the text of the note");
    const b1 = await converse("delete the relations of an entity in the graph");
    const a2 = await converse("read the text of the note", "done", "add two numbers");
    const b2 = await converse("delete the relations of an entity in the graph", "done", "echo a message");
    assert.equal(a1.length, 6);
    assert.deepEqual([a2.slice(0, 6), b2.slice(0, 6)], [a1, b1]);
    assert.notDeepEqual(a1, b1);
  });

  test("cancelling in the chat cancels the model, and the chat goes on", async () => {
    model.use(async function* (_request, signal) {
      yield say("wait");
      await cancelled(signal);
    });
    const asking = ask("read the note about the garden", twin);
    const exchange = await until("the request", () => model.exchanges.at(-1));
    await until("the cancellation", async () => {
      await vscode.commands.executeCommand("workbench.action.chat.cancel");
      return exchange.outcome === "cancelled";
    });
    await asking;
    const [next] = await turn("go on", () => [say("fine")]);
    const before = attached(exchange.request);
    assert.deepEqual(attached(next?.request).slice(0, before.length), before);
  });

  test("an error of the model keeps its code and its words, and has no stack", async () => {
    model.use(() => [{ kind: "error", message: "quota used up", code: "Blocked" }]);
    const chat = await languageModel(twin);
    const failing = async () => {
      const answer = await chat.sendRequest([vscode.LanguageModelChatMessage.User("hello")]);
      await read(answer);
    };
    await assert.rejects(failing, (err: unknown) => {
      assert.ok(err instanceof vscode.LanguageModelError);
      assert.equal(err.code, "Blocked");
      assert.match(err.message, /quota used up/);
      assert.doesNotMatch(err.message, /\n\s*at /);
      return true;
    });
  });

  test("thinking reaches the chat's caller, and tokens are counted here", async () => {
    model.use(() => [{ kind: "thinking", text: "hm" }, say("ok")]);
    const chat = await languageModel(twin);
    const answer = await chat.sendRequest([vscode.LanguageModelChatMessage.User("hello")]);
    const kinds = (await read(answer)).map((part) => part instanceof vscode.LanguageModelTextPart);
    assert.deepEqual(kinds, [false, true]);
    assert.equal(await chat.countTokens("read the note about the garden"), 8);
  });
});
