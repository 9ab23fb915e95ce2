// VS Code's custom agents stand for modes of Winnow's of the same name.
import { suite, suiteSetup, suiteTeardown, test } from "mocha";
import assert from "node:assert/strict";
import { ask, newChat, say, scriptedModel, setting, startServers, textOf, until } from "./api";
import { attached, twin } from "./routed";
import { winnowFile } from "./winnowfile";

suite("custom agents", () => {
  const restore: (() => Promise<void>)[] = [];

  suiteSetup(async () => {
    await startServers(/get-sum$/);
    await startServers(/read_graph$/);
    restore.push(await setting("winnow.threshold", 5), await setting("winnow.initialK", 6));
    restore.push(
      await winnowFile(() => ({
        modes: { remember: { name: "Gardener", allowedMcpServers: ["memory"] }, other: { allowedMcpServers: [] } },
      })),
    );
  });

  suiteTeardown(async () => {
    for (const put of restore) await put();
    await newChat();
  });

  /** What the model is sent when the user writes to an agent: the system prompt, and MCP's tools. */
  async function sent(agent: string) {
    const model = await scriptedModel();
    model.use(() => [say("noted")]);
    model.exchanges.length = 0;
    await newChat();
    await ask("what grows in the garden?", twin, agent);
    const request = model.exchanges.at(-1)?.request;
    assert.ok(request !== undefined);
    return { system: textOf(request.messages[0]?.parts ?? []), tools: attached(request) };
  }

  /** The same, once VS Code has found the agent's file: until then it takes its own agent. */
  function sentBy(agent: string) {
    return until(`the agent ${agent}`, async () => {
      const found = await sent(agent);
      return found.system.includes(`Answer as a ${agent} does`) ? found : undefined;
    });
  }

  test("an agent with the name of a mode has the servers of that mode", async () => {
    const { tools } = await sentBy("Gardener");
    assert.ok(tools.length > 0);
    assert.deepEqual(
      tools.filter((name) => !name.startsWith("mcp_memory")),
      [],
    );
  });

  test("any other agent, and none, has the mode that was picked", async () => {
    for (const { tools } of [await sentBy("Cook"), await sent("agent")]) {
      assert.ok(
        tools.some((name) => !name.startsWith("mcp_memory")),
        tools.join(" "),
      );
    }
  });
});
