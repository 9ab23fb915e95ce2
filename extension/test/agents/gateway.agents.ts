// Each agent with `winnowd mcp` in place of its servers: it finds a tool that
// is not in its list, and calls it.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { appendFile, readFile, readdir, writeFile } from "node:fs/promises";
import path from "node:path";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { agents } from "./agents";
import { Scene, winnowd } from "./scene";
import type { Answer, Asked } from "./wires";

const entity = { name: "garlic", entityType: "plant", observations: ["in the ground by November"] };

/** Finds the tool that stores something and calls it, in the way that the tools at hand allow. */
async function remember(asked: Asked): Promise<Answer> {
  const tool = (ending: string): string | undefined => asked.tools.find((name) => name.endsWith(ending));
  const last = asked.results.at(-1)?.name ?? "";
  if (/create_entities$|mcp_call$/.test(last)) return { say: "It is remembered." };
  const [finder, call, wanted] = [tool("mcp_load") ?? tool("mcp_search"), tool("mcp_call"), tool("create_entities")];
  if (wanted !== undefined) return { call: wanted, input: { entities: [entity] } };
  const found = asked.results.at(-1)?.text.includes("create_entities") === true;
  // What has been found can be called at once, whether the agent has listed again or not.
  if (call !== undefined && found)
    return { call, input: { name: "create_entities", arguments: { entities: [entity] } } };
  // The first searches may come before the server is up; the answer says so. An agent ends a model that asks the very
  // same at once, again and again.
  const tries = asked.results.length;
  if (finder !== undefined && tries < 20) {
    if (tries > 2) await delay(1000);
    return { call: finder, input: { query: `create entities in the knowledge graph${", please".repeat(tries)}` } };
  }
  // Qwen Code lists no MCP server's tool before it was searched for.
  if (tool("tool_search") !== undefined && last === "")
    return { call: "tool_search", input: { query: "select:mcp__winnow__mcp_search,mcp__winnow__mcp_call" } };
  return { say: `There is no tool for it: ${asked.tools.join(" ")}` };
}

await suite("agents through winnowd mcp", { concurrency: 2 }, () => {
  for (const agent of agents) {
    test(`${agent.name} finds a tool and calls it`, async () => {
      await using scene = await Scene.open(agent);
      await scene.write("config/winnow/winnow.json", { servers: scene.servers });
      const args = ["mcp", "-workspace", scene.setup.folder, "-storage", scene.file("storage")];
      scene.setup.servers = {
        winnow: {
          command: winnowd,
          args,
          env: { XDG_CONFIG_HOME: scene.file("config"), HOME: scene.setup.home, WINNOW_SHARE: "off" },
        },
      };
      await scene.configure();
      scene.provider.script = remember;
      const { code, output } = await scene.ask("remember when garlic is planted");
      assert.equal(code, 0, output);
      assert.match(
        await scene.remembered(),
        /garlic/,
        `${output}\n${JSON.stringify(scene.provider.asked.map((a) => a.results))}`,
      );
      const most = Math.max(
        ...scene.provider.asked.map(({ tools }) => tools.filter((t) => t.includes("winnow")).length),
      );
      console.log(`${agent.name}: at most ${String(most)} tools of 107 in a request`);
      assert.ok(most < 30, `${String(most)} tools of the gateway's are in a request`);
    });
  }

  // A connection is a conversation of the gateway's, so that what a subagent loads is not its parent's.
  test("Codex starts a connection for its subagent", async () => {
    const agent = agents.find((one) => one.name === "Codex");
    assert.ok(agent !== undefined);
    await using scene = await Scene.open(agent);
    await scene.write("config/winnow/winnow.json", { servers: { memory: scene.servers["memory"] } });
    const copy = scene.file("copy.sh");
    // Of what each process is sent, a file.
    await writeFile(copy, `#!/bin/sh\ntee ${scene.file("sent")}.$$ | ${winnowd} "$@"\n`, { mode: 0o755 });
    scene.setup.servers = {
      winnow: {
        command: copy,
        args: ["mcp", "-workspace", scene.setup.folder, "-storage", scene.file("storage")],
        env: { XDG_CONFIG_HOME: scene.file("config"), HOME: scene.setup.home, WINNOW_SHARE: "off" },
      },
    };
    await scene.configure();
    await appendFile(path.join(scene.setup.home, ".codex", "config.toml"), "\n[features]\nmulti_agent = true\n");
    const said = new Map<string, number>();
    let searched = (): void => undefined;
    const helperSearched = new Promise<void>((resolve) => (searched = resolve));
    scene.provider.script = async ({ words, tools }) => {
      const tool = (ending: string): string => tools.find((name) => name.endsWith(ending)) ?? "";
      const helper = words.includes("you are the helper");
      const [who, turn] = [helper ? "helper" : "parent", said.get(helper ? "helper" : "parent") ?? 0];
      said.set(who, turn + 1);
      if (turn === 0) return { call: tool("mcp_search"), input: { query: `entities for the ${who}` } };
      if (helper) searched();
      else if (turn === 1) return { call: tool("spawn_agent"), input: { message: "you are the helper" } };
      await helperSearched; // it ends with its parent
      return { say: "done" };
    };
    const { output } = await scene.ask("remember when garlic is planted");
    const sent = (await readdir(scene.file("."))).filter((name) => name.startsWith("sent."));
    const searches = await Promise.all(
      sent.map(async (name) => {
        const frames = (await readFile(scene.file(name), "utf8")).split("\n");
        const calls = frames.filter((frame) => frame.includes("tools/call"));
        return calls.map(
          (frame) => (JSON.parse(frame) as { params: { arguments: { query: string } } }).params.arguments.query,
        );
      }),
    );
    assert.deepEqual(searches.sort(), [["entities for the helper"], ["entities for the parent"]], output);
  });

  // As a person does who has read the page: the servers in a file of Winnow's, one command, the agent.
  for (const [id, name] of Object.entries({ opencode: "opencode", codex: "Codex", gemini: "Gemini CLI" })) {
    test(`winnowd connect ${id} is all that ${name} needs`, async () => {
      const agent = agents.find((one) => one.name === name);
      assert.ok(agent !== undefined, name);
      await using scene = await Scene.open(agent);
      const { home: HOME, folder: cwd } = scene.setup;
      await scene.write("home/.config/winnow/winnow.json", { servers: scene.servers });
      await scene.configure(); // the model alone
      const connect = (...flags: string[]) =>
        promisify(execFile)(winnowd, ["connect", id, ...flags], { cwd, env: { PATH: process.env["PATH"], HOME } });
      const { stdout } = await connect();
      assert.match(stdout, /\.config\/winnow\/bin\/winnowd/, "the entry names the launcher");
      scene.provider.script = remember;
      const { code, output } = await scene.ask("remember when garlic is planted");
      assert.equal(code, 0, output);
      assert.match(await scene.remembered(), /garlic/, output);
      assert.match((await connect("-undo")).stdout, /^Took this out of .*winnow/s);
    });
  }
});
