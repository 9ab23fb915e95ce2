// Each agent with five servers of its own, whose model's address is `winnowd
// proxy`: three messages, one tool loaded, a stream that is cancelled, and an
// error of the provider's.
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { suite, test } from "node:test";
import { agents } from "./agents";
import { Scene, winnowd } from "./scene";
import type { Answer, Asked } from "./wires";

/** `winnowd proxy` before the scene's model. */
class Proxy implements AsyncDisposable {
  readonly url: string;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, url: string) {
    this.#child = child;
    this.url = url;
  }

  /** Starts a proxy and tells the scene of it. */
  static async before(scene: Scene): Promise<Proxy> {
    const { openai, gemini } = scene.provider.model;
    // As the page for users has it: the servers are the agents' alone, and their names tell which of opencode's tools
    // are MCP's.
    const includeTools = Object.keys(scene.servers).map((server) => `${server}_*`);
    const endpoints = { openai: { url: openai, includeTools }, gemini: { url: gemini } };
    await scene.write("config/winnow/winnow.json", { endpoints });
    const settings = await scene.write("settings.json", { initialK: 8, searchK: 2 });
    const args = ["proxy", "-listen", "127.0.0.1:0", "-workspace", scene.setup.folder];
    const child = spawn(winnowd, [...args, "-storage", scene.file("storage"), "-settings", settings], {
      env: { PATH: process.env["PATH"], HOME: scene.setup.home, XDG_CONFIG_HOME: scene.file("config") },
      stdio: ["ignore", "ignore", "pipe"],
    });
    for await (const line of createInterface({ input: child.stderr })) {
      const { address } = JSON.parse(line) as { address?: string };
      if (address === undefined) continue;
      child.stderr.resume();
      scene.setup.model = { openai: `${address}/to/openai`, gemini: `${address}/to/gemini` };
      return new Proxy(child, address);
    }
    throw new Error("winnowd proxy ended before it served");
  }

  async stats(): Promise<Stats> {
    return (await (await fetch(`${this.url}/winnow/stats`)).json()) as Stats;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode !== null) return;
    this.#child.kill();
    await once(this.#child, "exit");
  }
}

/** What the tests look at of /winnow/stats. */
interface Stats {
  conversations: {
    counts: { scoped: number; attached: number; native: number };
    tokens: { all: number; saved: number };
  }[];
}

const entity = { name: "garlic", entityType: "plant", observations: ["in the ground by November"] };

/** Loads what stores something, by which Winnow adds it to the tools; then calls it. Later messages get a word. */
function script(asked: Asked): Answer {
  const last = asked.results.at(-1)?.name ?? "";
  if (!asked.words.includes("sum")) return { say: `heard ${String(asked.number)}` };
  if (last.endsWith("create_entities")) return { say: "It is remembered." };
  const wanted = asked.tools.find((name) => name.endsWith("create_entities"));
  if (wanted !== undefined) return { call: wanted, input: { entities: [entity] } };
  if (asked.tools.includes("mcp_load"))
    return { call: "mcp_load", input: { query: "create entities in the knowledge graph" } };
  // Qwen Code lists no MCP server's tool before it was searched for.
  if (asked.tools.includes("tool_search") && last === "")
    return { call: "tool_search", input: { query: "select:mcp__memory__create_entities" } };
  return { say: `There is no tool for it: ${asked.tools.join(" ")}` };
}

await suite("agents through winnowd proxy", { concurrency: 2 }, () => {
  for (const agent of agents) {
    test(`${agent.name} with five servers`, async () => {
      await using scene = await Scene.open(agent);
      await using proxy = await Proxy.before(scene);
      scene.setup.servers = scene.servers;
      await scene.configure();
      const { provider } = scene;
      provider.script = script;

      for (const [i, words] of ["list the notes in the folder", "take a screenshot of the page"].entries()) {
        const { code, output } = await scene.ask(words, i > 0);
        assert.equal(code, 0, output);
      }
      const { output } = await scene.ask("what is the sum of 2 and 40?", true);
      assert.match(await scene.remembered(), /garlic/, output);
      assert.doesNotMatch(output, /mcp_load/);
      const conversation = provider.asked.filter(({ tools }) => tools.length > 7);
      assert.ok(conversation.length >= 5, `only ${String(conversation.length)} requests`);
      onlyGrows(conversation);

      provider.script = () => ({ fail: 400, message: "the scripted refusal" });
      const refused = await scene.ask("and now?", true);
      assert.match(refused.output, /the scripted refusal/);

      // The provider fails after Winnow's own round, of which the agent knows nothing: it tells the error as its own.
      let loaded = false;
      provider.script = (asked) => {
        if (asked.results.at(-1)?.name === "mcp_load") loaded = true;
        else if (asked.tools.includes("mcp_load"))
          return { call: "mcp_load", input: { query: "evaluate a script in the page" } };
        return { fail: 400, message: "the refusal after a load" };
      };
      const late = await scene.ask("look at the page once more", true);
      assert.match(late.output, /the refusal after a load/);
      assert.doesNotMatch(late.output, /mcp_load|stream closed|unhandled|TypeError/i);
      assert.equal(loaded, agent.name !== "Qwen Code", "the provider was asked again with what was loaded");

      provider.script = () => ({ stall: "Let me think." });
      const before = provider.asked.length;
      const run = scene.start("take your time", true);
      await provider.until(before + 1);
      run.interrupt();
      await provider.asked[before]?.gone;

      report(agent.name, conversation, await proxy.stats());
    });
  }
});

/** Checks that no request lacks a tool that the one before had. */
function onlyGrows(asked: Asked[]): void {
  for (const [i, { tools }] of asked.slice(1).entries()) {
    const missing = (asked[i]?.tools ?? []).filter((name) => !tools.includes(name));
    assert.deepEqual(missing, [], `request ${String(i + 2)} lacks tools of the one before`);
  }
}

/** Prints what was sent, and checks that it is less than what the agent wanted to send. */
function report(name: string, asked: Asked[], stats: Stats): void {
  const [conversation] = stats.conversations;
  const sent = asked.map(({ tools }) => tools.length).join(", ");
  if (name === "Qwen Code") {
    // It has cut its list itself; there is nothing to leave out.
    console.log(`${name}: tools sent ${sent}`);
    return;
  }
  assert.ok(conversation);
  const { counts, tokens } = conversation;
  console.log(
    `${name}: ${String(counts.scoped + counts.native)} tools in the agent, sent ${sent}; ${String(tokens.saved)} of ${String(tokens.all)} tokens saved`,
  );
  assert.ok(counts.scoped > 100, `the agent has ${String(counts.scoped)} tools of MCP's`);
  assert.ok(counts.attached < 30, `${String(counts.attached)} of them are attached`);
  assert.ok(tokens.saved > tokens.all / 2, `only ${String(tokens.saved)} of ${String(tokens.all)} tokens are saved`);
}
