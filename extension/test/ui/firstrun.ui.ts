// What a new user reads: with no language model, with no MCP server, and in
// views that have nothing to show.
import assert from "node:assert/strict";
import { rm } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import type { Workspace } from "../host/workspace";
import { pictures, session } from "./session";

/** Takes the servers away that the workspace comes with. */
async function noServers({ folder }: Workspace): Promise<void> {
  await rm(path.join(folder, ".vscode"), { recursive: true });
}

describe("first run without a model", () => {
  const ui = session({ notifications: true, arrange: noServers, model: false });

  test("the message says what to do, and leads to the models", async () => {
    const { editor, workbench } = ui();
    const message = workbench.notification("VS Code has no model yet");
    await message.getByRole("button", { name: "Get Started" }).waitFor();
    await pictures(ui(), "firstrun/no-model");
    await message.getByRole("button", { name: "Manage Models" }).click();
    await editor.page.getByRole("button", { name: "Add Models" }).waitFor();
    await editor.screenshot("firstrun/models");
  });
});

describe("first run without a server", () => {
  const ui = session({ notifications: true, arrange: noServers });

  test("the message says what to do, and begins the file", async () => {
    const { editor, workbench } = ui();
    const message = workbench.notification("Winnow found no MCP server yet");
    await message.getByRole("button", { name: "Get Started" }).waitFor();
    await editor.screenshot("firstrun/no-server");
    await message.getByRole("button", { name: "Add a Server" }).click();
    await editor.page.locator(".tabs-container").getByText("winnow.json").waitFor();
    await editor.screenshot("firstrun/add");
  });

  test("the empty view says the same, and its buttons work", async () => {
    const { editor, workbench, workspace } = ui();
    await workbench.openContainer("Winnow");
    const view = editor.page.locator(".part.sidebar");
    await view.getByText("No MCP server is defined yet").waitFor();
    await pictures(ui(), "firstrun/empty");
    await view.getByRole("button", { name: "Get Started" }).first().click();
    await editor.page.getByText("Get Started with Winnow").first().waitFor();
    await editor.screenshot("firstrun/walkthrough");
    await view.getByRole("button", { name: "Open Chat" }).click();
    await editor.page.locator(".interactive-input-editor").first().waitFor();
    assert.ok(workspace.folder);
  });
});
