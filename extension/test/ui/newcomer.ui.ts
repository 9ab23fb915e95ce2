// The way of a newcomer, from an empty profile with three servers in
// .vscode/mcp.json, in the order in which a person meets things.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import type { Locator } from "playwright-core";
import { setTimeout as delay } from "node:timers/promises";
import { call, results, say, toolName } from "../scripted-model/script";
import { until } from "../host/processes";
import { threeServers } from "../host/workspace";
import { routedName } from "../../src/models/twins";
import { formatTokens } from "../../src/base/format";
import { carried, isMcp, toolCost, toolCosts } from "../support/cost";
import { testDaemon } from "../support/daemon";
import { panelIsOfWhatWasSent } from "./panel";
import { pictures, session } from "./session";

/** The icon by which the picker shows that a model is a routed one. */
const mark = ".codicon-filter";

/** What a screen reader says of each. */
function labels(found: Locator): Promise<string[]> {
  return found.all().then((each) => Promise.all(each.map(async (one) => (await one.getAttribute("aria-label")) ?? "")));
}

describe("newcomer", () => {
  const ui = session({ arrange: threeServers, notifications: true });

  /** Asks in a new chat for what one tool does, which is called, and returns the tools of the first request. */
  async function task(reply: string): Promise<string[]> {
    const { workbench, script } = ui();
    script.exchanges.length = 0;
    script.use(function* (request) {
      const tool = toolName(request, /read_text_file$/);
      const [read] = results(request);
      // VS Code by itself may hide it.
      if (read !== undefined || tool === undefined)
        yield say(`${reply}: ${/beans/.exec(read?.text ?? "")?.[0] ?? "no"}`);
      else yield call(tool, { path: "garden.md" });
    });
    await workbench.newChat();
    await workbench.ask("read the notes of the garden");
    await workbench.answered(reply);
    return script.exchanges[0]?.request.tools.map(({ name }) => name) ?? [];
  }

  /** What VS Code by itself was said to send of MCP, in tokens. */
  let bySelf = 0;

  /** Whether a step of the walkthrough, which is open, is ticked. */
  async function ticked(step: string): Promise<boolean> {
    const box = ui().editor.page.locator(`[data-done-step-id$="#${step}"]`).first();
    return (await box.getAttribute("aria-checked")) === "true";
  }

  const mcp = (tools: readonly string[]) => tools.filter((name) => name.startsWith("mcp_") && name !== "mcp_load");

  test("the servers are listed at once, before any task", async () => {
    const { workbench } = ui();
    await workbench.modelChosen("Scripted One");
    await workbench.openContainer("Winnow");
    for (const name of ["devtools", "filesystem", "playwright"]) {
      await workbench.treeRow(`${name}not started yet`).waitFor();
    }
    await workbench.statusBarItem("Winnow: ready").waitFor();
    await pictures(ui(), "newcomer/1-list");
  });

  test("the routed model stands beside its model with a mark, and was chosen for nobody", async () => {
    const { editor, workbench } = ui();
    await workbench.openModels(routedName("Scripted One"));
    const option = editor.page.getByRole("option").filter({ hasText: routedName("Scripted One") });
    await option.first().locator(mark).waitFor();
    await pictures(ui(), "newcomer/1-mark");
    await editor.page.keyboard.press("Escape");
    await editor.page.keyboard.press("Escape");
    await workbench.modelChosen("Scripted One"); // what VS Code has preselected, with the twin in the list
    assert.equal(await editor.page.locator(".chat-input-toolbars").locator(mark).count(), 0);
  });

  test("one button chooses the twin, and the picker keeps it where a person sees it", async () => {
    const { editor, workbench } = ui();
    await editor.page.locator(".part.sidebar").getByRole("button", { name: "Use Winnow with My Model" }).click();
    await workbench.modelChosen(routedName("Scripted One"));
    await workbench.openModels("");
    const options = await editor.page.getByRole("option").allInnerTexts();
    const place = (what: RegExp) => options.findIndex((text) => what.test(text));
    assert.ok(place(/Scripted One \(Winnow\)/) >= 0, options.join("|"));
    assert.ok(place(/Scripted One \(Winnow\)/) < place(/Other Models/), options.join("|"));
    await pictures(ui(), "newcomer/2-picked");
    await editor.page.keyboard.press("Escape");
    await editor.page.locator(".chat-input-toolbars").locator(mark).first().waitFor();
  });

  test("a task gets some of the tools, and the one that is called is among them", async () => {
    const { workbench } = ui();
    const tools = await task("unique first reply");
    assert.ok(tools.includes("mcp_load"), tools.join(" "));
    assert.equal(mcp(tools).length, 30);
    await workbench.answered("unique first reply: beans");
    await workbench.treeRow(/^filesystem14 tools · [\d.]+k/).waitFor();
    await workbench.treeRow(/^read the notes….*30 of 71/).waitFor();
    await workbench.treeRow(/^read_text_file\d+$/).waitFor();
    for (const name of ["filesystem", "playwright"]) await workbench.openRow(workbench.treeRow(new RegExp(`^${name}`)));
    await workbench.treeRow(/^browser_click\d+/).waitFor();
    assert.deepEqual(await workbench.cutRows(), []);
    await workbench.viewAction("Servers", "Collapse All");
    await pictures(ui(), "newcomer/3-task");
  });

  test("why says it in a sentence", async () => {
    const { workbench } = ui();
    const row = workbench.treeRow(/^read_text_file/);
    const page = await until("the page", async () => {
      // A row that is drawn again may not take the click.
      await row.click({ timeout: 3000 });
      return Promise.race([workbench.webview("main.why").catch(() => undefined), delay(3000, undefined)]);
    });
    await page.getByText(/The model (?:has )?called it/).waitFor();
    await page.getByText(/^Attached: 30 of 71 tools/).waitFor();
    await pictures(ui(), "newcomer/4-why");
    await workbench.command("View: Close All Editors");
  });

  test("the saving is told beside what VS Code by itself would send", async () => {
    const { workbench } = ui();
    const item = workbench.statusBarItem(/30 of 71 tools, saves \d+%$/);
    await item.waitFor();
    await workbench.hovered(item, /VS Code by itself/);
    await pictures(ui(), "newcomer/5-status");
    await workbench.command("Winnow: Show Context Usage");
    const panel = await workbench.webview("main > header");
    await panel
      .getByText(/^Attached 30 of 71 tools, \d+% of the request less than VS Code by itself, [\d.]+k tokens\.$/)
      .waitFor();
    await pictures(ui(), "newcomer/6-context");
    await workbench.command("View: Close All Editors");
  });

  test("each figure that is shown is of what the model was sent", async (t) => {
    const { editor, workbench, script } = ui();
    const daemon = testDaemon(t, editor.profile.dir);
    await daemon.start();
    const { request } = script.exchanges.at(-1) ?? assert.fail("there was no request");
    const costs = await toolCosts(daemon, request.tools.filter(isMcp));
    const sent = [...costs.values()].reduce((sum, tokens) => sum + tokens, 0);
    const attached = [...costs.keys()].filter((name) => name !== "mcp_load");

    // How many of how many: the row, the status item, the panel.
    const rows = await workbench.treeRow(/^(?:devtools|filesystem|playwright)/).allInnerTexts();
    const all = rows.reduce((sum, text) => sum + Number(/(\d+) tools/.exec(text)?.[1]), 0);
    await workbench.treeRow(new RegExp(`^read the notes….*${attached.length} of ${all}`)).waitFor();
    const item = workbench.statusBarItem(new RegExp(`: ${attached.length} of ${all} tools, saves \\d+%$`));
    await item.waitFor();

    // Each tool that the task shows.
    const tools = await labels(workbench.treeRow(/^\S+\d$/));
    let compared = 0;
    for (const label of tools) {
      const [, name = "", tokens = "", server = ""] =
        /^(\S+), (?:.*, )?([\d.]+k?) tokens, .*of server ([\w-]+)/.exec(label) ?? [];
      if (server === "") continue; // of the view Servers
      const same = attached.filter((each) => each.endsWith(`_${name}`));
      assert.ok(
        same.some((each) => formatTokens(costs.get(each) ?? -1) === tokens),
        `${label}: ${same.map((each) => `${each} ${costs.get(each)}`).join(", ")}`,
      );
      compared++;
    }
    assert.ok(compared >= 5, tools.join("\n"));

    // What the requests carry, and would by themselves.
    const tooltip = await workbench.statusBarTooltip(/30 of 71 tools/);
    const own = costs.get("mcp_load") ?? 0;
    assert.ok(tooltip.includes(carried(sent - own, own)), `${sent} were sent\n${tooltip}`);
    bySelf = Number(/sends ([\d,]+) tokens/.exec(tooltip)?.[1]?.replaceAll(",", ""));

    await panelIsOfWhatWasSent(t, ui());
    await pictures(ui(), "newcomer/6-sections");
    await workbench.command("View: Close All Editors");
  });

  test("one click turns it off, and VS Code sends what it sends by itself", async (t) => {
    const { editor, workbench, script } = ui();
    await workbench.statusBarItem(/30 of 71 tools/).click();
    await pictures(ui(), "newcomer/7-menu");
    await workbench.pick("Turn routing off");
    await workbench.statusBarItem("Winnow: off").waitFor();
    const tools = await task("unique second reply");
    assert.ok(!tools.includes("mcp_load"), tools.join(" "));
    assert.ok(
      tools.some((name) => name.startsWith("activate_")),
      tools.join(" "),
    );
    const daemon = testDaemon(t, editor.profile.dir);
    await daemon.start();
    const first = script.exchanges[0]?.request.tools ?? [];
    const sent = await toolCost(daemon, first.filter(isMcp));
    assert.equal(sent, bySelf, "what VS Code by itself was said to send");
    await pictures(ui(), "newcomer/8-off");
  });

  test("another turns it on again", async () => {
    const { workbench } = ui();
    await workbench.statusBarItem("Winnow: off").click();
    await workbench.pick("Turn routing on");
    const tools = await task("unique third reply");
    assert.equal(mcp(tools).length, 30);
    await workbench.statusBarItem(/30 of 71 tools, saves/).waitFor();
    await pictures(ui(), "newcomer/9-on");
  });

  test("the sums of the week begin anew", async () => {
    const { workbench } = ui();
    await workbench.command("Winnow: Show Context Usage");
    const panel = await workbench.webview("main > header");
    const week = panel.locator(".week");
    assert.match(await week.innerText(), /[\d.]+k/);
    await week.getByRole("button", { name: "Reset" }).click();
    await week.waitFor({ state: "detached" });
    await workbench.command("View: Close All Editors");
  });

  test("the walkthrough names what is on the screen", async () => {
    const { editor, workbench } = ui();
    await workbench.command("Winnow: Get Started");
    const page = editor.page.locator(".gettingStartedContainer");
    await page.getByText("Get Started with Winnow").first().waitFor();
    // All of it has happened.
    for (const step of ["servers", "model", "shadow", "task"]) await until(`${step} to be ticked`, () => ticked(step));
    for (const step of ["Use Winnow with your model", "Off, on, or only watch", "Send a message"]) {
      await page.getByText(step, { exact: true }).first().click();
      await editor.screenshot(`newcomer/10-${step.replaceAll(/\W+/g, "-")}`);
    }
    await pictures(ui(), "newcomer/10-walkthrough");
  });

  test("the mark is there however narrow the chat is, where the name is cut", async () => {
    const { editor } = ui();
    const chosen = editor.page.locator(".chat-input-toolbars").locator(mark).first();
    const size = editor.page.viewportSize() ?? assert.fail();
    await editor.page.setViewportSize({ ...size, width: 820 });
    await chosen.waitFor();
    await pictures(ui(), "newcomer/11-narrow");
    await editor.page.setViewportSize(size);
  });
});
