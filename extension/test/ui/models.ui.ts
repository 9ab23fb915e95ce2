// A routed model as a person uses it, with so many tools that VS Code hides
// most of them: one of these is called, and asked about as what it is. And what
// a person is told before a model of Copilot's is routed.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { call, results, say } from "../scripted-model/script";
import { until } from "../host/processes";
import type { Workspace } from "../host/workspace";
import { routedName } from "../../src/models/twins";
import { pictures, session } from "./session";

/** Tools that ask before they run, and what to give them; which of them VS Code hides is its own affair. */
const writing: Record<string, { input: object; says: RegExp }> = {
  "mcp_secure-filesy_write_file": { input: { path: "beans.md", content: "Sown in May." }, says: /beans\.md/ },
  "mcp_memory-server_delete_entities": { input: { entityNames: ["bean"] }, says: /deleted/ },
  "mcp_memory-server_create_relations": { input: { relations: [] }, says: /\[\]/ },
};

describe("models", () => {
  const ui = session({ arrange: moreServers, notifications: true });

  test("a hidden tool is asked about as the real one, and runs when it is allowed", async () => {
    const { workbench, script } = ui();
    script.use(() => [say("unique bare reply")]);
    await workbench.modelChosen("Scripted One");
    await workbench.ask("hello");
    await workbench.answered("unique bare reply");
    const visible = script.exchanges.at(-1)?.request.tools.map(({ name }) => name) ?? [];
    const hidden = Object.keys(writing).find((name) => !visible.includes(name));
    assert.ok(hidden !== undefined, visible.join(" "));

    await workbench.openModels("Scripted One");
    await pictures(ui(), "models/picker");
    await workbench.page.keyboard.press("Escape");
    await workbench.chooseModel(routedName("Scripted One"));
    await pictures(ui(), "models/picked");
    script.use(function* (request) {
      const [loaded, ran] = results(request);
      if (loaded === undefined) yield call("mcp_load", { names: [hidden] });
      else if (ran === undefined) yield call(hidden, writing[hidden]?.input ?? {});
      else yield say(`unique routed reply: ${ran.text}`);
    });
    await workbench.ask("read the notes of the garden and take a screenshot of the page");
    const tool = hidden.split("_").slice(-2).join("[_ ]");
    await workbench.question(new RegExp(tool, "i")).waitFor();
    await pictures(ui(), "models/approval");
    await workbench.allowed(new RegExp(tool, "i"));
    await workbench.answered(/unique routed reply/);
    await pictures(ui(), "models/allowed");
    assert.match(
      results(script.exchanges.at(-1)?.request ?? assert.fail())[1]?.text ?? "",
      writing[hidden]?.says ?? /^$/,
    );
  });

  test("a picture that a person pastes reaches the routed model", async () => {
    const { workbench, script } = ui();
    await workbench.pastePicture();
    script.use(() => [say("unique picture reply")]);
    await workbench.ask("what is on the picture");
    await workbench.answered("unique picture reply");
    await pictures(ui(), "models/picture");
    const request = script.exchanges.at(-1)?.request ?? assert.fail();
    assert.ok(
      request.tools.some(({ name }) => name === "mcp_load"),
      "it is not routed",
    );
    const [picture] = request.messages.flatMap(({ parts }) => parts.filter((part) => part.kind === "data"));
    assert.match(picture?.mimeType ?? "", /^image\//);
    assert.ok((picture?.base64.length ?? 0) > 50);
  });

  test("the views show what each server costs, what the task got, and where its context goes", async () => {
    const { editor, workbench } = ui();
    const { page } = workbench;
    const size = page.viewportSize() ?? assert.fail();
    /** Takes a picture of a part of the workbench alone in a window of a height, for README.md. */
    const picture = async (name: string, part: string, height: number) => {
      await page.setViewportSize({ width: size.width - 120, height });
      // A view that has the focus shows its buttons in place of what its title says.
      await page.locator(".interactive-input-editor").first().click();
      await page.mouse.move(size.width / 2, 300); // nothing is pointed at
      await page.locator(".monaco-hover:visible").waitFor({ state: "detached" });
      const clip = await page.locator(`.part.${part}`).boundingBox();
      await editor.screenshot(`readme/${name}`, clip ?? assert.fail(`no ${part}`));
    };
    await workbench.theme("dark");
    await workbench.openContainer("Winnow");
    await workbench.treeRow(/^playwright\d+ tools · [\d.]+k/).waitFor();
    await workbench.treeRow(/^read the notes….* of \d+ · turn 2/).waitFor();
    await workbench.fold("Tasks", false);
    await workbench.openRow(workbench.treeRow(/^filesystem\d+ tools/));
    await workbench
      .treeRow(/^read_text_file\d+/)
      .first() // the folded view Tasks may still hold the other one
      .waitFor();
    await picture("servers", "sidebar", 620);
    await workbench.command("Winnow: Show Context Usage");
    const panel = await workbench.webview("main > header");
    await panel
      .getByText(
        /^Attached \d+ of \d+ tools(?:, (?:about )?\d+% of the request less than VS Code by itself, [\d.]+k? tokens)?\.$/,
      )
      .waitFor();
    await panel.getByRole("button", { name: "MCP tools" }).click();
    await panel.getByRole("button", { name: "playwright" }).waitFor();
    await picture("context", "editor", 772);
    await workbench.theme("light");
    await page.setViewportSize(size);
  });

  test("of the chat that VS Code has kept, the one call of an MCP server's tool is replayed", async () => {
    const { workbench } = ui();
    await workbench.command("Winnow: Show Context Usage");
    await workbench.page.getByRole("button", { name: "Replay Your History" }).click();
    const page = await workbench.webview("section > h1");
    await page.getByText(/^1 call of MCP servers' tools;/).waitFor();
    // No list of tools is kept, and VS Code knows those of its servers.
    await page.getByRole("row", { name: /^unknown 0 0 / }).waitFor();
    await page.getByRole("row", { name: /^filesystem 1 / }).waitFor();
    await pictures(ui(), "models/replay");
    await workbench.command("View: Close All Editors");
  });

  test("at the first use of one of Copilot's models a person reads what it costs, and that Copilot searches itself", async () => {
    const { editor, workbench, script } = ui();
    const user = path.join(editor.profile.dir, "user", "User", "settings.json");
    const set = (pattern: RegExp) =>
      until(`the settings to say ${String(pattern)}`, async () => pattern.test(await readFile(user, "utf8")));
    await workbench.command("Scripted Model: Play Copilot's Model");
    await workbench.setting("winnow.routedModels.copilot", true);
    await workbench.chooseModel(routedName("Claude Sonnet 4.6"));
    script.use(() => [say("unique first reply")]);
    await workbench.ask("hello");
    await workbench.answered("unique first reply");
    const billing = workbench.notification(
      /counts each request that Winnow forwards to Claude Sonnet 4\.6 as one of yours/,
    );
    const search = workbench.notification(/Copilot searches tools itself for Claude Sonnet 4\.6/);
    await billing.getByRole("button", { name: "Keep On" }).waitFor();
    await search.getByRole("button", { name: "Use the Gateway" }).waitFor();
    await pictures(ui(), "models/copilot");
    // It is routed all the same.
    assert.ok(script.exchanges.at(-1)?.request.tools.some(({ name }) => name === "mcp_load"));

    // They may have hidden themselves meanwhile.
    await workbench.notificationAction(/Copilot searches tools itself/, "Use the Gateway");
    await set(/"winnow\.gateway\.inVSCode": true/);
    await workbench.notificationAction(/counts each request that Winnow forwards/, "Keep On");
    await billing.waitFor({ state: "detached" });
    // It is said once.
    script.use(() => [say("unique second reply")]);
    await workbench.ask("hello again");
    await workbench.answered("unique second reply");
    assert.equal(await billing.or(search).count(), 0);
  });
});

/** Adds two servers that bring many tools. Neither opens a browser before it is told to. */
async function moreServers({ folder }: Workspace): Promise<void> {
  const file = path.join(folder, ".vscode", "mcp.json");
  const { servers } = JSON.parse(await readFile(file, "utf8")) as { servers: Record<string, unknown> };
  const server = (...module: string[]) => ({
    type: "stdio",
    command: "node",
    args: [path.resolve("node_modules", ...module), "--headless"],
  });
  const more = {
    playwright: server("@playwright", "mcp", "cli.js"),
    devtools: server("chrome-devtools-mcp", "build", "src", "bin", "chrome-devtools-mcp.js"),
  };
  await writeFile(file, JSON.stringify({ servers: { ...servers, ...more } }));
}
