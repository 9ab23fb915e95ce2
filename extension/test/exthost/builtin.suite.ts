// VS Code's own tools under each choice of winnow.builtInTools, by the prompts of
// three families of models: what the model is sent is printed, and a tool that was
// left out runs when the model calls it.
import { suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import * as vscode from "vscode";
import {
  type ModelRequest,
  ask,
  call,
  languageModel,
  newChat,
  report,
  results,
  say,
  scriptedModel,
  setting,
  startServers,
  until,
} from "./api";
import { names } from "./routed";

const late = { vendor: "winnow", id: "scripted/scripted-late" };

/** Families of models, each with a tool of VS Code's that no prompt names and no chat has called, and that only reads. */
const families = {
  "claude-sonnet-4": "terminal_last_command",
  "gpt-5": "terminal_selection",
  "grok-code": "vscode_searchExtensions_internal",
};

/** The tokens of a text, about. */
const tokens = (value: unknown) => Math.ceil(JSON.stringify(value).length / 4);

/** What a request carries, by section. */
function carried({ messages, tools }: ModelRequest): string {
  const isServers = (name: string) => /^(mcp_|activate_)/.test(name);
  const own = tools.filter(({ name }) => !isServers(name));
  const mcp = tools.filter(({ name }) => isServers(name));
  const sum = tokens(messages) + tokens(tools);
  return `${sum} tokens: messages ${tokens(messages)}, VS Code's ${own.length} tools ${tokens(own)}, the other ${mcp.length} ${tokens(mcp)}`;
}

suite("VS Code's own tools", () => {
  let restore: (() => Promise<void>) | undefined;

  suiteSetup(async () => {
    await startServers(/get-sum$/);
    await startServers(/read_text_file$/);
    await startServers(/read_graph$/);
  });

  suiteTeardown(async () => {
    await restore?.();
    (await scriptedModel()).showLate(false);
  });

  for (const [family, rare] of Object.entries(families)) {
    test(family, async () => {
      const model = await scriptedModel();
      model.showLate(false);
      await until("no other twin", async () =>
        (await vscode.lm.selectChatModels(late)).length === 0 ? true : undefined,
      );
      model.showFamily(family);
      await languageModel(late);
      const sizes: number[] = [];
      for (const choice of ["rare", "all", "keep"]) {
        await restore?.();
        restore = await setting("winnow.builtInTools", choice);
        await newChat();
        model.exchanges.length = 0;
        model.use(function* (request) {
          if (results(request).length > 0) yield say(`done ${family} ${choice}`);
          else yield call(rare, {});
        });
        await ask("Rename the function parse to read and run the tests", late);
        const [first, second] = model.exchanges.map(({ request }) => request);
        assert.ok(first !== undefined && second !== undefined, String(model.exchanges.length));
        // With `all` the message may want it: it was called before, which counts.
        if (choice !== "all") assert.equal(names(first).includes(rare), choice === "keep");
        assert.ok(names(second).includes(rare), "a tool that was called is attached");
        const answer = results(second)[0]?.text ?? "";
        assert.doesNotMatch(answer, /ERROR|disabled/);
        sizes.push(tokens(first.tools));
        report(`${family}, ${choice}: ${carried(first)}`);
      }
      const [less = 0, least = 0, keep = 0] = sizes;
      assert.ok(less < 0.75 * keep && least < less, sizes.join(" "));
    });
  }
});
