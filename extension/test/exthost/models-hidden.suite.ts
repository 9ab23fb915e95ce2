// Routed models with more tools than VS Code's agent lists: it hides the rest
// behind groups. Also what routing costs and saves, measured in one run beside
// the bare model.
import { setup, suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import {
  type ModelRequest,
  ask,
  call,
  languageModel,
  newChat,
  results,
  say,
  scriptedModel,
  startServers,
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
    await writeFile(file(), JSON.stringify(withMore(servers)));
    for (const tool of [/browser_click$/, /take_snapshot$/, /get-sum$/, /read_text_file$/, /read_graph$/]) {
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
      () => !vscode.lm.tools.some(({ name }) => /browser_click$|take_snapshot$/.test(name)),
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
  });

  test("figures: what routing saves, and what it takes", async function () {
    this.timeout(300_000);
    const rounds = 12;
    const tokens = (request: ModelRequest | undefined) => Math.round(JSON.stringify(request?.tools).length / 4);
    const took = { bare: [] as number[], twin: [] as number[] };
    const sent = { bare: 0, twin: 0 };
    const tools = { bare: 0, twin: 0 };
    // In turn, so that what else the machine does hits both alike.
    for (let i = 0; i < rounds; i++) {
      for (const kind of ["bare", "twin"] as const) {
        const [chat, messages] = [await languageModel(kind === "bare" ? bare : twin), request(i)];
        model.exchanges.length = 0;
        const start = performance.now();
        const answer = await chat.sendRequest(messages, { tools: allTools() });
        for await (const part of answer.text) assert.ok(part);
        took[kind].push(performance.now() - start);
        sent[kind] = tokens(model.exchanges[0]?.request);
        tools[kind] = names(model.exchanges[0]?.request).length;
      }
    }
    assert.ok(sent.twin < sent.bare);
    report(
      `${allTools().length} tools offered; bare model: ${tools.bare} tools, ${sent.bare} tokens; routed: ${tools.twin} tools, ` +
        `${sent.twin} tokens (JSON of tools / 4)`,
      `whole answer, median of ${rounds} in turn: bare ${median(took.bare)} ms, routed ${median(took.twin)} ms; ` +
        `first routed request ${took.twin[0]?.toFixed(0) ?? ""} ms`,
    );
  });

  test("figures: tokens of a request of VS Code's agent", async () => {
    const tokens = (request: ModelRequest | undefined) => Math.round(JSON.stringify(request?.tools).length / 4);
    await ask("take a screenshot of the page", bare);
    const [unrouted] = model.exchanges.map(({ request }) => request);
    await newChat();
    model.exchanges.length = 0;
    await ask("take a screenshot of the page", twin);
    const [routed] = model.exchanges.map(({ request }) => request);
    report(
      `agent, ${allTools().length} MCP tools: bare ${names(unrouted).length} tools, ${tokens(unrouted)} tokens; ` +
        `routed ${names(routed).length} tools, ${tokens(routed)} tokens`,
    );
  });
});

/** The workspace's servers, and two that bring many tools. Neither opens a browser before it is told to. */
function withMore(json: string): object {
  const { servers } = JSON.parse(json) as { servers: Record<string, { args: string[] }> };
  const modules = servers["everything"]?.args[0]?.replace(/@modelcontextprotocol.*/, "") ?? "";
  const server = (...file: string[]) => ({
    type: "stdio",
    command: "node",
    args: [path.join(modules, ...file), "--headless"],
  });
  return {
    servers: {
      ...servers,
      playwright: server("@playwright", "mcp", "cli.js"),
      devtools: server("chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"),
    },
  };
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
