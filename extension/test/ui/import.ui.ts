// Servers move behind Winnow and back, as a person does it.
import assert from "node:assert/strict";
import { once } from "node:events";
import { spawn } from "node:child_process";
import { readFile, readdir, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { createInterface } from "node:readline";
import { describe, test } from "node:test";
import { until } from "../host/processes";
import { session } from "./session";

/** The names of the servers in a file; none when it is not there. */
async function names(file: string): Promise<string[]> {
  const text = await readFile(file, "utf8").catch(() => undefined);
  if (text === undefined) return [];
  return Object.keys((JSON.parse(text.replace(/^\s*\/\/.*$/gm, "")) as { servers: object }).servers);
}

describe("import", () => {
  const ui = session({
    notifications: true,
    settings: { "files.autoSave": "off" }, // VS Code in a browser saves by itself
    arrange: async ({ folder }) => {
      const file = path.join(folder, ".vscode", "mcp.json");
      const text = await readFile(file, "utf8");
      await writeFile(file, text.replace("{", "{\n  // The servers of the notes."));
    },
  });

  /** VS Code's file as it was. */
  let before = "";

  test("the diff is shown, two servers are moved, and a backup is kept", async () => {
    const { editor, workbench, workspace } = ui();
    const { page } = editor;
    const from = path.join(workspace.folder, ".vscode", "mcp.json");
    const to = path.join(workspace.folder, ".vscode", "winnow.json");
    before = await readFile(from, "utf8");
    await workbench.modelChosen("Scripted One");
    await workbench.openContainer("Winnow");
    await workbench.choose("Winnow: Import Servers…", "VS Code");
    const quickPick = page.locator(".quick-input-widget");
    await quickPick.getByText("everything", { exact: true }).click();
    await editor.screenshot("import/servers");
    await page.keyboard.press("Enter");
    const dialog = workbench.dialog().filter({ hasText: "Move 2 servers to .vscode/winnow.json?" });
    await dialog.waitFor();
    // Both files are shown first: what leaves the one, and comes into the other. Nothing is moved yet.
    const tab = page.getByRole("tab", { name: /Import 2 servers from VS Code/ });
    await tab.waitFor();
    const diff = page.locator(".multiDiffEditor");
    await diff.locator(".line-delete").first().waitFor();
    await diff.locator(".line-insert").first().waitFor();
    await editor.screenshot("import/diff");
    assert.equal(await readFile(from, "utf8"), before);
    assert.deepEqual(await names(to), []);
    await dialog.getByRole("button", { name: "Cancel" }).click();
    await tab.waitFor({ state: "detached" });
    assert.equal(await readFile(from, "utf8"), before);
    assert.deepEqual(await names(to), []);

    await workbench.choose("Winnow: Import Servers…", "VS Code");
    await quickPick.getByText("everything", { exact: true }).click();
    await page.keyboard.press("Enter");
    await dialog.getByRole("button", { name: "Move", exact: true }).click();
    await tab.waitFor({ state: "detached" });
    // The file that the servers leave is written last.
    await until("the move", async () => (await names(from)).length === 1);
    assert.deepEqual(await names(to), ["filesystem", "memory"]);
    assert.deepEqual(await names(from), ["everything"]);
    assert.match(await readFile(from, "utf8"), /\/\/ The servers of the notes/);
    const config = path.join(editor.profile.dir, "home", ".config", "winnow", "imports");
    assert.equal((await readdir(config)).length, 1);
    await workbench.notification("2 servers moved to Winnow").waitFor();
    await editor.screenshot("import/moved");
  });

  test("Winnow runs them", async () => {
    const { workbench } = ui();
    await workbench.treeRow("memory").waitFor();
  });

  test("it is undone by a command, and the file has its bytes again", async () => {
    const { editor, workbench, workspace } = ui();
    const from = path.join(workspace.folder, ".vscode", "mcp.json");
    const to = path.join(workspace.folder, ".vscode", "winnow.json");
    await workbench.command("Winnow: Undo Import");
    const dialog = workbench.dialog().filter({ hasText: "Put 2 servers back into .vscode/mcp.json?" });
    await dialog.waitFor();
    await editor.screenshot("import/undo");
    await dialog.getByRole("button", { name: "Undo", exact: true }).click();
    await until("the way back", async () => (await names(from)).length === 3);
    assert.equal(await readFile(from, "utf8"), before);
    await until("the file that the move had made to be gone", () =>
      readFile(to).then(
        () => false,
        () => true,
      ),
    );
    await editor.page.getByRole("tab", { name: "Undo Import" }).waitFor({ state: "detached" });
  });

  test("the message about the move, which stays on the screen, does not undo it once more", async () => {
    const { editor, workbench, workspace } = ui();
    const from = path.join(workspace.folder, ".vscode", "mcp.json");
    await workbench.notificationAction("2 servers moved to Winnow", "Undo");
    await workbench.command("Notifications: Show Notifications"); // it may have come while they were shown
    const told = editor.page.locator(".notifications-center .notification-list-item");
    await told.filter({ hasText: "had been put back before" }).waitFor();
    await editor.screenshot("import/undone-already");
    await workbench.command("Notifications: Hide Notifications");
    assert.equal(await readFile(from, "utf8"), before);
  });

  test("a server joins the rules that winnow.json has for it, and the setting goes back with it", async () => {
    const { editor, workbench, workspace } = ui();
    const { page } = editor;
    const from = path.join(workspace.folder, ".vscode", "mcp.json");
    const to = path.join(workspace.folder, ".vscode", "winnow.json");
    const settings = path.join(editor.profile.dir, "user", "User", "settings.json");
    const rules = '{\n  "servers": {\n    "memory": { "disabledTools": ["read_graph"] } // too long\n  }\n}\n';
    await writeFile(to, rules);
    // Not saved yet: the daemon reads the disk.
    await workbench.command("Go to File...");
    await page.locator(".quick-input-widget input.input").fill("mcp.json");
    await workbench.pick("mcp.json"); // when it is found
    await workbench.editorOf("mcp.json");
    await page.keyboard.press("Control+Home");
    await page.keyboard.type("// Typed.");
    await page.keyboard.press("Enter");
    await workbench.choose("Winnow: Import Servers…", "VS Code");
    const question = workbench.dialog().filter({ hasText: "Save .vscode/mcp.json first?" });
    await question.getByRole("button", { name: "Save", exact: true }).click();
    const quickPick = page.locator(".quick-input-widget");
    await quickPick.getByText("joins the rules for its tools in winnow.json").waitFor();
    for (const name of ["everything", "filesystem"]) await quickPick.getByText(name, { exact: true }).click();
    await editor.screenshot("import/merge");
    await page.keyboard.press("Enter");
    const dialog = workbench.dialog().filter({ hasText: "“memory” joins the rules for its tools" });
    await dialog.waitFor();
    await editor.screenshot("import/merge-diff");
    await dialog.getByRole("button", { name: "Move, and Offer Through the Gateway" }).click();
    await until("the move", async () => !(await names(from)).includes("memory"));
    assert.match(await readFile(from, "utf8"), /^\/\/ Typed\.$/m);
    assert.match(await readFile(to, "utf8"), /"disabledTools": \["read_graph"\],[\s\S]*"command"[\s\S]*\/\/ too long/);
    const routed = () =>
      readFile(settings, "utf8").then(
        (text) => text.includes("winnow.gateway.inVSCode"),
        () => false,
      );
    await until("the setting", routed);
    await workbench.treeRow(/^memory8 of 9 ·/).waitFor();
    await editor.screenshot("import/merged");

    await workbench.command("Winnow: Undo Import");
    await workbench.dialog().getByRole("button", { name: "Undo", exact: true }).click();
    await until("the way back", async () => (await readFile(to, "utf8")) === rules);
    assert.equal((await names(from)).length, 3);
    await until("the setting to be as it was", async () => !(await routed()));
    // What closes takes the focus, also from the palette.
    await page.getByRole("tab", { name: "Undo Import" }).waitFor({ state: "detached" });
    await workbench.command("View: Close All Editors");
    await writeFile(from, before);
    await rm(to);
  });

  test("the gateway's configuration is copied for another client, and joins this window's daemon", async () => {
    const { editor, workbench, workspace } = ui();
    const { page, profile } = editor;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    const cursor = page.locator(".quick-input-list").getByText("Cursor", { exact: true }).first();
    await workbench.opens("Winnow: Copy Gateway Configuration for Another Client…", cursor);
    await editor.screenshot("import/gateway-clients");
    await workbench.pick("Cursor"); // the first one: the client starts a process
    await workbench.notification(/Copied for Cursor.*launcher that each update of Winnow renews/).waitFor();
    await editor.screenshot("import/gateway");
    await workbench.notificationAction(/Copied for Cursor/, "Show What Was Copied");
    await page.locator(".editor-instance .view-lines").getByText('"mcpServers"').waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    const { mcpServers } = JSON.parse(copied) as { mcpServers: { winnow: { command: string; args: string[] } } };
    const { command, args } = mcpServers.winnow;
    const here = args.map((arg) => arg.replace("${workspaceFolder}", workspace.folder));
    const { answer, log } = await initialized(command, here, profile.environment());
    assert.equal(answer.result?.serverInfo?.name, "winnow", JSON.stringify(answer));
    assert.match(log, /joined the running daemon/);
  });

  test("whoever uninstalls Winnow has their servers back after VS Code's next start", async () => {
    const { editor, workbench, workspace } = ui();
    const { page } = editor;
    const from = path.join(workspace.folder, ".vscode", "mcp.json");
    const before = await readFile(from, "utf8");
    await workbench.modelChosen("Scripted One");
    await workbench.choose("Winnow: Import Servers…", "VS Code");
    await page
      .locator(".quick-input-widget")
      .getByText("They leave VS Code's file")
      .or(page.getByPlaceholder("They leave VS Code's file"))
      .first()
      .waitFor();
    await page.keyboard.press("Enter");
    await workbench
      .dialog()
      .filter({ hasText: "Move 3 servers to" })
      .getByRole("button", { name: "Move", exact: true })
      .click();
    await until("the move", async () => (await names(from)).length === 0);
    await workbench.notification(/3 servers moved.*and so does uninstalling Winnow/).waitFor();

    await workbench.openContainer("Extensions");
    await page.locator(".extensions-list").getByText("Winnow", { exact: true }).first().click();
    await page.locator(".extension-editor").getByRole("button", { name: "Uninstall" }).first().click();
    await editor.screenshot("import/uninstall");
    await page.locator(".extension-editor").getByText("Reload Window", { exact: true }).first().waitFor();
    await editor.restart();
    await workbench.loaded();
    await until("the servers to be back", async () => (await readFile(from, "utf8")) === before);
    // Winnow's own file, and what is kept of the move, go after that.
    const kept = path.join(editor.profile.dir, "home", ".config", "winnow", "imports");
    await until("nothing to be left behind", async () => {
      const left = await names(path.join(workspace.folder, ".vscode", "winnow.json"));
      return left.length === 0 && (await readdir(kept)).length === 0;
    });
  });
});

/** Starts an MCP server as a client does, and returns its answer to initialize, and all of its log. */
async function initialized(command: string, args: readonly string[], env: Record<string, string>) {
  const child = spawn(command, args, { env, stdio: "pipe" });
  let log = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (log += text));
  try {
    const params = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "a client", version: "1" } };
    child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params })}\n`);
    for await (const line of createInterface(child.stdout)) {
      // The log comes by a pipe of its own: it is whole when the server has ended.
      const ended = once(child, "close");
      child.stdin.end();
      await ended;
      return { answer: JSON.parse(line) as { result?: { serverInfo?: { name: string } } }, log };
    }
    throw new Error(`${command} ended without an answer\n${log}`);
  } finally {
    child.stdin.end();
    child.kill();
  }
}
