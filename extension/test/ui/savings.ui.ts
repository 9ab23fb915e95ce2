// What Winnow says that it saves, held against what the model behind it was
// sent: for five tasks, by VS Code itself, in shadow mode, and routed.
import assert from "node:assert/strict";
import { describe, test } from "node:test";
import { formatNumber, formatTokens } from "../../src/base/format";
import { threeServers } from "../host/workspace";
import { type ModelRequest, type ModelTool, say } from "../scripted-model/script";
import { carried, toolCost } from "../support/cost";
import { testDaemon } from "../support/daemon";
import { routedName } from "../../src/models/twins";
import { session } from "./session";

const messages = [
  "read the notes of the garden",
  "take a screenshot of the page",
  "which files are in this folder",
  "fill in the form and send it",
  "measure how fast the page loads",
];

/** What VS Code shows of MCP: tools, and the groups behind which it hides others; and what Winnow adds. */
const isMcp = ({ name }: ModelTool) => /^(?:mcp|activate)_/.test(name);

describe("savings", () => {
  const ui = session({ arrange: threeServers });

  /** Asks in a new chat, and returns what the model was sent of MCP. */
  async function sent(model: string, message: string, reply: string): Promise<ModelTool[]> {
    const { workbench, script } = ui();
    script.exchanges.length = 0;
    script.use(() => [say(reply)]);
    await workbench.newChat();
    await workbench.chooseModel(model);
    await workbench.ask(message);
    await workbench.answered(reply);
    const request: ModelRequest = script.exchanges[0]?.request ?? assert.fail("there was no request");
    return request.tools.filter(isMcp);
  }

  test("the status bar and its tooltip say the difference between the requests, for five tasks", async (t) => {
    const { editor, workbench } = ui();
    const daemon = testDaemon(t, editor.profile.dir);
    await daemon.start();
    const cost = (tools: readonly ModelTool[]) => toolCost(daemon, tools);
    await workbench.modelChosen("Scripted One");
    await sent("Scripted One", "hello", "unique reply hello"); // its servers start with it
    for (const [i, message] of messages.entries()) {
      const bare = await cost(await sent("Scripted One", message, `unique reply bare ${i}`));

      await workbench.command("Winnow: Turn Shadow Mode On or Off");
      const watched = await sent(routedName("Scripted One"), message, `unique reply watched ${i}`);
      assert.equal(await cost(watched), bare, `${message}: shadow mode changes nothing`);
      const would = workbench.statusBarItem(/would attach \d+ of \d+ tools/);
      await would.waitFor();
      const report = await would.innerText();
      await workbench.command("Winnow: Turn Shadow Mode On or Off");

      const tools = await sent(routedName("Scripted One"), message, `unique reply routed ${i}`);
      const routed = await cost(tools);
      // A share of the whole request; nothing where nothing is saved.
      const saves = bare > routed;
      await workbench.statusBarItem(saves ? /\d+ of \d+ tools, saves (?:about )?\d+%$/ : /\d+ of \d+ tools$/).waitFor();
      const tooltip = await workbench.statusBarTooltip(/\d+ of \d+ tools/);
      const loader = tools.filter(({ name }) => name === "mcp_load");
      const own = loader.length === 0 ? 0 : await cost(loader);
      assert.ok(tooltip.includes(carried(routed - own, own)), `${message}: ${routed} were sent\n${tooltip}`);
      assert.ok(tooltip.includes(`sends ${formatNumber(bare)} tokens`), `${message}: ${bare} by itself\n${tooltip}`);
      if (saves) {
        assert.ok(tooltip.includes(`VS Code by itself, ${formatTokens(bare - routed)} tokens`), tooltip);
      }
      assert.match(report, saves ? /tools, would save (?:about )?\d+%/ : /tools$/);
      console.log(
        `      ${message}: VS Code by itself ${bare} tokens of MCP; shadow mode: ${report.trim()}; routed ${routed}, ` +
          `${tools.filter(({ name }) => name !== "mcp_load").length} tools`,
      );
    }
  });
});
