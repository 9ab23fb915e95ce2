// @winnow as a person uses it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { promisify } from "node:util";
import { processesOf, until } from "../host/processes";
import { Workbench } from "../host/workbench";
import type { Workspace } from "../host/workspace";
import { call, results, say } from "../scripted-model/script";
import { routedName } from "../../src/models/twins";
import { session } from "./session";

const entities = [{ name: "bean", entityType: "plant", observations: ["sown in May"] }];

/** Gives the servers of the workspace to Winnow instead of VS Code, and one that may claim messages. */
async function asOurs({ dir, folder }: Workspace): Promise<void> {
  const from = path.join(folder, ".vscode", "mcp.json");
  const file = path.join(folder, ".vscode", "winnow.json");
  await rename(from, file);
  const { servers } = JSON.parse(await readFile(file, "utf8")) as { servers: object };
  const tasks = path.join(dir, "tasks.json");
  const inputSchema = { type: "object" };
  const drops = { name: "drop_tasks", description: "Drops the tasks.", inputSchema };
  await writeFile(tasks, JSON.stringify([{ name: "_tool_gating", inputSchema }, drops]));
  const tracker = { command: "node", args: [path.resolve("extension", "test", "servers", "changing.mjs"), tasks] };
  const modes = { files: { allowedMcpServers: ["filesystem"] } };
  await writeFile(file, JSON.stringify({ servers: { ...servers, tracker }, modes }, undefined, 2));
}

