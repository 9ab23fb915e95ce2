// An agent in its own terminal screen: tmux draws it, and presses the keys.
import { execFile, spawnSync } from "node:child_process";
import { appendFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { type Agent, type Setup, bin } from "./agents";

/** How a person works an agent's screen. */
export interface Screen {
  /** What starts it on a message, as Agent.command does without a terminal. */
  command(words: string): string[];
  /** What its questions look like. The group is the tool that each is about; the keys say yes, this once. */
  questions: { shown: RegExp; keys: string[] }[];
  /** Answers what it asks at its first start in a folder, which has nothing to do with tools. */
  prepare?(setup: Setup): Promise<void>;
}

const ours = (shown: RegExp): Screen["questions"][number] => ({ shown, keys: ["Enter"] });

/** The screens by the agents' names, as of the versions that are installed. */
export const screens: Record<string, Screen> = {
  opencode: {
    command: (words) => [
      bin("opencode-linux-x64-baseline", "bin", "opencode"),
      "--model",
      "test/scripted",
      "--prompt",
      words,
    ],
    questions: [ours(/(Permission required)/)],
  },
  Codex: {
    command: (words) => [process.execPath, bin("@openai", "codex", "bin", "codex.js"), words],
    questions: [
      ours(/Allow the winnow MCP server to run tool "(\w+)"[^]*enter to submit/),
      ours(/Run the tool "(\w+)" of the MCP server[^]*enter to submit/),
    ],
    prepare: async ({ home, folder }) => {
      await appendFile(
        path.join(home, ".codex", "config.toml"),
        `\n[projects.${JSON.stringify(folder)}]\ntrust_level = "trusted"\n`,
      );
    },
  },
  "Gemini CLI": {
    command: (words) => [
      process.execPath,
      bin("@google", "gemini-cli", "bundle", "gemini.js"),
      "--skip-trust",
      "--model",
      "gemini-2.5-pro",
      "--prompt-interactive",
      words,
    ],
    questions: [ours(/Allow execution of MCP tool "(\w+)" from server "winnow"\?[^]*1\. Allow once/)],
  },
  "Qwen Code": {
    command: (words) => [
      process.execPath,
      bin("@qwen-code", "qwen-code", "cli.js"),
      "--auth-type",
      "openai",
      "--prompt-interactive",
      words,
    ],
    questions: [ours(/Allow execution of MCP tool "(\w+)" from server "winnow"\?[^]*1\. Yes, allow once/)],
  },
  "Claude Code": {
    command: (words) => [
      bin("@anthropic-ai", "claude-code-linux-x64", "claude"),
      "--model",
      "claude-sonnet-4-5",
      words,
    ],
    questions: [
      ours(/winnow - (mcp_\w+)\([^]*Do you want to proceed\?/),
      { shown: /Run the tool "(\w+)" of the MCP server[^]*Accept/, keys: ["Down", "Enter"] },
    ],
    prepare: async ({ home, folder }) => {
      const file = {
        hasCompletedOnboarding: true,
        customApiKeyResponses: { approved: ["test"], rejected: [] },
        projects: { [folder]: { hasTrustDialogAccepted: true, hasCompletedProjectOnboarding: true } },
      };
      await writeFile(path.join(home, ".claude.json"), JSON.stringify(file));
    },
  },
};

/** Says why no screen can be drawn here; undefined where it can. */
export function noTerminal(): string | undefined {
  return spawnSync("tmux", ["-V"]).status === 0 ? undefined : "no tmux; on Debian: apt install tmux";
}

/** A screen of 45 lines. Closing it ends the agent. */
export class Terminal implements AsyncDisposable {
  readonly #socket: string;
  readonly #env: Record<string, string>;

  private constructor(socket: string, env: Record<string, string>) {
    this.#socket = socket;
    this.#env = env;
  }

  /** Starts an agent on a message. */
  static async open(agent: Agent, screen: Screen, setup: Setup, words: string): Promise<Terminal> {
    const env = {
      PATH: process.env["PATH"] ?? "",
      HOME: setup.home,
      WINNOW_SHARE: "off",
      LC_ALL: "C.UTF-8",
      ...agent.environment(setup),
    };
    const terminal = new Terminal(path.join(path.dirname(setup.folder), "tmux"), env);
    // What an agent says before it ends stays on the screen.
    const options = [
      ["set-option", "-g", "remain-on-exit", "on"],
      ["set-option", "-g", "default-terminal", "screen-256color"],
    ];
    const session = ["new-session", "-d", "-x", "150", "-y", "45", "-c", setup.folder, "--", ...screen.command(words)];
    await terminal.#tmux(...[["start-server"], ...options].flatMap((command) => [...command, ";"]), ...session);
    return terminal;
  }

  /** What is on the screen. */
  async text(): Promise<string> {
    return await this.#tmux("capture-pane", "-p");
  }

  /** Presses keys by tmux's names for them, one after the other. */
  async press(...keys: string[]): Promise<void> {
    await this.#tmux("send-keys", ...keys);
  }

  /** Types a text. */
  async type(text: string): Promise<void> {
    await this.#tmux("send-keys", "-l", text);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#tmux("kill-server");
  }

  async #tmux(...args: string[]): Promise<string> {
    const { stdout } = await promisify(execFile)("tmux", ["-u", "-S", this.#socket, "-f", "/dev/null", ...args], {
      env: this.#env,
    });
    return stdout;
  }
}
