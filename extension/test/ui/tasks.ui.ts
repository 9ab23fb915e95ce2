// What a person has to know of a task, besides what was attached: what routing
// would have missed, and what the daemon warns of.
import assert from "node:assert/strict";
import { readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import type { Frame } from "playwright-core";
import type { Workspace } from "../host/workspace";
import { call, results, say } from "../scripted-model/script";
import { routedName } from "../../src/models/twins";
import { pictures, session } from "./session";

/** Few enough for the routed model to have a choice among the tools of three servers; VS Code's own tools leave no room for pinned ones. */
const settings = { "winnow.threshold": 5, "winnow.initialK": 4, "winnow.searchK": 3, "winnow.maxTools": 30 };

describe("tasks", () => {
  const ui = session({ settings, arrange });

  test("a whole server is always loaded in the person's file, and that is taken back", async () => {
    const { workbench, workspace } = ui();
    const file = fileOf(workspace);
    const before = await readFile(file, "utf8");
    await workbench.openContainer("Winnow");
    const row = workbench.treeRow(/^graph/).first();
    // Rows come above it while the list is made.
    await workbench.treeRow(/^memorynot started yet/).waitFor();
    await workbench.treeRow(/^graph9 tools/).waitFor();
    await workbench.rowMenu(row, "Always Load All Tools of Server");
    await workbench.treeRow(/^graph9 tools · .*always loaded/).waitFor();
    assert.match(await readFile(file, "utf8"), /"alwaysLoad": true/);
    await pictures(ui(), "tasks/always-load");
    await workbench.notificationAction(/graph: every task gets all 9 tools from the start/, "Undo");
    await workbench.treeRow(/^graph9 tools · [\d.]+k?$/).waitFor();
    assert.equal(await readFile(file, "utf8"), before);
    await workbench.rowMenu(row, "Always Load All Tools of Server");
    await workbench.treeRow(/^graph9 tools · .*always loaded/).waitFor();
    await workbench.rowMenu(row, "Do Not Always Load All Tools of Server");
    await workbench.treeRow(/^graph9 tools · [\d.]+k?$/).waitFor();
    assert.doesNotMatch(await readFile(file, "utf8"), /alwaysLoad/); // nothing is left behind
  });

  test("shadow mode names what routing would have missed, in every view", async () => {
    const { editor, workbench, script } = ui();
    await workbench.modelChosen("Scripted One");
    await workbench.chooseModel(routedName("Scripted One"));
    await workbench.command("Winnow: Turn Shadow Mode On or Off");
    script.use(function* (request) {
      if (results(request).length === 0) yield call("mcp_everything_re_echo", { message: "parrot" });
      else yield say("unique answer one");
    });
    await workbench.ask("read a file of the garden");
    await workbench.answered("unique answer one");
    // What it would save stands there only where it would save something.
    const status = /would attach \d of \d+ tools(?:, would save (?:about )?[\d.]+[k%]?)?, 1 missed/;
    await workbench.statusBarItem(status).waitFor();
    await workbench.treeRow(/^read a file of[^·]*1 missed/).waitFor();
    await workbench.treeRow(/^echomissed/).waitFor();
    const panel = await openPanel();
    await panel.getByText(/^Missed: echo of everything\. The model called it/).waitFor();
    assert.match(await workbench.statusBarTooltip(status), /Missed: echo of everything\\?\./);
    await editor.screenshot("tasks/missed-status");
    await pictures(ui(), "tasks/missed");
    await workbench.command("Winnow: Turn Shadow Mode On or Off");
  });

  test("what the daemon warns of a task stands in every view", async () => {
    const { editor, workbench, script } = ui();
    // VS Code's; its policy goes into our file.
    await workbench.rowMenu(workbench.treeRow(/^memory/), "Always Load All Tools of Server");
    await workbench.treeRow(/^memory\d+ tools · .*always loaded/).waitFor();
    script.use(() => [say("unique answer two")]);
    await workbench.newChat();
    await workbench.ask("remember the peas too");
    await workbench.answered("unique answer two");
    const warning = /\d+ pinned tools do not fit/;
    await workbench.treeRow(warning).first().waitFor();
    const panel = await openPanel();
    await panel.locator(".note").getByText(warning).waitFor();
    assert.match(await workbench.statusBarTooltip(/of \d+ tools|Winnow/), warning);
    await editor.screenshot("tasks/warning-status");
    await pictures(ui(), "tasks/warning");
  });

  test("switches of a server in VS Code's file write nothing into the folder, and several in a row are taken back at once", async () => {
    const { editor, workbench, workspace } = ui();
    const before = await filesOf(workspace.folder);
    const own = path.join(editor.profile.dir, "home", ".config", "winnow", "winnow.json");
    await workbench.viewAction("Servers", "Collapse All");
    await workbench.fold("Tasks", false); // it names the same tools
    await workbench.openRow(workbench.treeRow(/^memory/));
    const names = ["add_observations", "create_entities", "create_relations"];
    // The tick changes what a row says behind its name; rows of the folded view have no box.
    const boxes = workbench.page.locator(".part.sidebar .monaco-list-row:has(.monaco-checkbox)");
    for (const name of names) await workbench.tick(boxes.filter({ hasText: new RegExp(`^${name}`) }), false);
    await workbench.treeRow(/^memory6 of 9/).waitFor();
    for (const name of names) assert.match(await readFile(own, "utf8"), new RegExp(`"disabledTools":[^\\]]*"${name}"`));
    assert.deepEqual(await filesOf(workspace.folder), before);
    const undo = workbench.statusBarItem("Undo");
    await undo.getByLabel("3 switches changed. Undo").click();
    await workbench.treeRow(/^memory9 tools/).waitFor();
    await undo.waitFor({ state: "detached" });
    assert.doesNotMatch(await readFile(own, "utf8"), /disabledTools/);
    assert.deepEqual(await filesOf(workspace.folder), before);
    await workbench.command("Notifications: Show Notifications");
    const told = workbench.page.locator(".notifications-center .notification-list-item");
    assert.deepEqual(
      (await told.allInnerTexts()).filter((text) => /is off|switches/.test(text)),
      [],
    );
  });

  test("a server of the person's own file is switched off there, and the folder stays as it is", async () => {
    const { editor, workbench, workspace } = ui();
    const own = path.join(editor.profile.dir, "home", ".config", "winnow", "winnow.json");
    await writeFile(own, `// Mine.\n${JSON.stringify({ servers: { diary: memoryServer } }, undefined, 2)}\n`);
    await workbench.treeRow(/^diary9 tools/).waitFor();
    const [mine, before] = [await readFile(own, "utf8"), await filesOf(workspace.folder)];
    await workbench.tick(workbench.treeRow(/^diary/), false);
    await workbench.treeRow(/^diarydisabled/).waitFor();
    assert.match(await readFile(own, "utf8"), /^\/\/ Mine\.\n[^]*"diary": \{[^}]*"disabled": true/);
    assert.deepEqual(await filesOf(workspace.folder), before);
    await workbench.statusBarItem(/Undo/).click();
    await workbench.treeRow(/^diary9 tools/).waitFor();
    assert.equal(await readFile(own, "utf8"), mine);
    assert.deepEqual(await filesOf(workspace.folder), before);
  });

  async function openPanel(): Promise<Frame> {
    const { workbench } = ui();
    await workbench.command("Winnow: Show Context Usage");
    return workbench.webview("main > header");
  }
});

const memoryServer = {
  command: "node",
  args: [path.resolve("node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js")],
};

/** A server of Winnow's own, beside those that VS Code runs. */
async function arrange(workspace: Workspace): Promise<void> {
  const servers = { graph: { ...memoryServer, alwaysLoad: ["read_graph"] } };
  await writeFile(fileOf(workspace), `// The servers of the team.\n${JSON.stringify({ servers }, undefined, 2)}\n`);
}

/** All files in a folder, by name. */
async function filesOf(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => path.join(parentPath, name));
  return new Map(await Promise.all(files.map(async (file) => [file, await readFile(file, "utf8")] as const)));
}

function fileOf({ folder }: Workspace): string {
  return path.join(folder, ".vscode", "winnow.json");
}