describe("participant", () => {
  const ui = session({
    arrange: asOurs,
    settings: {
      "winnow.threshold": 10,
      "winnow.initialK": 6,
      "winnow.gating.servers": ["tracker"], // claims messages that say so
      "winnow.gating.timeoutMs": 10_000,
    },
    env: { WINNOW_SHARE: "on" },
  });

  test("a call that may write is asked about in the chat, and runs when it is allowed", async () => {
    const { editor, workbench, script } = ui();
    await workbench.modelChosen("Scripted One");
    script.use(function* (request) {
      const [created] = results(request);
      if (created === undefined) {
        yield say("I will remember that.");
        yield call("create_entities", { entities });
      } else yield say(`Remembered: ${/sown in May/.exec(created.text)?.[0] ?? "nothing"}.`);
    });
    await workbench.ask("@winnow remember that the beans are sown in May");
    const { page } = editor;
    const button = (name: string) =>
      page.locator(".interactive-response").getByRole("button", { name, exact: true }).last();
    await button("Allow").waitFor();
    await editor.screenshot("participant/question");
    await button("Allow").click();
    await workbench.answered("Remembered: sown in May.");
    await editor.screenshot("participant/allowed");
  });

  test("always allow is written to the user's file, and not asked again", async () => {
    const { editor, workbench, script, workspace } = ui();
    const { page } = editor;
    const button = (name: string) =>
      page.locator(".interactive-response").getByRole("button", { name, exact: true }).last();
    script.use(function* (request) {
      if (results(request).length === 0)
        yield call("add_observations", { observations: [{ entityName: "bean", contents: ["likes sun"] }] });
      else yield say("Noted once.");
    });
    await workbench.ask("they like the sun");
    await page.locator(".interactive-response").getByText("likes sun").waitFor(); // the first question's buttons are there still
    await button("Always Allow").click();
    await workbench.answered("Noted once.");
    const file = path.join(workspace.folder, ".vscode", "winnow.json");
    await until("the file to allow it", async () =>
      /"alwaysAllow": \[\s*"add_observations"/.test(await readFile(file, "utf8")),
    );
    script.use(function* (request) {
      if (results(request).length === 0)
        yield call("add_observations", { observations: [{ entityName: "bean", contents: ["likes rain"] }] });
      else yield say("Noted twice.");
    });
    await workbench.ask("and the rain");
    await workbench.answered("Noted twice.");
  });

  test("the follow-up tells why, and /usage where the context goes", async () => {
    const { editor, workbench } = ui();
    await editor.page.getByText("Why these tools?").last().click();
    await workbench.answered("tells what its score is made of");
    await editor.screenshot("participant/why");
    await workbench.ask("/usage ");
    await workbench.answered("All of the tools cost");
    await editor.screenshot("participant/usage");
    await workbench.ask("/mode ");
    await workbench.answered("No mode is set");
    await editor.screenshot("participant/mode");
  });

  test("a tool is loaded by its name", async () => {
    const { editor, workbench } = ui();
    await workbench.ask("/load get-tiny-image");
    await until("the tool", async () => (await editor.page.getByText("get-tiny-image").count()) > 1);
    await editor.screenshot("participant/load");
  });

  test("the chat says that it waits for the answer about a claim, which takes no focus; Stop ends it, and so does Skip", async () => {
    const { editor, workbench, script } = ui();
    const { page } = editor;
    const waits = page
      .locator(".interactive-response")
      .getByText(/Waiting for your answer to a notification: .*drop_tasks/);
    script.use(() => [say("unique words after the claim")]);
    script.exchanges.length = 0;
    for (const end of ["Stop", "Skip"]) {
      await workbench.ask("@winnow claim drop_tasks");
      await waits.last().waitFor();
      const typing = "document.activeElement?.closest('.interactive-input-editor') != null";
      assert.ok(await page.evaluate(typing), "the chat has the focus still");
      await editor.screenshot(`participant/claim-${end.toLowerCase()}`);
      assert.equal(script.exchanges.length, 0, "the model is not asked meanwhile");
      if (end === "Stop") {
        const stop = page
          .locator(".part.auxiliarybar")
          .getByRole("button", { name: /^Cancel/ })
          .first();
        await stop.click();
        await stop.waitFor({ state: "hidden" });
      } else await workbench.notificationAction(/drop_tasks/, "Skip");
    }
    await workbench.answered("unique words after the claim");
    assert.equal(script.exchanges.length, 1);
  });

  test("a picture that a person pastes reaches the model, and is not kept", async () => {
    const { workbench, script } = ui();
    await workbench.clearInput();
    await workbench.pastePicture();
    script.use(() => [say("I see the picture.")]);
    await workbench.ask("@winnow what is on the picture");
    await workbench.answered("I see the picture.");
    const parts = () =>
      (script.exchanges.at(-1)?.request ?? assert.fail()).messages.flatMap((message) => message.parts);
    const [picture] = parts().filter((part) => part.kind === "data");
    assert.match(picture?.mimeType ?? "", /^image\//);
    assert.ok((picture?.base64.length ?? 0) > 50);
    script.use(() => [say("I saw it before.")]);
    await workbench.ask("are you sure");
    await workbench.answered("I saw it before.");
    assert.ok(
      parts().some((part) => part.kind === "text" && part.text === `[${picture?.mimeType} that was shown before]`),
    );
    assert.ok(!parts().some((part) => part.kind === "data"));
  });

  test("a routed model's call that may write is asked about in the chat, and whoever types in a file goes on typing", async () => {
    const { editor, workbench, script, workspace } = ui();
    const { page } = editor;
    const relations = [{ from: "bean", to: "sun", relationType: "likes" }];
    script.use(function* (request) {
      const [made] = results(request);
      if (made === undefined) yield call("mcp__memory__create_relations", { relations });
      else yield say(`unique routed answer: ${/likes/.exec(made.text)?.[0] ?? made.text}`);
    });
    await workbench.newChat();
    await workbench.chooseModel(routedName("Scripted One"));
    await workbench.clearInput();
    await workbench.command("Go to File...");
    await page.locator(".quick-input-widget input.input").fill("garden.md");
    await workbench.pick("garden.md"); // when it is found
    const file = await workbench.editorOf("garden.md");
    await workbench.ask("note the relation of the bean to the sun");
    await file.click();
    const question = workbench.question(/create relations/i);
    await question.getByText('"relationType": "likes"').first().waitFor();
    assert.equal(await workbench.dialog().count(), 0);
    await page.keyboard.type("\nstill typing");
    await page.keyboard.press("Enter");
    await page.keyboard.type("and on");
    await file.getByText("still typing").waitFor();
    await file.getByText("and on").waitFor();
    const ran = () => script.exchanges.filter(({ request }) => results(request).length > 0).length;
    const before = ran();
    await editor.screenshot("participant/asked-of-twin");
    // An Enter in the empty box of the chat is no yes, either.
    await page.locator(".interactive-input-editor").first().click();
    await page.keyboard.press("Enter");
    await question.getByText('"relationType": "likes"').first().waitFor();
    assert.equal(ran(), before);
    await workbench.allowed(/create relations/i);
    await workbench.answered("unique routed answer: likes");
    assert.doesNotMatch(
      await readFile(path.join(workspace.folder, ".vscode", "winnow.json"), "utf8"),
      /create_relations/,
    );
    await workbench.command("File: Revert File");
  });

  test("with a routed model picked, the tools are chosen once", async () => {
    const { editor, workbench, script } = ui();
    script.use(() => [say("unique answer by a twin")]);
    await workbench.chooseModel(routedName("Scripted One"));
    await workbench.newChat();
    await workbench.clearInput();
    await workbench.ask("@winnow list the directory of the notes");
    await workbench.answered("unique answer by a twin");
    await workbench.command("Winnow: Show Servers and Tools");
    await editor.page
      .locator(".part.sidebar")
      .getByRole("treeitem", { name: /^list the directory.*Scripted One \(Winnow\)/ })
      .waitFor();
    const focused = "document.activeElement?.closest('.part.sidebar .monaco-list') != null";
    await until("the focus to be in the view", () => editor.page.evaluate(focused));
    await editor.screenshot("participant/twin");
    // Were it routed again on its way, that would be a task of VS Code's, with tools of no server that is known.
    assert.equal(await workbench.treeRow("unknown server").count(), 0);
  });

  test("a second window of the folder uses the same processes, which go on when the first is closed", async () => {
    const { editor, script } = ui();
    const { profile } = editor;
    const pids = async (...parts: string[]) =>
      (await processesOf(profile.dir))
        .filter(({ command }) => parts.every((part) => command.includes(part)))
        .map(({ pid }) => pid);
    const first = await pids("server-everything");
    assert.equal(first.length, 1);
    const other = new Workbench(await editor.another());
    await other.loaded();
    await other.started();
    await other.openContainer("Winnow");
    await other.treeRow(/^everything\d+ tools/).waitFor();
    await other.treeRow(/^memory9 tools/).waitFor();
    // A memory is of a session: each window has its own.
    await until("a memory of each window", async () => (await pids("server-memory")).length === 2);
    assert.deepEqual(await pids("server-everything"), first);

    await editor.page.goto("about:blank");
    await until("the end of the first window", async () => (await pids("server-memory")).length === 1);
    script.use(function* (request) {
      const [echoed] = results(request);
      if (echoed === undefined) yield call("echo", { message: "parrot" });
      else yield say(`unique answer: ${echoed.text}`);
    });
    await other.modelChosen("Scripted One");
    await other.ask("@winnow echo parrot");
    await other.page
      .locator(".interactive-response")
      .getByRole("button", { name: "Allow", exact: true })
      .last()
      .click();
    await other.answered("unique answer: Echo: parrot");
    assert.deepEqual(await pids("server-everything"), first);
    await other.page.goto("about:blank");
    await until("the end of the second window", async () => (await pids("server-memory")).length === 0);
    assert.deepEqual(await pids("server-everything"), first); // for ten minutes more
    await promisify(execFile)(path.resolve("extension/bin/winnowd"), ["stop"], { env: profile.environment() });
  });
});
