// The ground that the other suites stand on.
import { suite, test } from "mocha";
import assert from "node:assert/strict";
import * as vscode from "vscode";
import {
  ask,
  call,
  cancelled,
  languageModel,
  newChat,
  results,
  say,
  scriptedModel,
  startServers,
  toolName,
  until,
  userWords,
} from "./api";

const scripted = { vendor: "scripted", id: "scripted-one" };

/** A part of the API that is proposed only. */
interface Proposed {
  lm: { embeddingModels: string[] };
}

/** What the extension says of workspaces that it can work in. */
interface Manifest {
  capabilities: Record<"virtualWorkspaces" | "untrustedWorkspaces", { supported: unknown; description: string }>;
}

suite("host", () => {
  test("the packaged Winnow is installed", () =>
    assert.ok(vscode.extensions.getExtension("winnow-mcp.winnow") !== undefined));

  // This host is code-server: the window is a remote one, and its browser may be anywhere.
  test("it runs where the workspace is, and declines a workspace without a disk", () => {
    const winnow = vscode.extensions.getExtension("winnow-mcp.winnow");
    assert.ok(winnow !== undefined && vscode.env.remoteName !== undefined);
    assert.equal(winnow.extensionKind, vscode.ExtensionKind.Workspace);
    const { capabilities } = winnow.packageJSON as Manifest;
    assert.equal(capabilities.virtualWorkspaces.supported, false);
    assert.equal(capabilities.untrustedWorkspaces.supported, "limited");
    for (const { description } of Object.values(capabilities)) assert.match(description, /servers/);
  });

  test("only stable API works, as in the VS Code that users have", () =>
    assert.throws(() => (vscode as unknown as Proposed).lm.embeddingModels, /CANNOT use API proposal/));

  test("the scripted model answers from a script", async () => {
    const model = await scriptedModel();
    model.use(() => [say("as "), say("told")]);
    const chat = await languageModel(scripted);
    const answer = await chat.sendRequest([vscode.LanguageModelChatMessage.User("hello")]);
    let text = "";
    for await (const part of answer.text) text += part;
    assert.equal(text, "as told");
    assert.deepEqual(model.exchanges.at(-1)?.request.messages, [
      { role: "user", parts: [{ kind: "text", text: "hello" }] },
    ]);
  });

  test("a model may appear late, and go", async () => {
    const model = await scriptedModel();
    const count = async () => (await vscode.lm.selectChatModels({ vendor: "scripted" })).length;
    model.showLate(true);
    await languageModel({ vendor: "scripted", id: "scripted-late" });
    model.showLate(false);
    await until("the late model to go", async () => (await count()) === 1);
  });

  test("a script sees that its request is cancelled", async () => {
    const model = await scriptedModel();
    const source = new vscode.CancellationTokenSource();
    model.use(async function* (_request, signal) {
      yield say("wait");
      source.cancel();
      await cancelled(signal);
    });
    const chat = await languageModel(scripted);
    await chat.sendRequest([vscode.LanguageModelChatMessage.User("go")], {}, source.token);
    await until("the cancellation", () => model.exchanges.at(-1)?.outcome === "cancelled");
  });

  test("agent mode sends tools, runs a real MCP server's and sends its result", async () => {
    const model = await scriptedModel();
    await startServers(/get-sum$/);
    await newChat();
    model.exchanges.length = 0;
    model.use(function* (request) {
      const [sum] = results(request);
      if (sum !== undefined) yield say(`the tool says: ${sum.text}`);
      else yield call(toolName(request, /get-sum$/) ?? "", { a: 4, b: 5 });
    });
    await ask("add 4 and 5", scripted);
    const [first, second] = model.exchanges;
    assert.ok(first !== undefined && second !== undefined);
    assert.equal(userWords(first.request), "add 4 and 5");
    assert.match(results(second.request)[0]?.text ?? "", /\b9\b/);
  });
});
