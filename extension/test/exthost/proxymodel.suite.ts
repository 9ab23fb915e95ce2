// VS Code's own agent with a model of its vendor "Custom Endpoint" whose address
// is winnowd proxy, before a provider that answers from a script.
import { setup, suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import * as vscode from "vscode";
import { Provider } from "../agents/provider";
import type { Asked } from "../agents/wires";
import { ask, languageModel, newChat, report, setting, startServers, until } from "./api";

const selector = { vendor: "customendpoint", id: "scripted-endpoint" };

/** A request that brings tools of MCP servers; VS Code asks for titles and the like too. */
const ofTheAgent = ({ tools }: Asked): boolean => tools.some((name) => name.startsWith("mcp_"));

suite("a model through winnowd proxy", () => {
  let provider: Provider;
  let proxy: ChildProcess;
  let dir = "";
  let address = "";
  let undo: () => Promise<void>;

  suiteSetup(async function () {
    this.timeout(120_000);
    provider = await Provider.start();
    dir = await mkdtemp(path.join(tmpdir(), "winnow-proxy-"));
    await mkdir(path.join(dir, "winnow"));
    const endpoints = { scripted: { url: provider.model.openai } };
    await writeFile(path.join(dir, "winnow", "winnow.json"), JSON.stringify({ endpoints }));
    await writeFile(path.join(dir, "settings.json"), JSON.stringify({ threshold: 10, initialK: 6, searchK: 2 }));
    [proxy, address] = await startProxy(dir);
    // Titles are made by the chat's model too: then every request is seen here.
    undo = await setting("chat.byokUtilityModelDefault", "mainAgent");
    for (const tool of [/get-sum$/, /read_text_file$/, /create_entities$/]) await startServers(tool);
    await vscode.commands.executeCommand("winnow.addProxyModel", {
      id: selector.id,
      url: `${address}/to/scripted/chat/completions`,
      apiType: "chat-completions",
      apiKey: "a key",
    });
    await languageModel(selector);
  });

  setup(async () => {
    await newChat();
    provider.asked.length = 0;
  });

  suiteTeardown(async () => {
    await undo();
    proxy.kill();
    await once(proxy, "exit");
    await provider.stop();
    await rm(dir, { recursive: true, force: true });
  });

  test("the agent's tools are cut, one is loaded and called, and the set only grows", async () => {
    provider.script = ({ tools, results }) => {
      const sum = tools.find((name) => name.endsWith("get-sum"));
      if (results.some(({ name }) => name.endsWith("get-sum"))) return { say: "The sum is told." };
      return sum === undefined
        ? { call: "mcp_load", input: { names: ["get-sum"], query: "add two numbers" } }
        : { call: sum, input: { a: 20, b: 22 } };
    };
    await ask("what does the note about the garden say?", selector);
    await ask("and the one about espresso?", selector);
    const asked = provider.asked.filter(ofTheAgent);
    const sum = asked.flatMap(({ results }) => results).find(({ name }) => name.endsWith("get-sum"));
    assert.match(sum?.text ?? "", /42/, JSON.stringify(asked.map(({ results }) => results)));
    for (const [i, { tools }] of asked.slice(1).entries()) {
      const missing = (asked[i]?.tools ?? []).filter((name) => !tools.includes(name));
      assert.deepEqual(missing, [], `request ${i + 2}`);
    }
    const stats = (await (await fetch(`${address}/winnow/stats`)).json()) as {
      conversations: {
        counts: { scoped: number; attached: number; native: number };
        tokens: { all: number; saved: number };
      }[];
    };
    const { counts, tokens } = stats.conversations[0] ?? assert.fail("no conversation");
    report(
      `VS Code hands over ${counts.scoped + counts.native} tools, sent ${asked.map(({ tools }) => tools.length).join(", ")}; ${tokens.saved} of ${tokens.all} tokens saved`,
    );
    assert.ok(counts.attached < counts.scoped / 2, `${counts.attached} of ${counts.scoped} tools are attached`);
    assert.ok(
      asked.every(({ body }) => (JSON.parse(body) as { messages: { role: string }[] }).messages[0]?.role === "system"),
    );
  });

  test("an error of the provider's is told", async () => {
    provider.script = () => ({ fail: 400, message: "the scripted refusal" });
    const result = await ask("say something", selector);
    assert.match(JSON.stringify(result), /the scripted refusal/);
  });

  test("a chat that is stopped ends the request at the provider, and goes on", async () => {
    provider.script = (asked) => (ofTheAgent(asked) ? { stall: "Let me think." } : { say: "A title" });
    const stopped = ask("take your time", selector);
    const request = await until("the request", () => provider.asked.find(ofTheAgent));
    let gone = false;
    void request.gone.then(() => (gone = true));
    await until("the end of the request", async () => {
      await vscode.commands.executeCommand("workbench.action.chat.cancel");
      return gone;
    });
    await stopped;
    provider.script = () => ({ say: "Here I am again." });
    const before = provider.asked.filter(ofTheAgent).length;
    await ask("and now?", selector);
    const next = provider.asked.filter(ofTheAgent)[before] ?? assert.fail("no request after the one that was stopped");
    assert.match(next.words, /and now\?/);
  });

  test("the command leads to where VS Code deletes it", async () => {
    await vscode.commands.executeCommand("winnow.removeProxyModels");
    await until("VS Code's editor of models", () =>
      vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ label }) => label === "Language Models")),
    );
    await vscode.commands.executeCommand("workbench.action.closeAllEditors");
  });
});

/** Starts the packaged winnowd as a proxy, and returns it with its address. */
async function startProxy(dir: string): Promise<[ChildProcess, string]> {
  const extension = vscode.extensions.getExtension("winnow-mcp.winnow")?.extensionPath ?? "";
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const args = [
    "--listen",
    "127.0.0.1:0",
    "--workspace",
    folder,
    "--storage",
    dir,
    "--settings",
    path.join(dir, "settings.json"),
  ];
  const child = spawn(path.join(extension, "extension", "bin", "winnowd"), ["proxy", ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: dir },
    stdio: ["ignore", "ignore", "pipe"],
  });
  for await (const line of createInterface({ input: child.stderr })) {
    const { address } = JSON.parse(line) as { address?: string };
    if (address === undefined) continue;
    child.stderr.resume();
    return [child, address];
  }
  throw new Error("winnowd proxy ended before it served");
}
