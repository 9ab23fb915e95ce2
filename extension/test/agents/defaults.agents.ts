// Each agent as it is by default, which lets little run unasked. Without a terminal:
// whether its model can find, read and write through `winnowd mcp`; who says no where
// it cannot; and what a person sets so that it can. In its own terminal screen: how
// often a person is asked meanwhile.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile, writeFile } from "node:fs/promises";
import { suite, test } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { promisify } from "node:util";
import { type Agent, agents, kept } from "./agents";
import { Scene, winnowd } from "./scene";
import { type Screen, Terminal, noTerminal, screens } from "./terminal";
import type { Answer, Asked } from "./wires";

/** The flags by which the other suites let everything run. */
const unasked = ["--dangerously-bypass-approvals-and-sandbox", "--dangerously-skip-permissions", "--yolo"];

/** What an agent lets its model do, and what it says where it does not. */
interface Outcome {
  finds: boolean;
  reads: boolean;
  writes: boolean;
  refusal?: RegExp;
}

const everything: Outcome = { finds: true, reads: true, writes: true };

/** An agent as a person has it who has changed nothing, and what lets it write. */
interface Case {
  agent: string;
  byDefault: Outcome;
  /** What is set, for people. */
  set?: string;
  flags?: string[];
  /** A change of its configuration, which then lets everything run. */
  configure?: (text: string) => string;
}

const trusts = (text: string): string => text.replaceAll(`"trust":false`, `"trust":true`);

