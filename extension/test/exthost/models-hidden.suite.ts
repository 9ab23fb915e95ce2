// Routed models with the servers of the demo, which have more tools than VS
// Code's agent lists: it hides the rest behind groups. Also what routing costs
// and saves, measured in one run beside the bare model.
import { setup, suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import type { WinnowApi, WinnowExports } from "../../api/winnow";
import { demoServers } from "../../demo/servers";
import {
  type ModelRequest,
  type ModelTool,
  ask,
  call,
  languageModel,
  newChat,
  results,
  say,
  scriptedModel,
  startServers,
  textOf,
  until,
  report,
} from "./api";
import { attached, bare, harmless, missing, names, twin } from "./routed";

const file = () => path.join(vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "", ".vscode", "mcp.json");

suite("models with hidden tools", () => {
  let model: Awaited<ReturnType<typeof scriptedModel>>;
  let servers = "";

  suiteSetup(async function () {
    this.timeout(180_000);
    model = await scriptedModel();
    servers = await readFile(file(), "utf8");
    await writeFile(file(), JSON.stringify(ofTheDemo(servers)));
    const tools = [
      /browser_click$/,
      /take_snapshot$/,
      /get-sum$/,
      /read_text_file$/,
      /read_graph$/,
      /sequentialthinking$/,
    ];
    for (const tool of tools) {
      await startServers(tool);
    }
    await languageModel(twin);
  });

  setup(async () => {
    await newChat();
    model.use(() => [say("done")]);
    model.exchanges.length = 0;
  });

  suiteTeardown(async () => {
    await writeFile(file(), servers);
    await until(
      "the servers to go",
      () => !vscode.lm.tools.some(({ name }) => /browser_click$|take_snapshot$|sequentialthinking$/.test(name)),
    );
    await newChat();
  });

  test("all of them are routed, and one that VS Code hides is called through winnow_call", async () => {
    await ask("take a screenshot of the page", bare);
    const visible = new Set(names(model.exchanges[0]?.request));
    assert.ok(
      [...visible].some((name) => name.startsWith("activate_")),
      [...visible].join(" "),
    );
    const hidden = missing([...visible]);

    await newChat();
    model.exchanges.length = 0;
    model.use(function* (request) {
      const [loaded, ran] = results(request);
      if (loaded === undefined) yield call("mcp_load", { names: [hidden] });
      else if (ran === undefined) yield call(hidden, harmless[hidden]?.input);
      else yield say("done");
    });
    await ask("take a screenshot of the page", twin);
    const [first, second, third] = model.exchanges.map(({ request }) => request);
    assert.equal(model.exchanges.length, 3);
    // Thirty of all, and nothing of how VS Code hides them.
    assert.ok(!names(first).some((name) => /^(activate|winnow)_/.test(name)), names(first).join(" "));
    assert.equal(attached(first).length, 30);
    assert.ok(names(second).includes(hidden));
    assert.ok(third !== undefined);
    const [, ran] = results(third);
    assert.equal(ran?.name, hidden);
    assert.match(ran.text, harmless[hidden]?.says ?? /^$/);
    assert.doesNotMatch(JSON.stringify(third.messages), /winnow_call|Tools activated/);

    // With the next message the groups are asked again, and it can be called again.
    model.exchanges.length = 0;
    model.use(function* (request) {
      if (results(request).length > 0) yield say("done");
      else yield call(hidden, harmless[hidden]?.input);
    });
    await ask("and once more", twin);
    const again = model.exchanges.map(({ request }) => request);
    assert.equal(again.length, 2);
    assert.match(again[1] === undefined ? "" : (results(again[1])[0]?.text ?? ""), harmless[hidden]?.says ?? /^$/);
  });

  test("figures: what routing takes, side by side with the bare model", async function () {
    this.timeout(300_000);
    const rounds = 12;
    const took = { bare: [] as number[], twin: [] as number[] };
    // In turn, so that what else the machine does hits both alike.
    for (let i = 0; i < rounds; i++) {
      for (const kind of ["bare", "twin"] as const) {
        const [chat, messages] = [await languageModel(kind === "bare" ? bare : twin), request(i)];
        const start = performance.now();
        const answer = await chat.sendRequest(messages, { tools: allTools() });
        for await (const part of answer.text) assert.ok(part);
        took[kind].push(performance.now() - start);
      }
    }
    report(
      `whole answer with ${allTools().length} tools offered, median of ${rounds} in turn: bare ${median(took.bare)} ms, ` +
        `routed ${median(took.twin)} ms; first routed request ${took.twin[0]?.toFixed(0) ?? ""} ms`,
    );
  });

  test("figures: tokens of a request with and without Winnow, on the demo's servers", async function () {
    this.timeout(180_000);
    const extension = vscode.extensions.getExtension<WinnowExports>("winnow-mcp.winnow");
    const winnow = (await extension?.activate())?.getApi(1);
    assert.ok(winnow !== undefined);
    const words = "take a screenshot of the page";

    // As an agent of its own sends it: MCP's tools, all of them.
    const own: ModelRequest[] = [];
    for (const selector of [bare, twin]) {
      model.exchanges.length = 0;
      const answer = await (await languageModel(selector)).sendRequest(request(0), { tools: allTools() });
      for await (const part of answer.text) assert.ok(part);
      own.push(model.exchanges[0]?.request ?? assert.fail("there was no request"));
    }
    // As VS Code's agent sends it: with its own tools, and with MCP's hidden behind groups where Winnow is not.
    const agent: ModelRequest[] = [];
    for (const selector of [bare, twin]) {
      await newChat();
      model.exchanges.length = 0;
      await ask(words, selector);
      agent.push(model.exchanges[0]?.request ?? assert.fail("there was no request"));
    }
    for (const [who, [without, routed]] of [
      ["an agent that offers all of MCP's tools", own],
      ["VS Code's agent", agent],
    ] as const) {
      const [a, b] = [await cost(winnow, without), await cost(winnow, routed)];
      report(
        `${who}, ${allTools().length} MCP tools: without Winnow ${a.text}; with it ${b.text} (o200k, as the daemon counts)`,
      );
      if (who !== "VS Code's agent") assert.ok(b.tokens < a.tokens);
    }
  });
});

/** Counts what a request carries: its tools as the daemon counts them, and its messages in the same way. */
async function cost(winnow: WinnowApi, request: ModelRequest | undefined): Promise<{ text: string; tokens: number }> {
  assert.ok(request !== undefined);
  const isMcp = (name: string) => /^(mcp|activate)_/.test(name);
  const tools = await tokensOf(winnow, request.tools);
  const mcp = await tokensOf(
    winnow,
    request.tools.filter(({ name }) => isMcp(name)),
  );
  const said = request.messages.map(({ parts }) => textOf(parts)).join("\n");
  const bare = { name: "x", description: "" };
  const messages = (await tokensOf(winnow, [{ ...bare, description: said }])) - (await tokensOf(winnow, [bare]));
  const count = request.tools.filter(({ name }) => isMcp(name)).length;
  return {
    tokens: tools + messages,
    text: `${tools + messages} tokens: ${count} of ${request.tools.length} tools MCP's with ${mcp}, all tools ${tools}, messages ${messages}`,
  };
}

/** Has the daemon count tools, as a list of a host's own. */
async function tokensOf(winnow: WinnowApi, tools: readonly ModelTool[]): Promise<number> {
  const source = "figures";
  await winnow.setTools(
    source,
    tools.map(({ name, description, inputSchema }) => ({
      server: "all",
      name,
      description,
      ...(inputSchema !== undefined && { inputSchema: inputSchema as object }),
    })),
  );
  const task = await winnow.open({ source, message: "count" });
  await task.close();
  return task.attachment.tokens.all;
}

/** The demo's servers, on the workspace of the tests. None opens a browser before it is told to. */
function ofTheDemo(json: string): object {
  const { servers } = JSON.parse(json) as { servers: Record<string, { args: string[] }> };
  const modules = servers["everything"]?.args[0]?.replace(/\/@modelcontextprotocol.*/, "") ?? "";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const entries = Object.entries(demoServers(modules, { folder, storage: path.dirname(folder) }));
  // Their program is the one of the extension host, which is no Node where VS Code is an Electron.
  return { servers: Object.fromEntries(entries.map(([name, entry]) => [name, { ...entry, command: "node" }])) };
}

/** MCP's tools, as an extension of its own agent would offer them. */
function allTools(): vscode.LanguageModelChatTool[] {
  return vscode.lm.tools
    .filter(({ tags }) => tags.includes("mcp"))
    .map(({ name, description, inputSchema }) => ({
      name,
      description,
      ...(inputSchema !== undefined && { inputSchema }),
    }));
}

/** The first request of a conversation of its own, after as much context as an agent gives. */
function request(i: number): vscode.LanguageModelChatMessage[] {
  const { User } = vscode.LanguageModelChatMessageRole;
  const said = ["Some context. ".repeat(1000), `take screenshot number ${i} of the page`];
  return said.map((text) => new vscode.LanguageModelChatMessage(User, text));
}

function median(values: readonly number[]): string {
  return [...values].sort((a, b) => a - b)[values.length >> 1]?.toFixed(1) ?? "";
}
