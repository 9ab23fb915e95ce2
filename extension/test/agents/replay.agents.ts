// Each agent whose history `winnowd replay` reads, with servers of its own: what its
// scripted model called is known, and so is how each call has to end.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { type Agent, kept } from "./agents";
import { Scene, winnowd } from "./scene";
import type { Answer, Asked } from "./wires";

/** A message, the tool that the model calls for it, and how that call has to end. */
interface Step {
  words: string;
  server: string;
  tool: string;
  input: object;
  ends: string[];
}

function steps(folder: string): Step[] {
  const list = { server: "filesystem", tool: "list_directory", input: { path: folder } };
  return [
    {
      words: "create an entity garlic in the knowledge graph",
      server: "memory",
      tool: "create_entities",
      input: { entities: [{ name: "garlic", entityType: "plant", observations: [] }] },
      ends: ["in full"],
    },
    { words: "what is the meaning of life?", ...list, ends: ["by name", "found", "not found"] },
    { words: "and of this?", ...list, ends: ["in full"] }, // what was called stays
    {
      words: "echo hello back to me",
      server: "everything",
      tool: "echo",
      input: { message: "hello" },
      ends: ["out of scope"],
    },
    {
      words: "think about it step by step",
      server: "sequential-thinking",
      tool: "sequentialthinking",
      input: { thought: "well", nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
      ends: ["unknown"],
    },
  ];
}

/** Calls the tool of the latest message, and then says a word. */
function script(plan: Step[]): (asked: Asked) => Answer {
  return (asked) => {
    const [step] = plan.toSorted((a, b) => asked.words.lastIndexOf(b.words) - asked.words.lastIndexOf(a.words));
    const last = asked.results.at(-1)?.name ?? "";
    if (step === undefined || !asked.words.includes(step.words)) return { say: "done" };
    if (last !== "" && last !== "ToolSearch") return { say: "done" };
    const names = asked.tools.filter((name) => name.endsWith(step.tool));
    const call = names.find((name) => name.replaceAll(/[-_]/g, "").includes(step.server.replaceAll("-", "")));
    if (call !== undefined) return { call, input: step.input };
    const query = `select:mcp__${step.server}__${step.tool}`;
    if (asked.tools.includes("ToolSearch") && asked.results.length < 20)
      return { call: "ToolSearch", input: { query, max_results: 5 } };
    return { say: `there is no ${step.tool}: ${asked.tools.join(" ")}` };
  };
}

/** What the tests look at of a report. */
interface Report {
  messages: number;
  ownCalls: number;
  calls: Record<string, number>;
  servers: { name: string; calls: Record<string, number> }[];
  misses: { server: string; tool: string }[];
  costs: { priced: { requests: number } };
  read: { damagedLines: number; unknownRecords?: Record<string, number> };
}

const ids: Record<string, string> = {
  "Claude Code": "claude",
  "Claude Code that searches": "claude",
  Codex: "codex",
  "Gemini CLI": "gemini",
  opencode: "opencode",
};

async function replay(scene: Scene, agent: Agent): Promise<Report> {
  const { home: HOME, folder: cwd } = scene.setup;
  const env = { PATH: process.env["PATH"], HOME, XDG_CONFIG_HOME: scene.file("config"), WINNOW_SHARE: "off" };
  const run = promisify(execFile);
  const session = ["-workspace", cwd, "-storage", scene.file("storage")];
  const { everything, ...servers } = scene.servers;
  assert.ok(everything !== undefined);
  delete servers["sequential-thinking"]; // it is the agent's alone
  await scene.write("config/winnow/winnow.json", {
    servers: { ...servers, everything: { ...everything, disabledTools: ["echo"] } },
  });
  await run(winnowd, ["servers", "-start", ...session], { env });
  const settings = await scene.write("settings.json", { initialK: 4, named: 0, searchK: 2 });
  const which = ["-client", ids[agent.name] ?? ""];
  if (agent.name === "opencode") {
    const [command = ""] = agent.command("", false);
    const options = { cwd, env: { ...env, ...agent.environment(scene.setup) }, maxBuffer: 1 << 26 };
    const { stdout: listed } = await run(command, ["session", "list"], options);
    const session = /ses_\w+/.exec(listed)?.[0] ?? "";
    const { stdout: exported } = await run(command, ["export", session], options);
    await writeFile(path.join(cwd, "export.json"), exported);
    which.push("-file", `opencode=${path.join(cwd, "export.json")}`);
  }
  const { stdout } = await run(winnowd, ["replay", "-json", "-no-grid", "-settings", settings, ...which, ...session], {
    env,
    cwd,
  });
  return JSON.parse(stdout) as Report;
}

await suite("winnowd replay of what agents have kept", { concurrency: 2 }, () => {
  for (const agent of kept) {
    test(`${agent.name}: every call ends as it has to`, async () => {
      await using scene = await Scene.open(agent);
      scene.setup.servers = scene.servers;
      await scene.configure();
      const plan = steps(scene.setup.folder);
      scene.provider.script = script(plan);
      for (const [i, { words }] of plan.entries()) {
        const { code, output } = await scene.ask(words, i > 0);
        assert.equal(code, 0, output);
      }
      const report = await replay(scene, agent);
      const said = JSON.stringify(report, undefined, 1);
      assert.equal(report.messages, plan.length, said);
      assert.equal(report.read.damagedLines, 0, said);
      assert.deepEqual(Object.keys(report.read.unknownRecords ?? {}), [], said);
      const ends = (server: string): string[] =>
        // Codex writes the name of a server that is not known otherwise.
        Object.entries(report.servers.find((row) => row.name.replaceAll("_", "-") === server)?.calls ?? {}).flatMap(
          ([end, n]) => Array<string>(n).fill(end),
        );
      for (const server of new Set(plan.map((step) => step.server))) {
        const want = plan.filter((step) => step.server === server);
        // opencode's names say nothing of a server that is not known: the tool is taken for its own.
        if (agent.name === "opencode" && want[0]?.ends[0] === "unknown") {
          assert.equal(report.ownCalls, 1, said);
          continue;
        }
        const got = ends(server);
        assert.equal(got.length, want.length, `${server}: ${said}`);
        for (const step of want)
          assert.ok(
            step.ends.some((end) => got.includes(end)),
            `${step.words}: ${said}`,
          );
      }
      assert.ok(
        report.misses.every((miss) => miss.tool === "list_directory"),
        said,
      );
      // The others' scripted answers count less than their tools are.
      if (ids[agent.name] === "claude") assert.ok(report.costs.priced.requests >= 2 * plan.length, said);
      console.log(`${agent.name}: ${JSON.stringify(report.calls)}, ${String(report.costs.priced.requests)} priced`);
    });
  }
});
