// What a person does with servers, tools and tasks: each action of the rows and
// their menus, and what becomes of the file.
import assert from "node:assert/strict";
import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { processesOf, until } from "../host/processes";
import type { Workspace } from "../host/workspace";
import { say } from "../scripted-model/script";
import { pictures, session } from "./session";

/** Few enough for @winnow to have a choice among the tools of two servers. */
const settings = { "winnow.threshold": 5, "winnow.initialK": 4 };

/** Where the servers and the modes are. The cheaper server comes first by name. */
const text = (folder: string) => `{
  // The servers of the team.
  "servers": {
    "alpha": ${server("memory")},
    "broken": { "command": "sh", "args": ["-c", "echo no database >&2; exit 1"] },
    "zeta": ${server("filesystem", folder)}
  },
  "modes": {
    "review": { "name": "Review", "blockedMcpServers": ["alpha"] }
  }
}
`;

function server(name: string, ...args: string[]): string {
  const program = path.resolve("node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  return JSON.stringify({ command: "node", args: [program, ...args] });
}

describe("servers", () => {
  const ui = session({ settings, arrange });

  /** The person's file, once it says something. */
  const written = (pattern: RegExp) =>
    until(`the file to say ${String(pattern)}`, async () => {
      const now = await readFile(fileOf(ui().workspace), "utf8");
      return pattern.test(now) ? now : undefined;
    });

  /** The row of a server or a tool. */
  const row = (pattern: RegExp) => ui().workbench.treeRow(pattern).first();

  /** The process of alpha, if it runs. */
  const alpha = async () =>
    (await processesOf(ui().editor.profile.dir)).find(({ command }) => command.includes("server-memory"))?.pid;

  test("a newcomer meets two views: the servers, and the tasks", async () => {
    const { workbench } = ui();
    await workbench.openContainer("Winnow");
    await row(/^zeta14 tools/).waitFor();
    const headers = workbench.page.locator(".part.sidebar .pane-header .title");
    assert.deepEqual(await headers.allInnerTexts(), ["Servers", "Tasks"]);
  });

  test("servers and their tools are sorted by what they cost, or by name", async () => {
    const { workbench } = ui();
    const order = async (...names: string[]) => {
      const pattern = new RegExp(`^(${names.join("|")})(?=\\d|no |fail|exit)`);
      return until(`the order ${names.join()}`, async () => {
        const rows = await workbench.treeRow(pattern).allInnerTexts();
        const found = rows.map((text) => pattern.exec(text)?.[1]);
        return found.join() === names.join();
      });
    };
    await workbench.openRow(row(/^zeta/));
    // What waits for the person comes first in any order.
    await order("alpha", "zeta", "create_directory", "directory_tree");
    await workbench.viewAction("Servers", "Sort Servers and Tools by Cost");
    await order("zeta", "read_text_file", "create_directory", "alpha");
    await workbench.viewAction("Servers", "Sort Servers and Tools by Name");
    await order("alpha", "zeta", "create_directory", "directory_tree");
    assert.match(
      await workbench
        .treeRow(/^(alpha|broken|zeta)/)
        .first()
        .innerText(),
      /^broken/,
    );
  });

  test("a server is restarted by the button in its row", async () => {
    const { workbench } = ui();
    const before = await alpha();
    assert.ok(before !== undefined);
    const another = async () => ![undefined, before].includes(await alpha());
    await until("the button to restart it", async () => {
      // A row that is drawn again may swallow the click.
      await workbench.rowAction(row(/^alpha/), "Restart Server");
      return until("another process", another, 10_000).catch(() => false);
    });
    await row(/^alpha9 tools/).waitFor();
  });

  test("its log shows what it wrote", async () => {
    const { workbench } = ui();
    await workbench.rowAction(row(/^broken/), "Show Server Log");
    const editor = await workbench.editorOf("broken.log");
    await editor.getByText("no database").first().waitFor();
    await pictures(ui(), "servers/log");
    await workbench.command("View: Close All Editors");
  });

  test("it is stopped from its menu, and started again", async () => {
    const { workbench } = ui();
    await workbench.rowMenu(row(/^alpha/), "Stop Server");
    await row(/^alpha.*stopped/).waitFor();
    await until("the end of the process", async () => (await alpha()) === undefined);
    await workbench.rowMenu(row(/^alpha/), "Restart Server");
    await row(/^alpha9 tools · \d/).waitFor();
  });

  test("its definition is opened at its line", async () => {
    const { workbench } = ui();
    await workbench.rowMenu(row(/^zeta/), "Open Server Definition");
    await workbench.editorOf("winnow.json");
    await workbench.statusBarItem(/^Ln 6, Col/).waitFor();
    await workbench.command("View: Close All Editors");
  });

  test("its checkbox disables it in the person's file and ends it, its menu enables it again", async () => {
    const { workbench } = ui();
    const checkbox = () => row(/^alpha/).locator(".monaco-checkbox");
    await workbench.tick(row(/^alpha/), false);
    assert.match(await written(/"disabled"/), /\/\/ The servers of the team[\s\S]*"alpha": \{[^}]*"disabled": true/);
    await row(/^alpha.*disabled/).waitFor();
    await until("the end of the process", async () => (await alpha()) === undefined);
    await until("the box to be empty", async () => (await checkbox().getAttribute("aria-checked")) === "false");
    await workbench.rowMenu(row(/^alpha/), "Turn Server On or Off"); // which the keyboard reaches too
    await written(/^(?![\s\S]*disabled)/); // nothing is left behind
    await row(/^alpha9 tools/).waitFor();
    await until("the box to be ticked", async () => (await checkbox().getAttribute("aria-checked")) === "true");
  });

  test("a tool is always loaded, and no longer", async () => {
    const { workbench } = ui();
    await workbench.rowMenu(row(/^read_text_file/), "Always Load Tool");
    assert.match(await written(/alwaysLoad/), /"alwaysLoad": \[\s*"read_text_file"\s*\]/);
    await row(/^read_text_file.*always loaded/).waitFor();
    await workbench.rowMenu(row(/^read_text_file/), "Do Not Always Load Tool");
    await written(/^(?![\s\S]*alwaysLoad)/);
    await row(/^read_text_file\d+ · read-only$/).waitFor();
  });

  test("a tool is described in the person's words, and again in its server's", async () => {
    const { workbench } = ui();
    await workbench.rowMenu(row(/^read_text_file/), "Override Tool Description…");
    const box = workbench.page.locator(".quick-input-widget");
    await box.getByText("What models read about read_text_file of zeta").waitFor();
    await pictures(ui(), "servers/describe");
    await workbench.answer("Reads one note.");
    await written(/"read_text_file": (\{[^}]*)?"Reads one note\."/);
    await row(/^read_text_file.*own description/).waitFor();
    await workbench.rowMenu(row(/^read_text_file/), "Use the Server's Own Tool Description");
    await row(/^read_text_file\d+ · read-only$/).waitFor();
    assert.doesNotMatch(await readFile(fileOf(ui().workspace), "utf8"), /Reads one note/);
  });

  test("a tool's name is copied", async () => {
    const { workbench, editor } = ui();
    await editor.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await workbench.rowMenu(row(/^read_text_file/), "Copy Tool Name");
    const copied = await until("the clipboard", async () => {
      const text = await editor.page.evaluate<string>("navigator.clipboard.readText()");
      return text === "" ? undefined : text;
    });
    assert.equal(copied, "read_text_file");
  });

  test("a tool is turned off by its box, its server shows so, and taken back leaves nothing behind", async () => {
    const { editor, workbench } = ui();
    const box = row(/^directory_tree/).locator(".monaco-checkbox");
    // A click on a row that is drawn again at that moment is lost.
    const tick = (on: boolean) =>
      until("the server's row to say so", async () => {
        await until("the box to be as before", async () => (await box.getAttribute("aria-checked")) === String(!on));
        await workbench.tick(row(/^directory_tree/), on);
        const shown = row(on ? /^zeta14 tools/ : /^zeta13 of 14 ·/).waitFor({ timeout: 5000 });
        return shown.then(
          () => true,
          () => false,
        );
      });
    await tick(false);
    assert.match(await written(/disabledTools/), /"disabledTools": \[\s*"directory_tree"\s*\]/);
    await row(/^zeta13 of 14 ·/).waitFor();
    await row(/^zeta/).locator(".codicon-color-mode").waitFor();
    await editor.screenshot("servers/partly-on");
    await workbench.statusBarItem(/Undo/).click(); // no message for a switch: its row shows it
    await written(/^(?![\s\S]*disabledTools)/);
    await row(/^zeta14 tools/).waitFor();
    await tick(false);
    await row(/^zeta13 of 14 ·/).waitFor();
    await tick(true);
    await written(/^(?![\s\S]*disabledTools)/);
    await row(/^zeta14 tools/).waitFor();
    await tick(false);
    await row(/^zeta13 of 14 ·/).waitFor();
  });

  test("why leads to the entry of the mode or the server that kept a tool out", async () => {
    const { workbench, script } = ui();
    await workbench.modelChosen("Scripted One");
    await workbench.choose("Winnow: Pick Mode", "Review");
    script.use(() => [say("unique answer one")]);
    await workbench.ask("@winnow read the notes of the garden");
    await workbench.answered("unique answer one");
    for (const [tool, key, owner, says] of [
      ["read_graph", "blockedMcpServers", "mode review", "Mode “review” leaves its server out."],
      ["directory_tree", "disabledTools", "server zeta", "Switched off in its server's entry."],
    ] as const) {
      await workbench.command("Winnow: Why Is a Tool Attached, or Not?");
      const page = await workbench.webview("main.why");
      await page.getByRole("searchbox").fill(tool);
      const shown = page.locator("[data-key]").filter({ hasText: tool }).first();
      await shown.getByText(says).waitFor();
      await shown.getByRole("button", { name: /^Why not\?/ }).click();
      await pictures(ui(), `servers/why-${key}`);
      await shown.getByRole("button", { name: `Open ${key} of ${owner}` }).click();
      await workbench.editorOf("winnow.json");
      const lines = (await readFile(fileOf(ui().workspace), "utf8")).split("\n");
      const line = lines.findIndex((text) => text.includes(`"${key}"`)) + 1;
      await workbench.statusBarItem(new RegExp(`^Ln ${line}, Col`)).waitFor();
      await workbench.command("View: Close All Editors");
    }
  });

  test("a server is allowed in a mode from its menu", async () => {
    const { workbench } = ui();
    await workbench.rowMenu(row(/^alpha/), "Allow or Block Server in Mode…");
    await workbench.pick("Allow in Review");
    await written(/^(?![\s\S]*blockedMcpServers)/); // nothing is left behind
    await row(/^alpha9 tools/).waitFor();
    await workbench.choose("Winnow: Pick Mode", "No mode");
  });

  test("tools are loaded into a task from its row", async () => {
    const { workbench } = ui();
    const box = workbench.page.locator(".quick-input-widget");
    await box.waitFor({ state: "hidden" }); // what closes takes the focus from what opens
    await workbench.rowAction(row(/^read the notes/), "Load Tools into Task…");
    await box.locator("input.input").fill("move a file");
    await box.locator(".monaco-list-row").filter({ hasText: "move_file" }).first().click();
    await pictures(ui(), "servers/load");
    await workbench.page.keyboard.press("Enter");
    await row(/^move_fileloaded/).waitFor();
  });

  test("the record of calls is filtered by typing, and an entry opens as it is kept", async () => {
    const { workbench } = ui();
    const { page } = workbench;
    await workbench.viewAction("Servers", "Show Record of Calls…");
    const box = page.locator(".quick-input-widget");
    await box.getByText("Record of Calls").waitFor();
    await box.locator(".monaco-list-row").filter({ hasText: "alpha" }).first().waitFor();
    await box.locator("input.input").fill("zeta");
    await box.locator(".monaco-list-row").filter({ hasText: "alpha" }).first().waitFor({ state: "detached" });
    await pictures(ui(), "servers/record");
    await page.keyboard.press("Enter");
    const document = await workbench.editorOf("call.json");
    await document.getByText('"server": "zeta"').waitFor();
    await workbench.command("View: Close All Editors");
  });

  test("a task is closed by the Delete key, and the view says what to do", async () => {
    const { workbench } = ui();
    const task = row(/^read the notes/);
    // A row that is drawn again takes no key.
    await until("the task to be gone", async () => {
      if ((await task.count()) === 0) return true;
      await task.click({ timeout: 3000 });
      await workbench.page.keyboard.press("Delete"); // no question: the chat goes on, with a new task
      return task.waitFor({ state: "detached", timeout: 3000 }).then(
        () => true,
        () => false,
      );
    });
    await workbench.page.getByText("No task yet. A task begins").waitFor();
    await pictures(ui(), "servers/no-task");
  });

  test("with routing off the status bar says so, warns of a server that waits, and its menu turns routing on", async () => {
    const { editor, workbench, workspace } = ui();
    const user = path.join(editor.profile.dir, "user", "User", "settings.json");
    const isOff = async () => (await readFile(user, "utf8")).includes('"winnow.enabled": false');
    await workbench.command("Winnow: Turn Routing On or Off");
    await until("the setting to be off", isOff);
    const item = workbench.statusBarItem(/Winnow: off/);
    await item.waitFor();
    await workbench.hovered(item, /broken/);
    await pictures(ui(), "servers/routing-off-warning");
    await item.click();
    await workbench.page
      .locator(".quick-input-widget")
      .getByText(/Turn routing on/)
      .waitFor();
    await pictures(ui(), "servers/routing-off-menu");
    await workbench.pick("Turn routing on");
    await until("the setting to be gone", async () => !(await isOff()));

    await workbench.command("Winnow: Turn Routing On or Off");
    await until("the setting to be off", isOff);
    const file = fileOf(workspace);
    await writeFile(file, (await readFile(file, "utf8")).replace(/^ +"broken".*\n/m, ""));
    await until("the warning to go", async () => !(await workbench.statusBarTooltip(/Winnow: off/)).includes("broken"));
    await workbench.command("Winnow: Turn Routing On or Off");
    await until("the setting to be gone", async () => !(await isOff()));
  });

  test("Get Started opens the walkthrough", async () => {
    const { workbench } = ui();
    await workbench.command("Winnow: Get Started");
    const page = workbench.page.locator(".gettingStartedContainer");
    await page.getByText("Get Started with Winnow").first().waitFor();
    await page.getByText("Use Winnow with your model").first().waitFor();
    await page.getByRole("button", { name: "Show Servers and Tools" }).first().waitFor();
    // Its picture is there where there is room for it.
    for (const bar of ["Control+B", "Control+Alt+B"]) await workbench.page.keyboard.press(bar);
    const picture = page.frameLocator("iframe").frameLocator("iframe").locator("svg");
    await picture.or(page.locator("img[src*='walkthrough/servers.svg']")).first().waitFor();
    await pictures(ui(), "servers/get-started");
  });
});

/** Servers of Winnow's own only, one of which fails. */
async function arrange(workspace: Workspace): Promise<void> {
  await rm(path.join(workspace.folder, ".vscode", "mcp.json"));
  await writeFile(fileOf(workspace), text(workspace.folder));
}

function fileOf({ folder }: Workspace): string {
  return path.join(folder, ".vscode", "winnow.json");
}
