// Twelve servers with more than 500 tools, whose window is reloaded in the middle of a chat and which are imported then:
// the model is sent the same beginning as before, with what VS Code never saw of it, and the panel shows what it is sent.
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";
import { type TestContext, describe, test } from "node:test";
import { until } from "../host/processes";
import { twelveServers } from "../host/workspace";
import { call, results, say } from "../scripted-model/script";
import { routedName } from "../../src/models/twins";
import { openPanel, panelIsOfWhatWasSent } from "./panel";
import { type Session, pictures, session } from "./session";

const settings = { "winnow.initialK": 20, "winnow.searchK": 3 };

/** A tool that asks nobody, and that the first message does not call for. */
const echo = "mcp_everything_re_echo";

describe("reload", () => {
  const ui = session({ settings, arrange: twelveServers });

  test("after a reload the model is sent the same tools and messages, byte for byte, and then what is new", async (t) => {
    const { editor, workbench, script } = ui();
    script.use(function* (request) {
      const [loaded, ran] = results(request);
      if (loaded === undefined) {
        yield say("I need another tool. ");
        yield call("mcp_load", { names: [echo] });
      } else if (ran === undefined) {
        yield say("Found it. ");
        yield call(echo, { message: "parrot" });
      } else yield say("unique first reply");
    });
    await workbench.modelChosen("Scripted One");
    await workbench.chooseModel(routedName("Scripted One"));
    await workbench.ask("remember the beans in the knowledge graph");
    await workbench.answered("unique first reply");
    const before = script.exchanges.at(-1)?.request;
    assert.ok(before !== undefined);
    assert.ok(before.tools.some(({ name }) => name === echo));
    const hidden = before.messages.flatMap(({ parts }) => parts).filter((part) => part.kind === "call");
    assert.deepEqual(
      hidden.map(({ name }) => name),
      ["mcp_load", echo],
    );
    await panelIsOfWhatWasSent(t, ui());
    await saysWhatItSaves(t, ui());
    await pictures(ui(), "reload/twelve");

    await until("VS Code to write the chat down", () => written(editor.profile.dir, "unique first reply"));
    await workbench.reload();
    await workbench.modelChosen(routedName("Scripted One"));
    // Nothing was sent yet: the task of the chat is there, with its tools, and said to be the last chat's.
    await workbench.openContainer("Winnow");
    const row = workbench.treeRow(/^remember the.*/);
    await row.first().waitFor();
    await until("the tools of the task", async () => (await workbench.treeRow(/^echo/).count()) > 0);
    assert.match((await row.first().textContent()) ?? "", /last chat/);
    await pictures(ui(), "reload/task");
    script.use(() => [say("unique second reply")]);
    await workbench.ask("and the peas");
    await workbench.answered("unique second reply");
    const after = script.exchanges.at(-1)?.request;
    assert.ok(after !== undefined);
    // VS Code may still be starting servers: what it offers again is there in the same order, to the byte, and the
    // tool that only mcp_load brought among it.
    const names = (tools: { name: string }[]) => new Set(tools.map(({ name }) => name));
    const [offered, known] = [names(after.tools), names(before.tools)];
    assert.ok(offered.has(echo));
    assert.deepEqual(
      after.tools.filter(({ name }) => known.has(name)),
      before.tools.filter(({ name }) => offered.has(name)),
    );
    // The system prompt is VS Code's own, which may not have found its skills again by now.
    assert.deepEqual(
      after.messages.slice(1, before.messages.length).map((message) => JSON.stringify(message)),
      before.messages.slice(1).map((message) => JSON.stringify(message)),
    );
    await workbench.treeRow(/^remember the.* turn 2/).waitFor();
    assert.ok(after.messages.length > before.messages.length);
    await panelIsOfWhatWasSent(t, ui());
    // VS Code numbers the servers that run one program in the order in which they start: their tools are no new ones.
    const file = path.join(ui().workspace.folder, ".vscode", "mcp.json");
    const { servers } = JSON.parse(await readFile(file, "utf8")) as { servers: Record<string, unknown> };
    for (const name of Object.keys(servers)) await workbench.treeRow(new RegExp(`^${name}\\d+ tools`)).waitFor();
    assert.equal(await workbench.treeRow(/to review/).count(), 0);
  });

  test("after an import of all of them the panel shows what the model is sent", async (t) => {
    const { editor, workbench, script } = ui();
    const chosen = editor.page.locator(".quick-input-widget").getByText("orchard", { exact: true });
    const move = workbench.dialog().getByRole("button", { name: "Move", exact: true });
    // A panel that is drawn again takes the focus of a list that has just opened, which closes it.
    await until("the question whether to move them", async () => {
      await workbench.choose("Winnow: Import Servers…", "VS Code");
      await chosen.waitFor();
      await editor.page.keyboard.press("Enter");
      return move.waitFor({ timeout: 10_000 }).then(
        () => true,
        () => false,
      );
    });
    await move.click();
    for (const [name, count] of [
      ["quarry", 52],
      ["memory", 9],
    ]) {
      await workbench.treeRow(new RegExp(`^${name}${count} tools`)).waitFor();
    }
    script.use(() => [say("unique third reply")]);
    await workbench.newChat();
    await workbench.ask("write the peas into the knowledge graph");
    await workbench.answered("unique third reply");
    const sent = script.exchanges.at(-1)?.request.tools ?? [];
    assert.ok(
      sent.some(({ name }) => name.endsWith("create_entities")),
      sent.map(({ name }) => name).join(" "),
    );
    await panelIsOfWhatWasSent(t, ui());
    await saysWhatItSaves(t, ui());
    await pictures(ui(), "reload/imported");
  });
});

/** Checks that the panel says what is saved of what VS Code would send by itself, or why nothing is, and what to do. */
async function saysWhatItSaves(t: TestContext, session: Session): Promise<void> {
  const panel = await openPanel(session);
  const said = await panel.locator("header").first().innerText();
  const bars = await panel.locator(".bar-label").allInnerTexts();
  t.diagnostic([said, ...bars].join(" | ").replaceAll("\n", " "));
  assert.match(said, /less than VS Code by itself|Nothing is saved here: [^]*Change it/);
}

/** Whether a file of a chat holds a text. */
async function written(profile: string, text: string): Promise<boolean> {
  const storage = path.join(profile, "user", "User", "workspaceStorage");
  const files = await readdir(storage, { recursive: true });
  const chats = files.filter((file) => file.includes("chatSessions") && file.endsWith(".jsonl"));
  const texts = await Promise.all(chats.map((file) => readFile(path.join(storage, file), "utf8")));
  return texts.some((each) => each.includes(text));
}
