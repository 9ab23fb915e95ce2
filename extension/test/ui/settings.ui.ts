// Settings as a person changes them, in VS Code's own editors: what they do
// shows in the next message, and a mistake is told with the setting's name.
import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { until } from "../host/processes";
import { say } from "../scripted-model/script";
import { routedName } from "../../src/models/twins";
import { session } from "./session";

describe("settings", () => {
  const ui = session({
    notifications: true,
    settings: { "winnow.threshold": 5, "winnow.initialK": 6, "telemetry.telemetryLevel": "all" },
  });

  /** Asks in a new chat, and returns the MCP tools that the model was given. */
  async function attached(reply: string): Promise<string[]> {
    const { workbench, script } = ui();
    script.use(() => [say(reply)]);
    await workbench.newChat();
    await workbench.ask("add two numbers");
    await workbench.answered(reply);
    const request = script.exchanges.at(-1)?.request ?? assert.fail();
    return request.tools.map(({ name }) => name).filter((name) => name.startsWith("mcp_"));
  }

  /** The user's settings.json. */
  const file = () => path.join(ui().editor.profile.dir, "user", "User", "settings.json");

  /** Replaces the user's settings.json in its editor, and saves it. */
  async function json(settings: object): Promise<void> {
    const { page } = ui().editor;
    const text = JSON.stringify(settings, undefined, 2);
    await ui().workbench.command("Preferences: Open User Settings (JSON)");
    const editor = page.locator(".modal-editor-part").filter({ hasText: "settings.json" });
    await editor.locator(".view-lines").click();
    await page.keyboard.press("Control+A");
    // Pasted: what is typed gets closing brackets besides.
    await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    await page.keyboard.press("Control+V");
    await page.keyboard.press("Control+S");
    await until("the settings to be saved", async () => (await readFile(file(), "utf8")) === text);
    await ui().workbench.command("View: Close All Editors");
  }

  test("a number typed in the settings' page counts for the next message", async () => {
    const { editor, workbench } = ui();
    await workbench.modelChosen("Scripted One");
    await workbench.chooseModel(routedName("Scripted One"));
    assert.equal((await attached("unique reply six")).filter((name) => name !== "mcp_load").length, 6);
    await workbench.command("Preferences: Open Settings (UI)");
    await editor.page.locator(".settings-editor .suggest-input-container").click();
    await editor.page.keyboard.insertText("@id:winnow.initialK");
    const box = editor.page.locator(".settings-editor .setting-item-number input");
    // The page draws itself anew while it searches, and forgets what was typed meanwhile.
    await until("the setting to be saved", async () => {
      if ((await box.inputValue({ timeout: 3000 })) !== "3") await box.fill("3", { timeout: 3000 });
      return (await readFile(file(), "utf8")).includes('"winnow.initialK": 3');
    });
    await editor.screenshot("settings/page");
    await workbench.command("View: Close All Editors");
    assert.equal((await attached("unique reply three")).filter((name) => name !== "mcp_load").length, 3);
  });

  test("settings.json counts as soon as it is saved", async () => {
    await json({ "winnow.threshold": 5, "winnow.enabled": false });
    const all = await attached("unique reply all");
    assert.ok(all.length > 20 && !all.includes("mcp_load"), all.join(" "));
  });

  test("a value that cannot be used is told, with a way to the setting", async () => {
    const { editor, workbench } = ui();
    await json({ "winnow.threshold": 5, "winnow.initialK": -3, "winnow.initialk": 4 });
    await workbench.command("Notifications: Show Notifications"); // also those that have hidden themselves
    const told = (words: string) =>
      editor.page.locator(".notifications-center .notification-list-item", { hasText: words });
    await told("There is no setting winnow.initialk").waitFor();
    const message = told("winnow.initialK must be between 0 and 1000");
    await message.waitFor();
    await editor.screenshot("settings/mistake");
    await message.getByRole("button", { name: "Open Setting" }).click();
    await editor.page.locator(".settings-editor").getByText("How many tools a task starts with").first().waitFor();
    await workbench.command("View: Close All Editors");
    // One that there is not has no place in the settings' page.
    await workbench.command("Notifications: Show Notifications");
    await told("There is no setting winnow.initialk").getByRole("button", { name: "Open Setting" }).click();
    await editor.page
      .locator(".modal-editor-part .view-line")
      .filter({ hasText: /winnow\.initialk/ })
      .waitFor();
    await editor.screenshot("settings/unknown");
    await workbench.command("View: Close All Editors");
  });

  test("what is reported follows VS Code's telemetry level as well as our setting", async () => {
    const { editor } = ui();
    const reports = async () => ((await editor.profile.tails()).match(/ telemetry .*task_start/g) ?? []).length;
    assert.equal(await reports(), 0);
    await json({ "winnow.threshold": 5, "winnow.telemetry": true });
    await attached("unique reply told");
    await until("the report in the log", async () => (await reports()) === 1);
    await json({ "winnow.threshold": 5, "winnow.telemetry": true, "telemetry.telemetryLevel": "error" });
    await attached("unique reply untold");
    assert.equal(await reports(), 1);
  });
});