const cases: Case[] = [
  { agent: "opencode", byDefault: everything },
  {
    agent: "Codex",
    byDefault: { ...everything, writes: false, refusal: /requires approval, but approval policy is never/ },
    set: `default_tools_approval_mode = "approve"`,
    configure: (text) =>
      text.replace("[mcp_servers.winnow]", `[mcp_servers.winnow]\ndefault_tools_approval_mode = "approve"`),
  },
  {
    agent: "Gemini CLI",
    byDefault: { finds: false, reads: false, writes: false, refusal: /There is no tool/ },
    set: `"trust": true`,
    configure: trusts,
  },
  {
    agent: "Qwen Code",
    byDefault: { ...everything, writes: false, refusal: /requires permission to use/ },
    set: `"trust": true`,
    configure: trusts,
  },
  {
    agent: "Claude Code",
    byDefault: { finds: false, reads: false, writes: false, refusal: /haven't granted it/ },
    set: "--allowedTools=mcp__winnow",
    flags: ["--allowedTools=mcp__winnow"],
  },
];

/** The agent as it is by default, with what is set. */
function plain(agent: Agent, flags: string[], change: (text: string) => string): Agent {
  return {
    ...agent,
    command(words, goesOn) {
      const line = agent.command(words, goesOn).filter((flag) => !unasked.includes(flag));
      const at = line.findIndex((word) => word.startsWith("-"));
      return flags.length === 0 ? line : line.toSpliced(at, 0, ...flags);
    },
    async configure(setup) {
      await agent.configure(setup);
      const { home, folder } = setup;
      for (const file of [`${folder}/opencode.json`, `${home}/.gemini/settings.json`, `${home}/.qwen/settings.json`]) {
        const written = await readFile(file, "utf8").catch(() => "");
        if (written === "") continue;
        const config = JSON.parse(written) as Record<string, unknown>;
        delete config["permission"];
        await writeFile(file, change(JSON.stringify(config).replaceAll(`"trust":true`, `"trust":false`)));
      }
      const codex = `${home}/.codex/config.toml`;
      const written = await readFile(codex, "utf8").catch(() => "");
      if (written !== "") await writeFile(codex, change(written));
    },
  };
}

const entity = { name: "garlic", entityType: "plant", observations: ["in the ground by November"] };

/** A model that searches, reads and writes, each once, whatever comes of it. */
class Steps {
  /** What it was told at each step, by the ending of the tool's name. */
  readonly told = new Map<string, string>();

  readonly script = (asked: Asked): Answer => {
    const tool = (ending: string): string | undefined => asked.tools.find((name) => name.endsWith(ending));
    const last = asked.results.at(-1);
    const step = /(mcp_search|mcp_load|mcp_read|mcp_call)$/.exec(last?.name ?? "")?.[1]?.replace("load", "search");
    // The first searches may come before the servers are up. An agent ends a model that asks the very same at once.
    const tries = asked.results.length;
    const early = step === "mcp_search" && tries < 20 && /\d of \d+ tools|starting/.test(last?.text ?? "");
    if (step !== undefined && !(early && !(last?.text ?? "").includes("list_allowed_directories")))
      this.told.set(step, last?.text ?? "");
    const finder = tool("mcp_search") ?? tool("mcp_load");
    // Qwen Code lists no MCP server's tool before it was searched for.
    if (finder === undefined && tool("tool_search") !== undefined && last === undefined) {
      const doors = ["mcp_search", "mcp_call", "mcp_read"].map((name) => `mcp__winnow__${name}`);
      return { call: "tool_search", input: { query: `select:${doors.join(",")}` } };
    }
    const next: [string, string | undefined, object][] = [
      ["mcp_search", finder, { query: `which directories may be read${", please".repeat(tries)}` }],
      ["mcp_read", tool("mcp_read"), { name: "list_allowed_directories", arguments: {} }],
      ["mcp_call", tool("mcp_call"), { name: "create_entities", arguments: { entities: [entity] } }],
    ];
    for (const [name, call, input] of next) {
      if (this.told.has(name)) continue;
      if (call !== undefined) return { call, input };
      this.told.set(name, `There is no tool ${name}`);
    }
    return { say: "That is all." };
  };
}

/**
 * An agent with `winnowd mcp` in front of two servers, of whose tools one that reads is let run; by an entry of ours, or as
 * `winnowd connect` with this name connects it.
 */
async function opened(agent: Agent, settings: object, connect?: string): Promise<Scene> {
  const scene = await Scene.open(agent);
  const { memory, filesystem } = scene.servers;
  assert.ok(memory !== undefined && filesystem !== undefined);
  const servers = { memory, filesystem: { ...filesystem, alwaysAllow: ["list_allowed_directories"] } };
  const config = scene.file("home/.config");
  await scene.write("home/.config/winnow/winnow.json", { servers, settings });
  const { home: HOME, folder: cwd } = scene.setup;
  const env = { PATH: process.env["PATH"], HOME };
  const storage = scene.file("storage");
  if (connect === undefined) {
    scene.setup.servers = {
      winnow: {
        command: winnowd,
        args: ["mcp", "-workspace", cwd, "-storage", storage],
        env: { XDG_CONFIG_HOME: config, HOME, WINNOW_SHARE: "off" },
      },
    };
  }
  await scene.configure();
  if (connect !== undefined) await promisify(execFile)(winnowd, ["connect", connect], { cwd, env });
  return scene;
}

const all = [...agents, ...kept.filter(({ name }) => name === "Claude Code")];

await suite("agents as they are by default", { concurrency: 1 }, () => {
  for (const tried of cases) {
    const agent = all.find(({ name }) => name === tried.agent);
    const ways: [string, Outcome, string[], (text: string) => string][] = [
      ["by default", tried.byDefault, [], (text) => text],
      [`with ${tried.set ?? ""}`, everything, tried.flags ?? [], tried.configure ?? ((text) => text)],
    ];
    for (const [name, want, flags, change] of tried.set === undefined ? ways.slice(0, 1) : ways) {
      test(`${tried.agent} ${name}`, async () => {
        assert.ok(agent !== undefined);
        // Who cannot show Winnow's own question is not to be asked it.
        const settings = name === "by default" ? {} : { "gateway.confirmWritesFor.memory": "never" };
        await using scene = await opened(plain(agent, flags, change), settings);
        const steps = new Steps();
        scene.provider.script = steps.script;
        const { output } = await scene.ask("remember when garlic is planted");
        const told = (step: string): string => steps.told.get(step) ?? "";
        const got = {
          finds: told("mcp_search").includes("list_allowed_directories"),
          reads: told("mcp_read").includes("Allowed directories"),
          writes: (await scene.remembered()).includes("garlic"),
        };
        console.log(`${tried.agent} | ${name} | ${JSON.stringify(got)}`);
        const { refusal, ...wanted } = want;
        const said = [...steps.told.values()].join("\n");
        assert.deepEqual(got, wanted, `${said}\n${output}`);
        if (refusal !== undefined) assert.match(said, refusal);
      });
    }
  }
});

/** What one asks in its own screen until one tool was found, one has read and one has written. */
interface Asks {
  /** The agent, and how its row in the page begins. */
  agent: string;
  row: string;
  /** The name by which `winnowd connect` connects it; without one it has the entry that is written by hand. */
  connect?: string;
  want: string[];
  /** Whether it is tried each night only. */
  nightly?: boolean;
}

const asks: Asks[] = [
  { agent: "Codex", row: "Codex 0.169, connected", connect: "codex", want: ["create_entities"] },
  { agent: "Claude Code", row: "Claude Code", want: ["mcp_search", "mcp_read", "mcp_call", "create_entities"] },
  { agent: "Codex", row: "Codex 0.169, by hand", want: ["mcp_call", "create_entities"], nightly: true },
  { agent: "Gemini CLI", row: "Gemini CLI", want: ["mcp_search", "mcp_read", "mcp_call"], nightly: true },
  { agent: "Qwen Code", row: "Qwen Code", want: ["mcp_call"], nightly: true },
  { agent: "opencode", row: "opencode", want: [], nightly: true },
];

/** How long a screen may take, in milliseconds; how long one that still shows a question is taken to have missed the answer. */
const [patience, missed] = [180_000, 15_000];

/** Says yes, once each, to what a screen asks until done; returns the tools that it asked about. */
async function agree(terminal: Terminal, screen: Screen, again: () => string, done: () => Promise<boolean>) {
  const questions: string[] = [];
  let [pressed, said, typed] = [0, "", false];
  for (const end = Date.now() + patience; !(await done());) {
    await delay(100);
    const text = await terminal.text();
    assert.ok(Date.now() < end, `not done after ${String(patience)} ms, asked about ${questions.join(", ")}:\n${text}`);
    for (const { shown, keys } of screen.questions) {
      const tool = shown.exec(text)?.[1];
      if (tool === undefined || (questions.includes(tool) && Date.now() < pressed + missed)) continue;
      if (!questions.includes(tool)) questions.push(tool);
      await terminal.press(...keys);
      pressed = Date.now();
    }
    const words = again();
    if (words !== said) {
      await terminal.type((said = words));
      typed = true;
    } else if (typed && text.includes(words)) {
      await terminal.press("Enter");
      typed = false;
    }
  }
  return questions;
}

await suite("agents in their own screens", { concurrency: 2, skip: noTerminal() ?? false }, () => {
  const nightly = process.env["WINNOW_SCREENS"] === "all";
  for (const { agent: name, row, connect, want } of asks.filter((one) => nightly || one.nightly !== true)) {
    test(`${row} asks about ${want.join(", ") || "nothing"}`, async () => {
      const [agent, screen] = [all.find((one) => one.name === name), screens[name]];
      assert.ok(agent !== undefined && screen !== undefined);
      await using scene = await opened(
        plain(agent, [], (text) => text),
        {},
        connect,
      );
      await screen.prepare?.(scene.setup);
      // The servers' tools are known of an earlier run, so that the first search finds them.
      const { home: HOME, folder: cwd } = scene.setup;
      const { args = ["mcp"] } = scene.setup.servers["winnow"] ?? {};
      const env = { PATH: process.env["PATH"], HOME };
      await promisify(execFile)(winnowd, ["servers", "-start", ...args.slice(1)], { cwd, env });
      const steps = new Steps();
      let tries = 0;
      scene.provider.script = async (request) => {
        // An agent may ask its model before its servers are up. Another message has their tools.
        if (tries < 20 && !request.tools.some((tool) => /mcp_search$|mcp_load$|tool_search$/.test(tool))) {
          tries += 1;
          if (tries > 2) await delay(1000); // else all tries are over before a busy machine has started them
          return { say: "not yet" };
        }
        return steps.script(request);
      };
      await using terminal = await Terminal.open(agent, screen, scene.setup, "remember when garlic is planted");
      const again = (): string => (tries === 0 ? "" : `once more ${String(tries)}`);
      const questions = await agree(terminal, screen, again, async () => {
        return steps.told.has("mcp_call") && (await scene.remembered()).includes("garlic");
      });
      console.log(`${row} | in its screen | asks ${String(questions.length)}: ${questions.join(", ")}`);
      assert.match(steps.told.get("mcp_search") ?? "", /list_allowed_directories/);
      assert.match(steps.told.get("mcp_read") ?? "", /Allowed directories/);
      assert.deepEqual(questions, want);
      const about = (...tools: string[]): number => questions.filter((tool) => tools.includes(tool)).length;
      const [, page = ""] = (await readFile("extension/docs/clients.md", "utf8")).split("**In its own screen**");
      const line = page.split("\n").find((line) => line.startsWith(`| ${row} `)) ?? "";
      const [, , finds, reads, writes] = line.split("|").map(Number);
      const counted = [about("mcp_search"), about("mcp_read"), about("mcp_call", "create_entities")];
      assert.deepEqual([finds, reads, writes], counted, line);
    });
  }
});
