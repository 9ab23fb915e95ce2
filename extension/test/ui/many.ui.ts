// A server of 2,000 tools in the view Servers. What it takes is printed, and
// nothing is held to a time.
import assert from "node:assert/strict";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { until } from "../host/processes";
import { type Workspace, manyTools } from "../host/workspace";
import { pictures, session } from "./session";

/** Notes how long the page was blocked, and by what number of pieces of work. */
const watch = `
window.blocked = [];
new PerformanceObserver((list) => blocked.push(...list.getEntries().map(({ duration }) => duration))).observe({ entryTypes: ["longtask"] });
`;

describe("many tools", () => {
  const ui = session({ arrange });

  /** Does something, and prints how long it took and for how long at a time the page was blocked. */
  async function timed(what: string, act: () => Promise<unknown>): Promise<void> {
    const { page } = ui().editor;
    await page.evaluate("blocked.length = 0");
    const begin = performance.now();
    await act();
    const took = performance.now() - begin;
    const blocked = await page.evaluate<number[]>("blocked");
    const longest = Math.round(Math.max(0, ...blocked));
    console.log(`      ${what}: ${Math.round(took)} ms; the page was blocked for ${longest} ms at most`);
  }

  test("they are shown, filtered and sorted", async () => {
    const { workbench, editor } = ui();
    const { page } = editor;
    await page.evaluate(watch);
    await workbench.openContainer("Winnow");
    const row = workbench.treeRow(/^many2,000 tools/);
    await row.waitFor();
    await timed("2,000 tools opened", async () => {
      await workbench.openRow(row);
      await workbench.treeRow(/^tool_0000/).waitFor();
    });
    const rows = await page.locator(".part.sidebar .monaco-list-row").count();
    assert.ok(rows < 200, `${rows} rows are drawn, though few are seen`);
    await pictures(ui(), "many/open");

    await workbench.viewAction("Servers", "Filter Servers and Tools…");
    await timed("filtered to one", async () => {
      await page.locator(".quick-input-widget input.input").fill("1999 dear");
      await workbench.treeRow(/^tool_1999/).waitFor();
    });
    assert.equal(await workbench.treeRow(/^tool_0000/).count(), 0);
    await workbench.treeRow(/^many1 of 2,000 ·/).waitFor();
    await page.keyboard.press("Enter");
    await workbench.viewAction("Servers", "Clear the Filter of Servers and Tools");
    await workbench.treeRow(/^tool_0000/).waitFor();

    await timed("sorted by cost", async () => {
      await workbench.viewAction("Servers", "Sort Servers and Tools by Cost");
      await workbench.treeRow(/^tool_1999/).waitFor();
    });
    await workbench.viewAction("Servers", "Sort Servers and Tools by Name");
    const first = workbench.treeRow(/^tool_0000/);
    await first.waitFor();
    await timed("a tool switched off", async () => {
      await first.locator(".monaco-checkbox").click();
      await workbench.treeRow(/^many1,999 of 2,000 ·/).waitFor();
    });
    await until("the row to say that it is off", async () =>
      (await first.getAttribute("aria-label"))?.includes("off: switched off in its server's entry"),
    );
  });

  test("a box whose change is refused goes back", async () => {
    const { workbench, workspace } = ui();
    const file = path.join(workspace.folder, ".vscode", "winnow.json");
    await writeFile(file, await config(workspace, { onlyAllow: ["tool_0001"] }));
    await workbench.treeRow(/^many1 of 2,000 ·/).waitFor();
    const box = workbench.treeRow(/^tool_0001/).locator(".monaco-checkbox");
    await box.click();
    await until("the refusal", async () => {
      await workbench.command("Notifications: Show Notifications");
      return workbench.page
        .getByText(/is the last tool that onlyAllow of server/)
        .first()
        .isVisible();
    });
    await until("the box to be ticked again", async () => (await box.getAttribute("aria-checked")) === "true");
  });
});

async function arrange(workspace: Workspace): Promise<void> {
  await writeFile(path.join(workspace.folder, ".vscode", "winnow.json"), await config(workspace));
}

async function config(workspace: Workspace, policy: object = {}): Promise<string> {
  return JSON.stringify({ servers: { many: { ...(await manyTools(workspace, 2000, "tool")), ...policy } } });
}
