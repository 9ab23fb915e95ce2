// The gateway as a server of VS Code's own agent.
import { suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import * as vscode from "vscode";
import { ask, call, daemon, newChat, results, say, scriptedModel, setting, startServers, toolName, until } from "./api";
import { folder, winnowFile } from "./winnowfile";

/** The tools that VS Code has of the gateway, as VS Code names them. */
const ours = /^mcp_winnow.*list_allowed_directories$/;

suite("gateway", () => {
  const restore: (() => Promise<void>)[] = [];

  suiteSetup(async () => {
    restore.push(await winnowFile((servers) => ({ servers: { notes: servers["filesystem"] } })));
    restore.push(await setting("winnow.gateway.mode", "all"));
  });

  suiteTeardown(async () => {
    for (const put of restore) await put();
  });

  test("it is not there before the user wants it", () =>
    assert.ok(!vscode.lm.tools.some(({ name }) => ours.test(name))));

  /** Lets VS Code's own agent call the tool in a new chat, and looks at what it got. */
  async function called(): Promise<void> {
    const model = await scriptedModel();
    await newChat();
    model.exchanges.length = 0;
    model.use(function* (request) {
      const [listed] = results(request);
      if (listed !== undefined) yield say(`the gateway says: ${listed.text}`);
      else yield call(toolName(request, ours) ?? "no such tool");
    });
    await ask("which folders may be read?", { vendor: "scripted", id: "scripted-one" });
    const last = model.exchanges.at(-1)?.request;
    assert.ok(last !== undefined);
    const [result] = results(last);
    assert.match(result?.name ?? "nothing", ours);
    assert.ok(result?.text.includes(folder), result?.text);
  }

  /**
   * The same once the daemon is new. VS Code hears of the new address a moment later, and starts the gateway with the
   * next message: one that is sent before goes without the tool.
   */
  async function calledAgain(): Promise<void> {
    await until("the agent to call the tool again", async () => {
      await called();
      return true;
    });
  }

  test("VS Code starts it, and its agent calls a tool behind it", async () => {
    restore.push(await setting("winnow.gateway.inVSCode", true));
    await startServers(ours);
    await called();
  });

  test("after a restart of the daemon VS Code finds it at its new address", async () => {
    await vscode.commands.executeCommand("winnow.restartDaemon");
    await calledAgain();
  });

  test("after a crash too", async () => {
    const crashed = await daemon();
    process.kill(crashed.pid, "SIGKILL");
    await daemon(crashed);
    await calledAgain();
  });

  test("a server that comes later is seen by VS Code", async () => {
    await winnowFile(({ filesystem, memory }) => ({ servers: { notes: filesystem, graph: memory } }));
    await until("the new server's tools", () =>
      vscode.lm.tools.some(({ name }) => /^mcp_winnow.*open_nodes$/.test(name)),
    );
  });

  test("switched off, it is gone", async () => {
    await restore.pop()?.();
    await until("the end of the gateway", () => !vscode.lm.tools.some(({ name }) => ours.test(name)));
  });
});
