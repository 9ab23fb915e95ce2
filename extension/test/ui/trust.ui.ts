// A workspace that is not trusted, and the values that its servers ask for.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { processesOf, until } from "../host/processes";
import type { Workspace } from "../host/workspace";
import { pictures, session } from "./session";

/** What the person types; no file may hold it. */
const secret = "correct-horse-battery";

/** Winnow's own file, with servers that start only when they know their values. */
async function arrange({ dir, folder }: Workspace): Promise<void> {
  const memory = path.resolve("node_modules", "@modelcontextprotocol", "server-memory", "dist", "index.js");
  const config = {
    inputs: [
      { id: "key", type: "promptString", description: "The key of the notes", password: true },
      { id: "region", type: "pickString", description: "The region of the notes", options: ["north", "south"] },
    ],
    servers: {
      keeps: { command: "node", args: [memory], env: { KEY: "${input:key}", MEMORY_FILE_PATH: path.join(dir, "a") } },
      remembers: {
        command: "node",
        args: [memory],
        env: { MEMORY_FILE_PATH: path.join(dir, "${input:region}.jsonl") },
      },
    },
  };
  await writeFile(path.join(folder, ".vscode", "winnow.json"), JSON.stringify(config));
}

describe("trust", () => {
  const ui = session({ workspaceTrust: true, arrange });

  /** The servers that run, as processes of the editor's. */
  const running = async () =>
    (await processesOf(ui().editor.profile.dir)).filter(({ command }) => command.includes("server-memory"));

  test("nothing of a workspace starts before it is trusted, and it is shown all the same", async () => {
    const { workbench } = ui();
    await workbench.openContainer("Winnow");
    await workbench.treeRow(/^keeps.*trust/).waitFor();
    await workbench.treeRow(/^remembers.*trust/).waitFor();
    assert.deepEqual(await running(), []);
    await pictures(ui(), "trust/restricted");
  });

  test("trusted, each value is asked for once, in the right kind of box", async () => {
    const { editor, workbench } = ui();
    await workbench.command("Workspaces: Manage Workspace Trust");
    await editor.page.getByRole("button", { name: "Trust", exact: true }).first().click();

    // Both servers start at once; the second box waits for the first.
    const box = editor.page.locator(".quick-input-widget");
    const key = box.getByText("The key of the notes");
    const region = box.getByPlaceholder("The region of the notes");
    for (let asked = 0; asked < 2; asked++) {
      await key.or(region).waitFor();
      if (await region.isVisible()) {
        await workbench.pick("south");
        await region.waitFor({ state: "hidden" });
        continue;
      }
      assert.equal(await box.locator("input.input").getAttribute("type"), "password");
      await editor.screenshot("trust/input");
      await workbench.answer(secret);
      await key.waitFor({ state: "hidden" });
    }
    await editor.page.keyboard.press("Escape"); // the page about trust lies over all
    await workbench.treeRow(/^keeps9 tools/).waitFor();
    await workbench.treeRow(/^remembers9 tools/).waitFor();
    assert.equal((await running()).length, 2);

    // A new start asks for nothing.
    await workbench.command("Winnow: Restart Daemon");
    await until("both servers to be ready again", async () => {
      const ready = (await editor.profile.tails()).match(/MCP server is ready/g);
      return (ready?.length ?? 0) >= 4;
    });
    assert.equal(await key.or(region).isVisible(), false);
    assert.ok(!(await readFile(path.join(ui().workspace.folder, ".vscode", "winnow.json"), "utf8")).includes(secret));
    assert.ok(!(await editor.profile.tails()).includes(secret), "it is in a log");
  });
});
