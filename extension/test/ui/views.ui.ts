// What a person sees of Winnow: the views, the panel, the status bar and its
// menu, and what they can change there.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import type { Frame, Locator } from "playwright-core";
import { until } from "../host/processes";
import { type Workbench, themes } from "../host/workbench";
import type { Workspace } from "../host/workspace";
import { say } from "../scripted-model/script";
import { routedName } from "../../src/models/twins";
import { pictures, session } from "./session";

/** Few enough for the routed model to have a choice among the tools of three servers. */
const settings = { "winnow.threshold": 5, "winnow.initialK": 4, "winnow.searchK": 3 };

describe("views", () => {
  const ui = session({ settings, arrange });

  test("servers show their state, and what their tools cost", async () => {
    const { workbench } = ui();
    await workbench.openContainer("Winnow");
    await workbench.treeRow(/^files14 tools · [\d.]+k/).waitFor();
    await workbench.treeRow(/^broken.*no\/such\/program/).waitFor();
    await workbench.treeRow(/^thinkingwaits for your consent/).waitFor();
    await workbench.statusBarItem(/2 servers need attention/).waitFor();
    await workbench.openRow(workbench.treeRow(/^files/).first());
    await workbench.treeRow(/^read_text_file\d+/).waitFor();
    await pictures(ui(), "views/servers");
  });

  test("a checkbox writes the person's file, and says what the file says", async () => {
    const { workbench, workspace } = ui();
    const file = winnowFile(workspace);
    const row = workbench.treeRow(/^directory_tree/);
    await workbench.tick(row, false);
    const off = await until("the file to name the tool", async () =>
      wanted(await readFile(file, "utf8"), /disabledTools/),
    );
    assert.match(off, /"disabledTools": \["directory_tree"\]/);
    assert.match(off, /The servers of the team/, "a comment is lost");
    await workbench.treeRow(/^files13 of 14 ·/).waitFor();
    // Rows are drawn one after another.
    const says = ", off: switched off in its server's entry, ";
    await until("the row to say so", async () => (await row.getAttribute("aria-label"))?.includes(says));
    await pictures(ui(), "views/checkbox");
    await workbench.tick(row, true);
    await workbench.treeRow(/^files14 tools/).waitFor();
    assert.doesNotMatch(await readFile(file, "utf8"), /disabledTools/); // nothing is left behind
  });

  test("the filter finds tools of every server while it is typed", async () => {
    const { workbench } = ui();
    await workbench.viewAction("Servers", "Filter Servers and Tools…");
    await workbench.page.locator(".quick-input-widget input.input").fill("graph");
    await workbench.treeRow(/^read_graph/).waitFor();
    assert.equal(await workbench.treeRow(/^write_file/).count(), 0);
    await workbench.page.getByText("Only what matches “graph”").waitFor();
    await pictures(ui(), "views/filter");
    await workbench.page.locator(".quick-input-widget input.input").fill("no such thing");
    await workbench.page.getByText("No tool or server matches the filter.").waitFor();
    await workbench.page
      .locator(".part.sidebar")
      .getByRole("button", { name: "Clear the Filter", exact: true })
      .waitFor();
    await workbench.page.locator(".quick-input-widget input.input").fill("graph");
    await workbench.treeRow(/^read_graph/).waitFor();
    await workbench.page.keyboard.press("Enter");
    await workbench.viewAction("Servers", "Clear the Filter of Servers and Tools");
    await workbench.treeRow(/^files\d/).waitFor();
  });

  test("the servers of another client's file start when they are allowed", async () => {
    const { workbench } = ui();
    await workbench.fold("Tasks", false); // there are many rows
    await workbench.rowAction(workbench.treeRow(/^thinking/), "Allow Server to Start");
    await workbench.dialog().getByRole("button", { name: "Allow", exact: true }).click();
    await workbench.treeRow(/^thinking1 tool · [\d.]+k?/).waitFor();
    await workbench.fold("Tasks", true);
  });

  test("a task shows its tools in order, and the status bar what was saved", async () => {
    const { workbench, script } = ui();
    script.use(() => [say("unique answer one")]);
    await workbench.chooseModel(routedName("Scripted One"));
    await workbench.ask("remember the beans in the knowledge graph");
    await workbench.answered("unique answer one");
    await workbench.treeRow(/^remember the b….* of \d+/).waitFor();
    await workbench.treeRow(/^read_graph\d+$/).waitFor();
    await workbench.statusBarItem(/4 of \d+ tools, (?:saves|costs) (?:about )?[\d.]+k?/).waitFor();
    await pictures(ui(), "views/task");
  });

  test("the servers can be gone through by keyboard, and a tool switched off and on", async () => {
    const { workbench, workspace } = ui();
    const { page } = workbench;
    const { keyboard } = page;
    await workbench.command("Winnow: Show Servers and Tools");
    await page.getByRole("tree", { name: "Servers" }).and(page.locator(":focus")).waitFor();
    const row = page.locator(".part.sidebar .monaco-list:focus .monaco-list-row.focused");
    /** Waits until the row that has the focus is called so, after keys were pressed. */
    const at = (name: RegExp, ...keys: string[]) =>
      until(`the focus on ${String(name)}`, async () => {
        const before = await row.getAttribute("aria-label");
        if (before !== null && name.test(before)) return true;
        // The focus moves a moment after the key: the next one must not pass the row by.
        for (const key of keys) await keyboard.press(key);
        await row
          .and(page.locator(`:not([aria-label=${JSON.stringify(before)}])`))
          .waitFor({ timeout: 2000 })
          .catch(() => undefined);
        return name.test((await row.getAttribute("aria-label")) ?? "");
      });
    const expanded = (value: string) =>
      until(`aria-expanded to be ${value}`, async () => (await row.getAttribute("aria-expanded")) === value);
    await keyboard.press("Home");
    await at(/^broken, failed, there is no program/);
    await keyboard.press("Enter");
    const remedies = page.locator(".quick-input-list .monaco-list-row");
    await remedies.filter({ hasText: "Show its log" }).waitFor();
    await keyboard.press("Escape");
    await page.getByRole("tree", { name: "Servers" }).and(page.locator(":focus")).waitFor();
    await at(/^files, running, 14 tools, [\d.]+k? tokens$/, "ArrowDown");
    await keyboard.press("ArrowLeft");
    await expanded("false");
    await keyboard.press("ArrowRight");
    await expanded("true");
    await keyboard.press("Enter");
    await expanded("false");
    await keyboard.press("Enter");
    await expanded("true");
    await at(/^create_directory, on, \d+ tokens$/, "ArrowDown");
    for (const [file, label] of [
      [/"disabledTools": \["create_directory"\]/, /^create_directory, off: switched off in its server's entry/],
      [/^(?![\s\S]*disabledTools)/, /^create_directory, on/],
    ] as const) {
      await keyboard.press("Shift+F10");
      const entry = page.locator(".monaco-menu .action-item.focused").filter({ hasText: "Turn Tool On or Off" });
      await until("the focus on the menu's entry", async () => {
        if (await entry.isVisible()) return true;
        await keyboard.press("ArrowDown");
        return false;
      });
      await keyboard.press("Enter");
      await until("the file to say so", async () => file.test(await readFile(winnowFile(workspace), "utf8")));
      await at(label);
      // Of keys, too: Space takes it back, and does it again.
      await keyboard.press("Space");
      await until("the file to be as before", async () => !file.test(await readFile(winnowFile(workspace), "utf8")));
      await until("the row to say so", async () => !label.test((await row.getAttribute("aria-label")) ?? ""));
      await keyboard.press("Space");
      await until("the file to say so again", async () => file.test(await readFile(winnowFile(workspace), "utf8")));
      await at(label);
    }
    await keyboard.press("Enter"); // of a tool: what it is
    await page.locator(".monaco-hover").filter({ hasText: "the model knows it as create_directory" }).first().waitFor();
    await keyboard.press("Escape");
  });

  test("the panel can be gone through by keyboard", async () => {
    const { workbench } = ui();
    const panel = await openPanel(workbench);
    const { keyboard } = workbench.page;
    const focused = () => panel.evaluate<string>("document.hasFocus() && document.activeElement.textContent.trim()");
    await until("the panel to have the focus", focused);
    for (const name of [
      "MCP tools",
      "Winnow",
      "Turn by turn",
      "Left out day by day",
      "Reset",
      "Why these tools?",
      "Export as JSON",
    ]) {
      await keyboard.press("Tab");
      await until(`the focus on ${name}`, async () => (await focused()).startsWith(name));
    }
    for (let back = 0; back < 6; back++) await keyboard.press("Shift+Tab");
    for (const expanded of [true, false]) {
      await keyboard.press("Enter");
      await panel.getByRole("button", { name: "MCP tools", expanded }).waitFor();
    }
  });

  test("each control of the views has a name", async () => {
    const { workbench } = ui();
    const panel = await openPanel(workbench);
    const parts = [
      workbench.page.locator(".part.sidebar"),
      workbench.statusBarItem(/of \d+ tools/),
      panel.locator("body"),
    ];
    const lines = (await Promise.all(parts.map((part) => part.ariaSnapshot()))).join("\n").split("\n");
    const roles = "button|checkbox|columnheader|combobox|heading|img|link|region|rowheader|table|tree|treeitem";
    assert.deepEqual(
      lines.filter((line) => new RegExp(`^ *- '?(${roles})\\b(?! ")`).test(line)),
      [],
    );
    const text = lines.join("\n");
    for (const control of [
      /tree "Servers"/,
      /treeitem "files, running, .*" \[expanded\] \[level=1\]/,
      /checkbox "read_file, on" \[checked\]/,
      /treeitem "read_graph, \d+ tokens, ranked for the message, of server memory" \[level=2\]/,
      /button "Winnow: routed, 4 of \d+ tools, .*(?:saves|costs) .*Opens the menu\."/,
      /img "Sent by Winnow: .*MCP tools \d+/,
      /table "Where the context goes, in tokens"/,
    ]) {
      assert.match(text, control);
    }
  });

  test("the panel shows where the context goes, and its sums are exact", async () => {
    const { workbench } = ui();
    const panel = await openPanel(workbench);
    await panel
      .getByText(
        /^Attached 4 of \d+ tools, (?:about )?\d+% of the request less than VS Code by itself, [\d.]+k? tokens\.$/,
      )
      .waitFor();
    await panel.locator("button.twisty").first().press("Enter");
    const table = panel.locator("table").first();
    const rows = await numbers(table.locator("tbody tr.level0"));
    const [total = 0, free = 0, window = 0] = await numbers(table.locator("tfoot tr"));
    assert.equal(sum(rows), total);
    assert.equal(total + free, window);
    const servers = await numbers(table.locator("tbody tr.level1"));
    assert.ok(rows.includes(sum(servers)), `no section is ${sum(servers)}, the sum of its servers`);
    await pictures(ui(), "views/panel");
  });

  test("the panel's numbers can be saved, without a word of the person's", async () => {
    const { workbench } = ui();
    await workbench.page.getByRole("button", { name: "Export Context Usage as JSON…" }).click();
    // The dialog offers a name in the folder, once it has looked at the folder.
    const input = workbench.page.locator(".quick-input-widget input.input");
    const file = await until("a name for the file", async () =>
      wanted(await input.inputValue(), /\/notes\/winnow-context-.*\.json$/),
    );
    await workbench.page.keyboard.press("Enter");
    const text = await until("the file", () => readFile(file, "utf8").catch(() => undefined));
    const { usage } = JSON.parse(text) as { usage: { total: number; sections: { tokens: number }[] } };
    assert.equal(sum(usage.sections.map(({ tokens }) => tokens)), usage.total);
    assert.doesNotMatch(text, /beans/);
    // The file is opened, and takes the focus from a palette that comes too early.
    await workbench.page.locator(".editor-instance .monaco-editor.focused").waitFor();
    await workbench.command("View: Close All Editors");
  });

  test("the panel leads to what Winnow would have done with the chats that were kept", async () => {
    const { workbench } = ui();
    await openPanel(workbench);
    await workbench.page.getByRole("button", { name: "Replay Your History" }).click();
    const page = await workbench.webview("section > h1");
    await page.getByRole("heading", { name: "What Winnow would have done" }).waitFor();
    // VS Code has kept the chat of the task before this.
    await page.getByText(/^[1-9]\d* messages? in [1-9]/).waitFor();
    await page.getByRole("heading", { name: "What was read" }).waitFor();
    await pictures(ui(), "views/replay");
    await workbench.command("View: Close All Editors");
  });

  test("the page of a replay asks for itself and for nothing else, whatever the chats hold", async () => {
    const { workbench, workspace } = ui();
    const kept = path.join(workspace.dir, "kept.jsonl");
    const page = path.join(workspace.dir, "replay.html");
    const beacon = '<img src="http://127.0.0.1:9/seen">';
    const record = { sessionId: "s", cwd: "/w", timestamp: new Date().toISOString() };
    const call = { type: "tool_use", id: "t1", name: `mcp__home${beacon}__archive`, input: {} };
    const records = [
      { ...record, type: "user", uuid: "u1", message: { role: "user", content: `archive it ${beacon}` } },
      { ...record, type: "assistant", uuid: "a1", message: { id: "m1", content: [call] } },
    ];
    await writeFile(kept, records.map((r) => JSON.stringify(r)).join("\n"));
    const storage = path.join(workspace.dir, "replay");
    await promisify(execFile)(path.resolve("extension/bin/winnowd"), [
      ...["replay", "--file", `claude=${kept}`, "--html", page, "--workspace", workspace.folder, "--storage", storage],
      ...["--trust", "--no-grid"],
    ]);
    const context = await workbench.page.context().browser()?.newContext();
    assert.ok(context !== undefined);
    try {
      const opened = await context.newPage();
      const asked: string[] = [];
      opened.on("request", (request) => asked.push(request.url()));
      await opened.goto(pathToFileURL(page).href, { waitUntil: "networkidle" });
      await opened.getByRole("heading", { name: "What Winnow would have done" }).waitFor();
      await opened.getByText(`home${beacon}`).first().waitFor();
      assert.deepEqual(asked, [pathToFileURL(page).href]);
      // It is seen where a page does ask.
      await opened.setContent(beacon);
      await until("the picture to be asked for", () => Promise.resolve(asked.includes("http://127.0.0.1:9/seen")));
    } finally {
      await context.close();
    }
  });

  test("the panel has no serious fault of accessibility", async () => {
    const { workbench } = ui();
    const panel = await openPanel(workbench);
    for (const summary of await panel.locator("summary").all()) await summary.click();
    for (const theme of themes) {
      await workbench.theme(theme);
      assert.deepEqual(await faults(panel), [], theme);
    }
    await workbench.theme("light");
  });

  test("a person can ask why, search, pin, switch off, and get to the setting that decided", async () => {
    const { editor, workbench, workspace } = ui();
    const page = await openWhy(workbench);
    await page.getByRole("heading", { name: "Attached (4)" }).waitFor();
    await page.getByText(/^Attached: 4 of \d+ tools, [\d.]+k? tokens\.$/).waitFor();
    for (const [width, name] of [
      [280, "narrow"],
      [820, "wide"],
    ] as const) {
      await page.evaluate(`document.body.style.width = "${width - 24}px"`);
      assert.deepEqual(await page.evaluate("document.body.scrollWidth > document.body.clientWidth"), false, name);
      await pictures(ui(), `views/why-${name}`);
    }
    await page.evaluate('document.body.style.width = ""');
    assert.deepEqual(await faults(page), []);
    // By keyboard: the focus stays on the row whose button changed it, also in another group.
    const file = () => readFile(winnowFile(workspace), "utf8");
    const { keyboard } = workbench.page;
    const focused = (name: RegExp) =>
      until(`the focus on ${String(name)}`, async () =>
        name.test(await page.evaluate<string>("document.activeElement?.getAttribute('aria-label') ?? ''")),
      );
    await page.getByRole("searchbox", { name: "Search the tools" }).fill("read_graph");
    await page.getByRole("button", { name: "Pin read_graph of memory" }).first().focus();
    await keyboard.press("Enter");
    await focused(/^Unpin read_graph of memory/);
    assert.match(await file(), /"alwaysLoad": \["read_graph"\]/);
    await keyboard.press("Enter");
    await focused(/^Pin read_graph of memory/);
    await page.getByRole("button", { name: "Turn off read_graph of memory" }).first().press("Space");
    await page.getByRole("heading", { name: /^In the requests, and cannot be called any more/ }).waitFor();
    await focused(/^Turn on read_graph of memory/);
    assert.match(await file(), /"disabledTools": \["read_graph"\]/);
    await editor.screenshot("views/why-off");
    await keyboard.press("Enter");
    await focused(/^Turn off read_graph of memory/);
    assert.doesNotMatch(await file(), /disabledTools|alwaysLoad/);
    await page.getByRole("searchbox").fill("browser no such thing");
    await page.getByText("No tool matches the search.").waitFor();
    await page.getByRole("searchbox").fill("");
    // Of one that was left out, the way to the setting.
    const out = page.locator("section").filter({ has: page.getByRole("heading", { name: /^Left out/ }) });
    await out
      .getByRole("button", { name: /^Why not\?/ })
      .first()
      .click();
    await out.getByText(/^Not attached: /).waitFor();
    await pictures(ui(), "views/why-tool");
    await out.getByRole("button", { name: /^Open the setting winnow\./ }).click();
    await workbench.page.locator(".settings-editor").waitFor();
    await workbench.command("View: Close All Editors");
  });

  test("a message is tried, and nothing is sent", async () => {
    const { workbench, script } = ui();
    const page = await openWhy(workbench);
    const asked = script.exchanges.length;
    await page.getByRole("textbox", { name: /^Try a message/ }).fill("list the files of the folder");
    await workbench.page.keyboard.press("Enter");
    await page.getByText("Tried: no chat model and no server got it").waitFor();
    await page.getByText(/^Would be attached: 4 of \d+ tools/).waitFor();
    await page.locator("[data-key]").getByText("list_directory", { exact: true }).first().waitFor();
    // Whoever runs its server, a tool can be pinned and turned off.
    const rows = await page.locator("[data-key]").filter({ hasText: "list_directory" }).allInnerTexts();
    for (const server of ["files", "filesystem"]) {
      assert.ok(
        rows.some((row) => new RegExp(`^list_directory\\s+${server} [^]*Pin\\s+Turn off`).test(row)),
        rows.join("\n"),
      );
    }
    await pictures(ui(), "views/try");
    assert.equal(script.exchanges.length, asked);
    await page.getByRole("button", { name: "Back to the task" }).click();
    await page.getByText(/^Attached: 4 of/).waitFor();
    await workbench.command("View: Close All Editors");
  });

  test("what the requests went without is told by day and server", async () => {
    const { workbench } = ui();
    const panel = await openPanel(workbench);
    await panel.getByText("Left out day by day").click();
    const chart = panel.locator("details.left-out");
    await chart
      .getByText(/^[\d.]+k? tokens in [1-9]\d* requests?$/)
      .first()
      .waitFor();
    const [total = 0] = await numbers(chart.locator("tfoot tr"));
    assert.ok(total > 0);
    assert.equal(sum(await numbers(chart.locator("tbody tr"))), total);
    await pictures(ui(), "views/chart");
    await workbench.command("View: Close All Editors");
  });

  test("a tool is found by words, and loaded", async () => {
    const { workbench } = ui();
    await workbench.fold("Tasks", true);
    await workbench.command("View: Close All Editors");
    await workbench.rowAction(workbench.treeRow(/^remember the b/), "Load Tools into Task…");
    await workbench.page.locator(".quick-input-widget input.input").fill("echo a text");
    const found = quickInput(workbench)
      .getByRole("checkbox")
      .filter({ hasText: /echo/ })
      .or(workbench.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: /echo/ }));
    await found.first().waitFor();
    await pictures(ui(), "views/load");
    await found.first().click();
    await workbench.page.keyboard.press("Enter");
    await workbench.treeRow(/^echoloaded/).waitFor();
  });

  test("a mode is picked in the menu, and its servers are all that is left", async () => {
    const { workbench } = ui();
    await workbench.fold("Servers", true);
    await workbench.statusBarItem(/of \d+ tools/).click();
    await quickInput(workbench).getByText("Turn routing off").waitFor();
    await pictures(ui(), "views/menu");
    await workbench.pick("Pick mode…");
    await workbench.pick("Review");
    await workbench.statusBarItem(/· Review/).waitFor();
    await workbench
      .treeRow(/^thinking0 of 1 ·/)
      .first() // VS Code runs one of this file too
      .waitFor();
    await pictures(ui(), "views/mode");
    await workbench.choose("Winnow: Pick Mode", "No mode");
    await workbench
      .treeRow(/^thinking1 tool/)
      .first()
      .waitFor();
  });

  test("a server is blocked in a mode, in the person's file", async () => {
    const { workbench, workspace } = ui();
    await workbench.rowMenu(workbench.treeRow(/^memory/).first(), "Allow or Block Server in Mode…");
    await workbench.pick("Block in Everything");
    const text = await until("the file to block the server", async () =>
      wanted(await readFile(winnowFile(workspace), "utf8"), /blockedMcpServers/),
    );
    assert.match(text, /"blockedMcpServers": \["memory"\]/);
  });

  test("routing is turned off and on again, and leaves nothing in the settings", async () => {
    const { editor, workbench, script } = ui();
    const user = path.join(editor.profile.dir, "user", "User", "settings.json");
    const isOff = async () => (await readFile(user, "utf8")).includes('"winnow.enabled": false');
    await workbench.command("Winnow: Turn Routing On or Off");
    await workbench.statusBarItem("Winnow: off").waitFor();
    await until("the setting to be off", isOff);
    script.use(() => [say("unique answer two")]);
    await workbench.ask("and now everything");
    await workbench.answered("unique answer two");
    await pictures(ui(), "views/routing-off");
    await workbench.command("Winnow: Turn Routing On or Off");
    await until("the setting to be gone", async () => !(await isOff()));
  });

  test("shadow mode shows what would have been", async () => {
    const { workbench, script } = ui();
    await workbench.command("Winnow: Turn Shadow Mode On or Off");
    script.use(() => [say("unique answer three")]);
    await workbench.newChat();
    await workbench.ask("read a file of the garden");
    await workbench.answered("unique answer three");
    await workbench.statusBarItem(/would attach 4 of \d+ tools(?:, would save (?:about )?[\d.]+[k%]?)?/).waitFor();
    const panel = await openPanel(workbench);
    await panel.getByText(/^Shadow mode: nothing is changed/).waitFor();
    await panel.getByText("Winnow would send").waitFor();
    const tasks = workbench.page.locator(".part.sidebar .pane-header").filter({ hasText: "Tasks" });
    await tasks.getByText("shadow mode").waitFor();
    const row = workbench.treeRow(/^read a file of.*4 of \d+/).first();
    assert.match(
      (await row.getAttribute("aria-label")) ?? "",
      /, shadow mode, 4 of \d+ tools, .*(?:about )?[\d.]+k? tokens/,
    );
    await pictures(ui(), "views/shadow");
    await workbench.rowAction(row, "Why Is a Tool Attached, or Not?");
    const why = await workbench.webview("main.why");
    await why.getByRole("heading", { name: "Would be attached (4)" }).waitFor();
    await why
      .getByText(/have “file”/)
      .first()
      .waitFor();
    await pictures(ui(), "views/shadow-why");
    await workbench.command("View: Close All Editors");
    await workbench.command("Winnow: Turn Shadow Mode On or Off");
  });
});

