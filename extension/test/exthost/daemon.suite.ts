// The daemon under the extension: it starts, it is killed and comes back, and
// it hears of changed settings.
import { setup, suite, suiteTeardown, teardown, test } from "mocha";
import assert from "node:assert/strict";
import * as vscode from "vscode";
import {
  type ModelRequest,
  ask,
  call,
  daemon,
  newChat,
  results,
  say,
  scriptedModel,
  setting,
  startServers,
  toolName,
} from "./api";

const twin = { vendor: "winnow", id: "scripted/scripted-one" };

/** The MCP tools that a request offers, in order. */
function attached(request: ModelRequest | undefined): string[] {
  return (request?.tools ?? []).map(({ name }) => name).filter((name) => name.startsWith("mcp_"));
}

suite("daemon", () => {
  let restore: (() => Promise<void>)[] = [];

  setup(async () => {
    await startServers(/get-sum$/);
    await startServers(/list_allowed_directories$/);
    restore = [await setting("winnow.threshold", 5), await setting("winnow.initialK", 6)];
    await newChat();
    (await scriptedModel()).exchanges.length = 0;
  });

  teardown(async () => {
    for (const put of restore.reverse()) await put();
  });

  suiteTeardown(newChat);

  test("it is the one in the installed extension", async () => {
    const { command } = await daemon();
    const folder = vscode.extensions.getExtension("winnow-mcp.winnow")?.extensionPath ?? "";
    assert.ok(command.startsWith(`${folder}/extension/bin/winnowd`), command);
  });

  test("killed during a turn, it comes back with the same tools for the task", async () => {
    const model = await scriptedModel();
    model.use(() => [say("ready")]);
    await ask("add two numbers", twin);

    const first = await daemon();
    model.use(async function* (request) {
      if (results(request).length > 0) {
        yield say("done");
        return;
      }
      process.kill(first.pid, "SIGKILL");
      await daemon(first);
      yield call(toolName(request, /get-sum$/) ?? "", { a: 1, b: 2 });
    });
    await ask("which folders may you read, and what is 1 plus 2", twin);

    const [before, killed, after] = model.exchanges.map(({ request }) => request);
    assert.ok(attached(before).length >= 6, "something was attached");
    assert.deepEqual(attached(killed).slice(0, attached(before).length), attached(before));
    assert.deepEqual(attached(after), attached(killed));
    assert.match(after === undefined ? "" : (results(after)[0]?.text ?? ""), /\b3\b/);
  });

  test("settings apply at the next turn, without a restart", async () => {
    const model = await scriptedModel();
    const { pid } = await daemon();
    model.use(() => [say("as you like")]);
    await ask("add two numbers", twin);
    restore.push(await setting("winnow.searchTurns", 0));
    await ask("and now without routing", twin);
    const [routed, all] = model.exchanges.map(({ request }) => attached(request));
    assert.ok(routed?.includes("mcp_load"));
    assert.ok(!all?.includes("mcp_load") && all !== undefined && all.length > (routed?.length ?? 0) + 10, String(all));
    assert.equal((await daemon()).pid, pid);
  });
});
