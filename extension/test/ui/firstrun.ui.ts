// What a new user reads: with no language model, with no MCP server, and in
// views that have nothing to show.
import assert from "node:assert/strict";
import { mkdir, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { until } from "../host/processes";
import type { Profile } from "../host/profile";
import type { Workspace } from "../host/workspace";
import { say } from "../scripted-model/script";
import { routedName } from "../../src/models/twins";
import { pictures, session } from "./session";

/** Takes the servers away that the workspace comes with. */
async function noServers({ folder }: Workspace): Promise<void> {
  await rm(path.join(folder, ".vscode"), { recursive: true });
}

describe("first run without a model", () => {
  const ui = session({ notifications: true, arrange: noServers, env: { WINNOW_SCRIPT_MODELS: "none" } });

  /** In the empty view. */
  const offer = () => ui().editor.page.getByRole("button", { name: "Import Servers…" });

  test("servers can be imported only while there is something to serve them, such as the gateway", async () => {
    const { editor, workbench } = ui();
    await workbench.openContainer("Winnow");
    await editor.page.getByRole("button", { name: "Add a Server" }).waitFor(); // in the same empty view
    assert.equal(await offer().count(), 0);
    await workbench.setting("winnow.gateway.inVSCode", true);
    await offer().waitFor();
    await workbench.setting("winnow.gateway.inVSCode", false);
    await offer().waitFor({ state: "detached" });
  });

  test("the message says what to do, and leads to the models", async () => {
    const { editor, workbench } = ui();
    const message = workbench.notification("VS Code has no model yet");
    await message.getByRole("button", { name: "Get Started" }).waitFor();
    await pictures(ui(), "firstrun/no-model");
    await workbench.notificationAction("VS Code has no model yet", "Manage Models"); // it may have hidden itself meanwhile
    await editor.page.getByRole("button", { name: "Add Models" }).waitFor();
    await editor.screenshot("firstrun/models");
    await editor.page.keyboard.press("Escape");
  });

  test("without a model the command leads to one, and to an endpoint through the proxy", async () => {
    const { editor, workbench } = ui();
    const list = editor.page.locator(".quick-input-list");
    await workbench.opens("Winnow: Use Winnow with My Model", list.getByText("Add a model to VS Code"));
    await editor.screenshot("firstrun/ways");
    await workbench.pick("A custom endpoint, through winnowd proxy…");
    await editor.page
      .locator(".quick-input-widget input.input:visible, .quick-input-widget input:visible")
      .first()
      .waitFor();
    await editor.screenshot("firstrun/endpoint");
    await editor.page.keyboard.press("Escape");
  });

  test("with a model servers can be imported", async () => {
    await ui().workbench.command("Scripted Model: Show or Hide the Late Model");
    await offer().waitFor();
  });
});

describe("first run without a server", () => {
  const ui = session({ notifications: true, arrange: noServers });

  test("the empty view says what to do, and its buttons work", async () => {
    const { editor, workbench } = ui();
    await workbench.openContainer("Winnow");
    const view = editor.page.locator(".part.sidebar");
    await view.getByText("No MCP server is defined yet").waitFor();
    await pictures(ui(), "firstrun/empty");
    await view.getByRole("button", { name: "Get Started" }).first().click();
    await editor.page.getByText("Get Started with Winnow").first().waitFor();
    await editor.screenshot("firstrun/walkthrough");
    await view.getByRole("button", { name: "Use Winnow with My Model" }).click();
    await workbench.modelChosen(routedName("Scripted One"));
  });

  test("@winnow answers, and says how to add a server", async () => {
    const { editor, workbench, script } = ui();
    await workbench.chooseModel("Scripted One");
    script.use(() => [say("Without tools I can only talk.")]);
    await workbench.ask("@winnow hello");
    await workbench.answered("Without tools I can only talk.");
    await editor.page.locator(".interactive-response").getByRole("button", { name: "Add a Server" }).waitFor();
    await editor.screenshot("firstrun/participant");
  });

  test("the message says what to do, and begins the file", async () => {
    const { editor, workbench } = ui();
    const message = workbench.notification("Winnow found no MCP server yet");
    await message.getByRole("button", { name: "Get Started" }).waitFor();
    await editor.screenshot("firstrun/no-server");
    await message.getByRole("button", { name: "Add a Server" }).click();
    await editor.page.locator(".tabs-container").getByText("winnow.json").waitFor();
    await editor.screenshot("firstrun/add");
  });

  test("the menu of the view has nothing that would do nothing", async () => {
    const { workbench } = ui();
    const menu = await workbench.viewMenu("Servers");
    for (const entry of ["Open This Workspace's winnow.json", "Clear Caches and Learned Data"])
      assert.ok(menu.includes(entry), menu.join("|"));
    for (const entry of [/Filter/, /Sort/, /Pick Mode/, /Forget Stored/, /winnowd proxy/])
      assert.ok(!menu.some((text) => entry.test(text)), `${String(entry)}: ${menu.join("|")}`);
  });

  test("caches and learned data are cleared after a question", async () => {
    const { editor, workbench } = ui();
    const old = await leftBehind(editor.profile);
    await workbench.viewAction("Servers", "Clear Caches and Learned Data");
    await workbench.dialog().getByText("Clear caches and learned data?").waitFor();
    await editor.screenshot("firstrun/clear");
    await workbench.dialog().getByRole("button", { name: "Clear" }).click();
    await workbench.notification("caches and learned data are cleared").waitFor();
    await assert.rejects(stat(old), /ENOENT/);
  });
});

/** Writes a file such as an earlier session leaves in the daemon's storage of the workspace, and returns its path. */
async function leftBehind({ dir }: Profile): Promise<string> {
  const storages = path.join(dir, "user", "User", "globalStorage", "winnow-mcp.winnow", "workspaces");
  const [workspace] = await until("the workspace's storage", async () => {
    const found = await readdir(storages).catch(() => []);
    return found.length > 0 && found;
  });
  const manifests = path.join(storages, workspace ?? "", "manifests");
  await mkdir(manifests, { recursive: true });
  const file = path.join(manifests, "old.manifest");
  await writeFile(file, "");
  return file;
}