/** Servers of Winnow's own, one that cannot start, one of another client's, and modes. */
async function arrange(workspace: Workspace): Promise<void> {
  const program = (name: string) =>
    path.resolve("node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  const server = (name: string, ...args: string[]) =>
    JSON.stringify({ command: "node", args: [program(name), ...args] });
  await writeFile(
    winnowFile(workspace),
    `{
  // The servers of the team.
  "servers": {
    "files": ${server("filesystem", workspace.folder)},
    "memory": ${server("memory")},
    "broken": { "command": "/no/such/program" }
  },
  "modes": {
    "review": { "name": "Review", "allowedMcpServers": ["files"] },
    "all": { "name": "Everything" }
  }
}
`,
  );
  await writeFile(
    path.join(workspace.folder, ".mcp.json"),
    `{ "mcpServers": { "thinking": ${server("sequential-thinking")} } }`,
  );
}

function winnowFile(workspace: Workspace): string {
  return path.join(workspace.folder, ".vscode", "winnow.json");
}

function quickInput(workbench: Workbench): Locator {
  return workbench.page.locator(".quick-input-widget");
}

async function openWhy(workbench: Workbench): Promise<Frame> {
  await workbench.command("Winnow: Why Is a Tool Attached, or Not?");
  return workbench.webview("main.why");
}

async function openPanel(workbench: Workbench): Promise<Frame> {
  await workbench.command("Winnow: Show Context Usage");
  return workbench.webview("main > header");
}

/** The second cell of each row, as a number. */
async function numbers(rows: Locator): Promise<number[]> {
  const cells = await rows.locator("td:nth-child(2)").allInnerTexts();
  return cells.map((cell) => Number(cell.replaceAll(",", "")));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}

/** The text, once it matches. */
function wanted(text: string, pattern: RegExp): string | undefined {
  return pattern.test(text) ? text : undefined;
}

/** The faults of accessibility that are serious or worse, by axe-core. */
async function faults(frame: Frame): Promise<string[]> {
  const source = await readFile(path.resolve("node_modules", "axe-core", "axe.min.js"), "utf8");
  await frame.evaluate(source);
  // The page lets the side bar through, which axe cannot see.
  await frame.evaluate('document.documentElement.style.background = "var(--vscode-sideBar-background)"');
  const found: unknown =
    await frame.evaluate(`axe.run(document, { resultTypes: ["violations"] }).then(({ violations }) =>
    violations.filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => id + ": " + nodes.map(({ html, failureSummary }) => html + " " + failureSummary).join("; ")))`);
  return found as string[];
}
