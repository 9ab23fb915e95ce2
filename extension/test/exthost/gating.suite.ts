// A server that Winnow runs and that says what matters for a message: it is
// asked about messages to a routed model, and to @winnow.
import { setup, suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { ask, languageModel, newChat, say, scriptedModel, setting, until, userWords } from "./api";
import { bare, names, twin } from "./routed";
import { winnowFile } from "./winnowfile";

const drops = "mcp__tracker__drop_tasks";

suite("gating", () => {
  const file = path.join(tmpdir(), `gating-${process.pid}.json`);
  const restore: (() => Promise<void>)[] = [() => rm(file, { force: true })];
  let model: Awaited<ReturnType<typeof scriptedModel>>;

  suiteSetup(async () => {
    model = await scriptedModel();
    const inputSchema = { type: "object" };
    const reads = { readOnlyHint: true };
    await writeFile(
      file,
      JSON.stringify([
        { name: "_tool_gating", inputSchema },
        { name: "read_tasks", description: "Reads the tasks.", inputSchema, annotations: reads },
        { name: "drop_tasks", description: "Drops the tasks.", inputSchema },
      ]),
    );
    const program = path.join(process.env["WINNOW_TEST_SERVERS"] ?? "", "changing.mjs");
    restore.push(
      await winnowFile(() => ({ servers: { tracker: { command: "node", args: [program, file] } } })),
      await setting("winnow.gating.servers", ["tracker"]),
      await setting("winnow.gating.claims", "allow"),
      await setting("winnow.gating.timeoutMs", 10_000),
      await setting("winnow.threshold", 1000),
    );
    await languageModel(twin);
    await until("the tools of the server", async () => (await offered("what is there", twin)).includes(drops));
  });

  setup(() => newChat());

  suiteTeardown(async () => {
    for (const put of restore) await put();
    await newChat();
  });

  /** The tools that the model is offered for a message in a new chat; none where it was not asked. */
  async function offered(words: string, selector: typeof twin): Promise<string[]> {
    await newChat();
    model.use(() => [say("done")]);
    model.exchanges.length = 0;
    await ask(words, selector);
    return names(
      model.exchanges.find(({ request }) => userWords(request).includes(words.replace("@winnow ", "")))?.request,
    );
  }

  test("what the server excludes is not attached, for a routed model and for @winnow", async () => {
    for (const [words, selector] of [
      ["exclude drop_tasks", twin],
      ["@winnow exclude drop_tasks", bare],
    ] as const) {
      const before = await offered(words.replace("exclude drop_tasks", "show them"), selector);
      const excluded = await offered(words, selector);
      assert.ok(before.includes(drops), before.join(" "));
      assert.ok(!excluded.includes(drops), excluded.join(" "));
      assert.ok(excluded.includes("mcp__tracker__read_tasks"), excluded.join(" "));
    }
  });

  test("a claim of a tool that only reads answers in the model's place, without a question", async () => {
    for (const [words, selector] of [
      ["claim read_tasks", twin],
      ["@winnow claim read_tasks", bare],
    ] as const) {
      assert.deepEqual(await offered(words, selector), [], `${words}: the model was asked`);
      await vscode.commands.executeCommand("workbench.action.chat.copyAll");
      const chat = await vscode.env.clipboard.readText();
      assert.match(chat.slice(chat.lastIndexOf("claim read_tasks")), /\{\}/);
    }
  });
});
