// The servers of other clients' files: the person is asked, once, and a no is
// a no that can be taken back.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import type { Workspace } from "../host/workspace";
import { pictures, session } from "./session";

/** Writes another client's file with some servers, all of which are the same program. */
async function write({ folder }: Pick<Workspace, "folder">, file: string, ...names: string[]): Promise<void> {
  const program = path.resolve("node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js");
  const servers = Object.fromEntries(names.map((name) => [name, { command: "node", args: [program] }]));
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), JSON.stringify({ mcpServers: servers }, undefined, 2));
}

describe("consent", () => {
  const ui = session({
    notifications: true,
    arrange: async (workspace) => {
      await write(workspace, ".mcp.json", "claudes");
      await write(workspace, ".cursor/mcp.json", "cursors");
    },
  });

  test("the person is asked about all files at once, and may look at them first", async () => {
    const { editor, workbench } = ui();
    await workbench.openContainer("Winnow");
    const question = workbench.notification(
      "Winnow found 2 MCP servers (claudes and cursors) in .mcp.json and .cursor/mcp.json",
    );
    await question.waitFor();
    await pictures(ui(), "consent/asked");
    await workbench.notificationAction("Winnow found 2 MCP servers", "Show Files"); // it may have hidden itself meanwhile
    const tabs = editor.page.locator(".tabs-container .tab");
    await tabs.filter({ hasText: ".mcp.json" }).first().waitFor();
    await tabs.nth(1).waitFor();
    await workbench.notificationAction("Winnow found 2 MCP servers", "Don't Allow");
    await workbench.treeRow(/^claudesnot allowed/).waitFor();
    await workbench.treeRow(/^cursorsnot allowed/).waitFor();
    await workbench.statusBarItem(/Winnow: ready/).waitFor(); // nothing waits for the person any more
  });

  test("about another file they are asked on its own, and its servers start", async () => {
    const { editor, workbench, workspace } = ui();
    await write(workspace, ".mcp.json", "claudes", "more"); // the answer was for what was shown, not for the file
    const more = workbench.notification("Winnow found an MCP server (more) in .mcp.json");
    await more.getByRole("button", { name: "Don't Allow" }).click();
    await workbench.treeRow(/^morenot allowed/).waitFor();
    await write(workspace, ".roo/mcp.json", "roos");
    const question = workbench.notification("Winnow found an MCP server (roos) in .roo/mcp.json");
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await workbench.treeRow(/^roos9 tools/).waitFor();
    assert.equal(await workbench.notification("MCP server").count(), 0);
    await editor.screenshot("consent/allowed");
  });

  test("a file that came while a question was on the screen is asked about after it, also when nobody answered", async () => {
    const { editor, workbench, workspace } = ui();
    await write(workspace, ".zoo/mcp.json", "zoos");
    await workbench.notification("Winnow found an MCP server (zoos) in .zoo/mcp.json").waitFor();
    await write({ folder: path.join(editor.profile.dir, "home") }, ".cursor/mcp.json", "homes");
    await workbench.treeRow(/^homes/).waitFor();
    await workbench.command("Notifications: Clear All Notifications");
    await workbench.notification("Winnow found an MCP server (homes)").waitFor();
    await editor.screenshot("consent/next");
    await workbench.command("Notifications: Clear All Notifications");
  });

  test("a no is taken back in the view", async () => {
    const { workbench } = ui();
    await workbench.rowAction(workbench.treeRow(/^cursors/), "Allow Server to Start");
    const question = workbench.dialog().filter({ hasText: "an MCP server (cursors) in .cursor/mcp.json" });
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await workbench.treeRow(/^cursors9 tools/).waitFor();
  });

  test("what has changed since it was allowed is asked about again, and shown", async () => {
    const { editor, workbench, workspace } = ui();
    const file = path.join(workspace.folder, ".cursor", "mcp.json");
    const text = await readFile(file, "utf8");
    await writeFile(
      file,
      text.replace('"command": "node"', '"command": "node", "env": { "NODE_OPTIONS": "--trace-warnings" }'),
    );
    await workbench.treeRow(/^cursorswaits for your consent/).waitFor();
    const changed = "is not what you allowed: env.NODE_OPTIONS is new";
    await workbench.notification(changed).waitFor();
    await pictures(ui(), "consent/changed");
    await workbench.notificationAction(changed, "Show Changes"); // it may have hidden itself meanwhile
    await editor.page.locator(".tabs-container .tab").filter({ hasText: "what you allowed" }).waitFor();
    await pictures(ui(), "consent/changes");
    await workbench.notificationAction(changed, "Allow");
    await workbench.treeRow(/^cursors9 tools/).waitFor();
  });
});
