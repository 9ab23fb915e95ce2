// @winnow in the extension host, with servers of Winnow's own.
import { suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";
import {
  type Step,
  call,
  cancelled,
  languageModel,
  newChat,
  results,
  say,
  scriptedModel,
  setting,
  toolName,
  until,
} from "./api";
import { folder, winnowFile } from "./winnowfile";

const scripted = { vendor: "scripted", id: "scripted-one" };

/** What an answer of @winnow is kept with. */
interface Result {
  errorDetails?: { message: string };
  metadata?: { ending?: string; record?: { state?: { turn: number; tools: { name: string }[] } } };
}

/** Sends a message to @winnow and returns its result when the answer is complete. */
async function ask(words: string): Promise<Result> {
  await languageModel(scripted);
  const query = `@winnow ${words}`;
  const options = { query, blockOnResponse: true, modelSelector: scripted };
  return (await vscode.commands.executeCommand<Result | undefined>("workbench.action.chat.open", options)) ?? {};
}

/** The Markdown of the newest answer, as the chat can be exported. */
async function lastAnswer(): Promise<string> {
  await vscode.commands.executeCommand("workbench.action.chat.copyAll");
  const all = await vscode.env.clipboard.readText();
  return all.slice(all.lastIndexOf("@winnow"));
}

// VS Code runs servers, too, and @winnow has them: ours are told from these by their names.
suite("participant", () => {
  const restore: (() => Promise<void>)[] = [];

  suiteSetup(async () => {
    restore.push(
      await winnowFile(({ filesystem, everything }) => ({
        servers: { ours: filesystem, calculator: everything },
        modes: { files: { name: "Files", allowedMcpServers: ["ours"] } },
      })),
    );
    restore.push(await setting("winnow.threshold", 5), await setting("winnow.initialK", 4));
  });

  suiteTeardown(async () => {
    for (const put of restore) await put();
  });

  test("a call runs, its result reaches the model, and the task is kept with the answer", async () => {
    const model = await scriptedModel();
    await newChat();
    model.exchanges.length = 0;
    model.use(function* (request) {
      const [read] = results(request);
      if (read !== undefined) yield say(`the note says: ${read.text}`);
      else yield call(toolName(request, /ours__read_text_file$/) ?? "", { path: path.join(folder, "garden.md") });
    });
    // The servers may still be listing their tools when the first message comes.
    const result = await until("the tools of the server", async () => {
      await newChat();
      // What a server says of its tools counts once somebody has approved of it.
      await vscode.commands.executeCommand("winnow.approveServer", { kind: "server", server: { name: "ours" } });
      const answering = ask("read the text file garden.md");
      // A server that was not up yet could not be approved of: then the call is asked about.
      const over = { done: false };
      void answering.then(() => (over.done = true));
      await until("the answer", async () => {
        await vscode.commands.executeCommand("winnow.answerCall", undefined, "once");
        return over.done;
      });
      const result = await answering;
      return model.exchanges.some(({ request }) => results(request).length > 0) ? result : undefined;
    });
    assert.equal(result.metadata?.ending, "answered");
    assert.equal(result.metadata.record?.state?.turn, 1);
    const last = model.exchanges.at(-1)?.request;
    assert.match(results(last ?? never())[0]?.text ?? "", /Sow the beans/);
    // Four tools, and the one to load more.
    assert.equal(last?.tools.filter(({ name }) => name !== "mcp_load").length, 4 + codesearch());
  });

  test("the next message has the same tools first, and all of the chat", async () => {
    const model = await scriptedModel();
    model.use(() => [say("nothing to do")]);
    const before = model.exchanges.at(-1)?.request;
    const result = await ask("add two numbers");
    const after = model.exchanges.at(-1)?.request;
    assert.equal(result.metadata?.record?.state?.turn, 2);
    const names = (request: typeof after) =>
      request?.tools.map(({ name }) => name).filter((name) => name !== "mcp_load") ?? [];
    assert.deepEqual(names(after).slice(0, names(before).length), names(before));
    assert.deepEqual(after?.messages.slice(0, before?.messages.length), before?.messages);
  });

  test("/why, /usage, /load and /mode answer without the model", async () => {
    const model = await scriptedModel();
    const { length } = model.exchanges;
    await ask("/why");
    assert.match(await lastAnswer(), /tools attached[\s\S]*read_text_file[^\n]* tokens: \w/);
    await ask("/why mcp__ours__read_text_file");
    assert.match(await lastAnswer(), /Part of the score/);
    await ask("/usage");
    assert.match(await lastAnswer(), /System prompt[\s\S]*Conversation[\s\S]*Total/);
    const loaded = await ask("/load mcp__calculator__get-tiny-image");
    assert.ok(loaded.metadata?.record?.state?.tools.some(({ name }) => name === "mcp__calculator__get-tiny-image"));
    await ask("/mode files");
    assert.match(await lastAnswer(), /mode is `files`/);
    await ask("/mode none");
    await ask("/mode nonsense");
    assert.match(await lastAnswer(), /nonsense[\s\S]*Files/);
    assert.equal(model.exchanges.length, length);
  });

  test("what /load attached is there for the next message", async () => {
    const model = await scriptedModel();
    model.use(() => [say("seen")]);
    await ask("go on");
    assert.ok(model.exchanges.at(-1)?.request.tools.some(({ name }) => name === "mcp__calculator__get-tiny-image"));
  });

  test("a call that may write waits for the answer, which a button gives", async () => {
    const model = await scriptedModel();
    const target = path.join(folder, "written.md");
    model.use(function* (request): Iterable<Step> {
      const [written] = results(request);
      if (written !== undefined) yield say(`done: ${written.text}`);
      else yield call("mcp__ours__write_file", { path: target, content: "by @winnow" });
    });
    const there = () =>
      vscode.workspace.fs.stat(vscode.Uri.file(target)).then(
        () => true,
        () => false,
      );
    for (const [answer, expected] of [
      ["skip", false],
      ["once", true],
    ] as const) {
      const answering = ask("write a file");
      const exchanges = model.exchanges.length;
      await until(
        "the call",
        () => model.exchanges.length > exchanges && model.exchanges.at(-1)?.outcome === "answered",
      );
      assert.equal(await there(), false);
      const over = { done: false };
      void answering.then(() => (over.done = true));
      await until("the answer", async () => {
        await vscode.commands.executeCommand("winnow.answerCall", undefined, answer);
        return over.done;
      });
      assert.equal(await there(), expected, answer);
    }
    await rm(target);
  });

  test("it stops when it is cancelled", async () => {
    const model = await scriptedModel();
    model.use(async function* (_request, signal) {
      yield say("thinking ");
      await cancelled(signal);
    });
    const { length } = model.exchanges;
    const answering = ask("take your time");
    await until("the request", () => model.exchanges.length > length);
    await until("the end", async () => {
      await vscode.commands.executeCommand("workbench.action.chat.cancel");
      return model.exchanges.at(-1)?.outcome === "cancelled";
    });
    await answering;
    assert.equal(model.exchanges.length, length + 1);
  });

  test("it stops after as many requests as VS Code lets an agent make", async () => {
    const model = await scriptedModel();
    const put = await setting("chat.agent.maxRequests", 3);
    try {
      model.use(() => [call("mcp__ours__list_allowed_directories")]);
      const { length } = model.exchanges;
      const result = await ask("go round");
      assert.equal(result.metadata?.ending, "rounds");
      assert.equal(model.exchanges.length - length, 3);
    } finally {
      await put();
    }
  });

  test("VS Code's own tools run too: those that search, and those that are named by #", async () => {
    const model = await scriptedModel();
    await newChat();
    model.use(function* (request): Iterable<Step> {
      const [found, problems] = results(request);
      if (found === undefined) yield call("copilot_findTextInFiles", { query: "compost", isRegexp: false });
      else if (problems === undefined) yield call("copilot_getErrors", {});
      else yield say("looked");
    });
    const { length } = model.exchanges;
    assert.equal((await ask("#problems is there any, and where is the compost?")).metadata?.ending, "answered");
    const [first, , last] = model.exchanges.slice(length).map(({ request }) => request);
    const named = (request: typeof first) => request?.tools.map(({ name }) => name) ?? [];
    assert.ok(named(first).includes("copilot_getErrors"), named(first).join(" "));
    const [found, problems] = results(last ?? never());
    assert.match(found?.text ?? "", /garden\.md[\s\S]*behind the shed/);
    assert.match(problems?.text ?? "", /error/i);
    assert.doesNotMatch(problems?.text ?? "", /^Error:/);

    // A tool that nobody named is not offered.
    await newChat();
    model.use(() => [say("hello")]);
    await ask("hello");
    assert.ok(!named(model.exchanges.at(-1)?.request).includes("copilot_getErrors"));
  });

  test("the model's error is told, short, and the chat goes on", async () => {
    const model = await scriptedModel();
    model.use(() => [{ kind: "error", message: "too many requests", code: "Blocked" }]);
    const failed = await ask("fail");
    assert.match(failed.errorDetails?.message ?? "", /too many requests/);
    assert.doesNotMatch(failed.errorDetails?.message ?? "", /\n\s*at /);
    model.use(() => [say("better")]);
    assert.equal((await ask("again")).metadata?.ending, "answered");
  });
});

/** How many of VS Code's tools search the workspace. */
function codesearch(): number {
  return vscode.lm.tools.filter(({ tags }) => tags.includes("vscode_codesearch")).length;
}

function never(): never {
  throw new Error("there was no request");
}
