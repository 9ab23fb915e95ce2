// A routed model as a person uses it, with so many tools that VS Code hides
// most of them: one of these is called, and asked about as what it is.
import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { describe, test } from "node:test";
import { call, results, say } from "../scripted-model/script";
import type { Workspace } from "../host/workspace";
import { session } from "./session";

/** Tools that ask before they run, and what to give them; which of them VS Code hides is its own affair. */
const writing: Record<string, { input: object; says: RegExp }> = {
  "mcp_secure-filesy_write_file": { input: { path: "beans.md", content: "Sown in May." }, says: /beans\.md/ },
  "mcp_memory-server_delete_entities": { input: { entityNames: ["bean"] }, says: /deleted/ },
  "mcp_memory-server_create_relations": { input: { relations: [] }, says: /\[\]/ },
};

describe("models", () => {
  const ui = session({ arrange: moreServers });

  test("a hidden tool is asked about as the real one, and runs when it is allowed", async () => {
    const { editor, workbench, script } = ui();
    script.use(() => [say("unique bare reply")]);
    await workbench.modelChosen("Scripted One");
    await workbench.ask("hello");
    await workbench.answered("unique bare reply");
    const visible = script.exchanges.at(-1)?.request.tools.map(({ name }) => name) ?? [];
    const hidden = Object.keys(writing).find((name) => !visible.includes(name));
    assert.ok(hidden !== undefined, visible.join(" "));

    await workbench.chooseModel("Scripted One (Winnow)");
    await editor.screenshot("models/picked");
    script.use(function* (request) {
      const [loaded, ran] = results(request);
      if (loaded === undefined) yield call("mcp_load", { names: [hidden] });
      else if (ran === undefined) yield call(hidden, writing[hidden]?.input ?? {});
      else yield say(`unique routed reply: ${ran.text}`);
    });
    await workbench.ask("remember the beans");
    const tool = hidden.split("_").slice(-2).join("[_ ]");
    await workbench.allowed(new RegExp(tool, "i"));
    await workbench.answered(/unique routed reply/);
    await editor.screenshot("models/allowed");
    assert.match(
      results(script.exchanges.at(-1)?.request ?? assert.fail())[1]?.text ?? "",
      writing[hidden]?.says ?? /^$/,
    );
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
