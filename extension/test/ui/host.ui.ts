// The ground that the other UI suites stand on.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { call, results, say, toolName } from "../scripted-model/script";
import { session } from "./session";

describe("host", () => {
  const ui = session();

  test("a model is picked, and answers", async () => {
    const { editor, workbench, script } = ui();
    script.use(() => [say("unique reply one")]);
    await workbench.modelChosen("Scripted One"); // until then the chat has no model at all
    await workbench.command("Scripted Model: Show or Hide the Late Model");
    await workbench.chooseModel("Scripted Late");
    await workbench.ask("hello");
    await workbench.answered("unique reply one");
    assert.equal(script.exchanges.at(-1)?.request.model, "scripted-late");
    await editor.screenshot("host/answer");
  });

  test("a tool that writes runs when it is allowed", async () => {
    const { editor, workbench, script } = ui();
    script.use(function* (request) {
      const [created] = results(request);
      const entities = [{ name: "bean", entityType: "plant", observations: ["sown in May"] }];
      if (created !== undefined) yield say(`remembered ${/sown in May/.exec(created.text)?.[0] ?? "nothing"}`);
      else yield call(toolName(request, /create_entities$/) ?? "", { entities });
    });
    await workbench.ask("remember the beans");
    await workbench.allowed(/create_entities|Create Entities/);
    await workbench.answered("remembered sown in May");
    await editor.screenshot("host/allowed");
  });

  test("each kind of theme can be shown", async () => {
    const { editor, workbench } = ui();
    for (const theme of ["light", "dark", "contrast"] as const) {
      await workbench.theme(theme);
      await editor.screenshot(`host/${theme}`);
    }
  });
});
