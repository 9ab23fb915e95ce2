// Several folders in one window: the files of each are read, the first one's
// win, and folders come and go while the window is open.
import assert from "node:assert/strict";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { until } from "../host/processes";
import type { Workspace } from "../host/workspace";
import { session } from "./session";

/** A server from npm, as a file of ours names it. */
function server(name: string, ...args: string[]): { command: string; args: string[] } {
  const program = path.resolve("node_modules", "@modelcontextprotocol", `server-${name}`, "dist", "index.js");
  return { command: "node", args: [program, ...args] };
}

/** Writes a file of a folder. */
async function write(folder: string, file: string, content: object): Promise<void> {
  await mkdir(path.dirname(path.join(folder, file)), { recursive: true });
  await writeFile(path.join(folder, file), JSON.stringify(content, undefined, 2));
}

/** Two folders with a server of the same name, a third one for later, and the file that names the first two. */
async function arrange({ dir, folder }: Workspace): Promise<string> {
  const shed = path.join(dir, "shed");
  const attic = path.join(dir, "attic");
  const ours = ".vscode/winnow.json";
  await write(folder, ours, { servers: { files: server("filesystem", "${workspaceFolder}") } });
  await write(shed, ours, {
    servers: { files: server("memory"), tools: server("filesystem", "${workspaceFolder}") },
    modes: { shed: { name: "Shed", allowedMcpServers: ["tools"] } },
  });
  await write(shed, ".mcp.json", { mcpServers: { thinking: server("sequential-thinking") } });
  await write(attic, ours, { servers: { boxes: server("memory"), odd: { comand: "typo" } } });
  const file = path.join(dir, "home.code-workspace");
  await writeFile(file, JSON.stringify({ folders: [{ path: "notes" }, { path: "shed" }] }, undefined, 2));
  // Counts in this folder alone, were there such a thing: a window has one daemon.
  await write(shed, ".vscode/settings.json", { "winnow.searchTurns": 0 });
  return file;
}

describe("folders", () => {
  const ui = session({ notifications: true, arrange });

  test("another client's file is asked about with its folder named", async () => {
    const { editor, workbench } = ui();
    await workbench.openContainer("Winnow");
    const question = workbench.notification(/\(thinking\) in shed\/\.mcp\.json/);
    await question.waitFor();
    await editor.screenshot("folders/consent");
    await question.getByRole("button", { name: "Allow", exact: true }).click();
    await workbench.treeRow(/^thinking1 tool/).waitFor();
  });

  test("the files of both folders are read, and the first one's win", async () => {
    const { editor, workbench } = ui();
    await workbench.treeRow(/^files14 tools/).waitFor();
    await workbench.treeRow(/^tools14 tools/).waitFor();
    const also = await workbench.hovered(workbench.treeRow(/^files14 tools/), "Also defined, and not used, in");
    assert.match((await also.innerText()).replaceAll("\n", ""), /shed\/\.vscode\/winnow\.json/);
    await editor.screenshot("folders/shadowed");
  });

  test("the modes of each folder can be picked", async () => {
    const { workbench } = ui();
    await workbench.choose("Winnow: Pick Mode", "Shed");
    await workbench.treeRow(/^files0 of 14 ·/).waitFor();
    await workbench.choose("Winnow: Pick Mode", "No mode");
    await workbench.treeRow(/^files14 tools/).waitFor();
  });

  test("a checkbox writes the file of the folder that defines the server", async () => {
    const { workbench, workspace } = ui();
    await workbench.tick(workbench.treeRow(/^tools/).first(), false);
    const file = path.join(workspace.dir, "shed", ".vscode", "winnow.json");
    await until("the file to disable the server", async () =>
      (await readFile(file, "utf8")).includes('"disabled": true'),
    );
    await workbench.treeRow(/^toolsdisabled/).waitFor();
    const first = await readFile(path.join(workspace.folder, ".vscode", "winnow.json"), "utf8");
    assert.doesNotMatch(first, /disabled/);
  });

  test("a folder that is added is read at once, and its mistakes are told with its name", async () => {
    const { editor, workbench, workspace } = ui();
    const file = path.join(workspace.dir, "home.code-workspace");
    const folders = [{ path: "notes" }, { path: "shed" }, { path: "attic" }];
    await writeFile(file, JSON.stringify({ folders }));
    await workbench.treeRow(/^boxes9 tools/).waitFor();
    await workbench.treeRow(/^attic\/\.vscode\/winnow\.json:\d+/).waitFor();
    await editor.screenshot("folders/added");
  });

  test("the person is asked whose file to open", async () => {
    const { editor, workbench } = ui();
    const attic = editor.page.locator(".quick-input-list").getByText("attic", { exact: true });
    await workbench.opens("Winnow: Open This Workspace's winnow.json", attic);
    await editor.screenshot("folders/which");
    await workbench.pick("attic");
    await editor.page.locator(".tabs-container").getByText("winnow.json").waitFor();
    await workbench.command("View: Close All Editors");
  });

  test("with a folder its servers go", async () => {
    const { workbench, workspace } = ui();
    const file = path.join(workspace.dir, "home.code-workspace");
    await writeFile(file, JSON.stringify({ folders: [{ path: "notes" }, { path: "attic" }] }));
    await workbench.treeRow(/^thinking/).waitFor({ state: "detached" });
    await workbench.treeRow(/^tools/).waitFor({ state: "detached" });
    await workbench.treeRow(/^files14 tools/).waitFor();
  });

  test("a setting of ours in one folder's file counts for nothing, and VS Code says so", async () => {
    const { editor, workbench, workspace } = ui();
    const file = path.join(workspace.dir, "home.code-workspace");
    await writeFile(file, JSON.stringify({ folders: [{ path: "notes" }, { path: "shed" }] }));
    await workbench.command("Winnow: Show Servers and Tools");
    await workbench.treeRow(/^tools/).waitFor();
    await workbench.choose("Preferences: Open Folder Settings (JSON)", "shed");
    const ignored = editor.page.locator(".squiggly-inline-unnecessary").first();
    await workbench.hovered(ignored, "This setting cannot be applied in this workspace");
    await editor.screenshot("folders/settings");
    await workbench.command("View: Close All Editors"); // settings open in an editor that takes every click
    await workbench
      .statusBarItem(/Winnow|tools|trust/)
      .first()
      .click();
    await editor.page.locator(".quick-input-list").getByText("Turn routing off").waitFor(); // so it is on
  });
});
