// What a person reads when something is wrong. A picture of each lies in
// out/screens/faults.
import assert from "node:assert/strict";
import { chmod, open, readFile, readdir, symlink, writeFile } from "node:fs/promises";
import path from "node:path";
import { before, describe, test } from "node:test";
import { pictures, session } from "./session";

/** ELF's name of 64-bit ARM, in the two bytes at 18 that say what machine a program is for. */
const arm64 = { offset: 18, value: Buffer.from([0xb7, 0]) };

/** A daemon that speaks another version of the protocol: it refuses initialize as winnowd does. */
const otherVersion = `#!/usr/bin/env node
const text = JSON.stringify({ jsonrpc: "2.0", id: 0, error: {
  code: 1000, message: "this winnowd speaks version 7 of the protocol, the client 1", data: { kind: "protocolVersion" } } });
process.stdin.once("data", () => process.stdout.write("Content-Length: " + Buffer.byteLength(text) + "\\r\\n\\r\\n" + text));
`;

/** A daemon that crashes until it finds a winnowd beside itself. */
const crashing = `#!/bin/sh
test -x "$(dirname "$0")/winnowd" && exec "$(dirname "$0")/winnowd" "$@"
echo out of luck >&2
exit 3
`;

describe("faults", () => {
  const ui = session({ notifications: true });
  let dir: string;

  before(() => (dir = ui().workspace.dir));

  /** Waits until the view Servers shows what a running daemon said. */
  async function running(): Promise<void> {
    await ui().workbench.command("Winnow: Show Servers and Tools");
    await ui()
      .workbench.treeRow(/^filesystemnot started yet/)
      .waitFor();
  }

  /** Names a daemon in the setting, which starts it. What was told before is cleared away. */
  async function restartWith(file: string): Promise<void> {
    await ui().workbench.command("Notifications: Clear All Notifications");
    await ui().workbench.setting("winnow.daemon.path", file);
  }

  /** Waits for a notification with a text and a button, and takes its picture. */
  async function told(text: RegExp, button: string, picture: string): Promise<void> {
    const { editor, workbench } = ui();
    const notification = workbench.notification(text);
    await notification.getByRole("button", { name: button }).waitFor();
    await editor.screenshot(`faults/${picture}`);
  }

  /** Writes a program into the workspace's folder and returns its path. */
  async function program(name: string, text: string | Buffer): Promise<string> {
    const file = path.join(dir, name);
    await writeFile(file, text);
    await chmod(file, 0o755);
    return file;
  }

  test("no daemon where the setting names one", async () => {
    await running();
    await restartWith("/nowhere/winnowd");
    await told(/winnow\.daemon\.path names \/nowhere\/winnowd, which is not a file/, "Open Setting", "no-daemon");
  });

  test("a daemon for another machine", async () => {
    const file = await program("winnowd-arm64", await readFile(process.execPath));
    const handle = await open(file, "r+");
    await handle.write(arm64.value, 0, 2, arm64.offset);
    await handle.close();
    await restartWith(file);
    await told(/is not a program for this machine \(linux-x64\)/, "Open Setting", "wrong-machine");
  });

  test("a daemon of another version", async () => {
    await restartWith(await program("winnowd-other", otherVersion));
    await told(/of another version than this extension/, "Open Setting", "other-version");
  });

  test("a daemon that crashes again and again is given up, and the log tells why", async () => {
    const { editor, workbench } = ui();
    await restartWith(await program("winnowd-crashing", crashing));
    await told(/times in three minutes\. Look at the log/, "Restart", "crash-loop");
    await workbench
      .notification(/times in three minutes/)
      .getByRole("button", { name: "Show Log" })
      .click();
    await editor.page.locator(".part.panel").getByText("out of luck").first().waitFor();
    await editor.screenshot("faults/crash-log");
    await workbench.command("View: Hide Panel");
  });

  test("the status bar says that nothing runs, and its menu why", async () => {
    const { editor, workbench } = ui();
    await workbench.command("Notifications: Clear All Notifications");
    const item = workbench.statusBarItem("Winnow does not run");
    assert.match(await workbench.statusBarTooltip("Winnow does not run"), /times in three minutes/);
    await item.click();
    const restart = editor.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Restart Winnow" });
    await restart.getByText(/times in three minutes/).waitFor();
    await pictures(ui(), "faults/stopped-menu");
    await editor.page.keyboard.press("Escape");
  });

  test("the empty view says that nothing runs, and restarts it", async () => {
    const { editor, workbench } = ui();
    await workbench.command("Winnow: Show Servers and Tools");
    const view = editor.page.locator(".part.sidebar");
    await view.getByText("Winnow does not run. Its log tells why.").waitFor();
    await view.getByText("Winnow does not run. The view Servers").waitFor(); // in Tasks
    await view.getByRole("button", { name: "Show Log" }).waitFor();
    await view.getByRole("button", { name: "Open Setting" }).waitFor(); // which names the daemon
    await pictures(ui(), "faults/stopped");
    await view.getByRole("button", { name: "Restart" }).click();
    await told(/times in three minutes\. Look at the log/, "Restart", "crash-loop-again");
  });

  test("a daemon that is put right runs after a click on Restart", async () => {
    const { editor, workbench } = ui();
    const extensions = path.join(editor.profile.dir, "extensions");
    const installed = (await readdir(extensions)).find((name) => name.startsWith("winnow-mcp.winnow-"));
    await symlink(path.join(extensions, installed ?? "", "extension", "bin", "winnowd"), path.join(dir, "winnowd"));
    await workbench
      .notification(/times in three minutes/)
      .getByRole("button", { name: "Restart" })
      .click();
    await running();
    await restartWith("");
    await running();
    await workbench.statusBarItem("Winnow does not run").waitFor({ state: "detached" });
  });

  test("a configuration file that is broken", async () => {
    const { editor, workbench, workspace } = ui();
    const file = path.join(workspace.folder, ".vscode", "winnow.json");
    await writeFile(path.join(workspace.folder, ".vscode", "mcp.json"), "{}");
    await writeFile(file, '{\n  "servers": {\n    "x": }\n}\n');
    await workbench.statusBarItem("Winnow needs you: winnow.json:3").waitFor();
    await workbench.command("Winnow: Show Servers and Tools");
    const row = workbench.treeRow(/^\.vscode\/winnow\.json:3 *invalid JSON/).first();
    await row.waitFor();
    const view = editor.page.locator(".part.sidebar");
    assert.equal(await view.getByText("No MCP server is defined yet").count(), 0);
    await row.click();
    await workbench.editorOf("winnow.json");
    await workbench.command("Problems: Focus on Problems View");
    const problem = editor.page.locator(".markers-panel .monaco-list-row").filter({ hasText: "invalid JSON" });
    await problem.first().waitFor();
    await pictures(ui(), "faults/broken-file");
    // A mended file takes all of it back.
    await writeFile(file, "{}");
    await row.waitFor({ state: "detached" });
    await view.getByText("No MCP server is defined yet").waitFor();
    await workbench.statusBarItem("Winnow needs you").waitFor({ state: "detached" });
    await problem.first().waitFor({ state: "detached" });
    await workbench.command("View: Hide Panel");
  });

  test("a server that fails", async () => {
    const { editor, workbench, workspace } = ui();
    const servers = { broken: { command: "sh", args: ["-c", "echo no database >&2; exit 1"] } };
    await writeFile(path.join(workspace.folder, ".vscode", "winnow.json"), JSON.stringify({ servers }));
    const question = workbench.notification("an MCP server (broken) came into .vscode/winnow.json");
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await workbench.statusBarItem(/broken failed/).waitFor();
    await workbench.command("Winnow: Show Servers and Tools");
    const row = workbench.treeRow(/^broken *no database \(printed before it exited: exit status 1\)/).first();
    await row.waitFor();
    await workbench.hovered(row, /Choose Show Server Log to see what it wrote/);
    await editor.screenshot("faults/failing-server");
  });

  test("what a server misses is the first that its row says, and a click offers server, log and remedy", async () => {
    const { editor, workbench, workspace } = ui();
    const printed = "echo Error: GITHUB_TOKEN is not set >&2; echo at main.js:1 >&2; exit 1";
    const servers = { github: { command: "sh", args: ["-c", printed] } };
    await writeFile(path.join(workspace.folder, ".vscode", "winnow.json"), JSON.stringify({ servers }));
    const question = workbench.notification("an MCP server (github) came into .vscode/winnow.json");
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    const row = workbench.treeRow(/^github *GITHUB_TOKEN is missing/).first();
    await row.waitFor();
    await workbench.hovered(row, /Give GITHUB_TOKEN a value under "env" of the server's entry/);
    const offered = editor.page.locator(".quick-input-list .monaco-list-row");
    await row.click();
    for (const label of ["Open where it is defined", "Show its log", "Start it again now"]) {
      await offered.filter({ hasText: label }).waitFor();
    }
    await pictures(ui(), "faults/missing-variable");
    await offered.filter({ hasText: "Open where it is defined" }).click();
    await workbench.editorOf("winnow.json");
    await row.click();
    await offered.filter({ hasText: "Show its log" }).click();
    await workbench.editorOf("github.log");
  });
});
