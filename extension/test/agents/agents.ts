// The agents: how each is told of its servers and its model, how it is run for
// one message, and how it goes on with the conversation.
import { type ChildProcess, spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import path from "node:path";
import type { ServerEntry } from "../../demo/servers";

/** What an agent is to work with. */
export interface Setup {
  /** The agent's home and configuration; it is the agent's alone. */
  home: string;
  /** The folder that it works in. */
  folder: string;
  servers: Record<string, ServerEntry>;
  /** The model's addresses, as a client of each vendor's formats is given them. */
  model: { openai: string; gemini: string; anthropic?: string };
}

/** An agent of the npm registry. */
export interface Agent {
  name: string;
  /** Writes the agent's configuration. */
  configure(setup: Setup): Promise<void>;
  /** What runs a message: the first of a conversation, or one that goes on with the latest. */
  command(words: string, goesOn: boolean): string[];
  /** Variables of the environment beside HOME. */
  environment(setup: Setup): Record<string, string>;
}

/** The model's name. */
const scripted = "scripted";
const modules = process.env["WINNOW_AGENTS_MODULES"] ?? "";
/** A file of the agents' packages. */
export const bin = (...parts: string[]): string => path.join(modules, ...parts);

async function writeJSON(file: string, value: object): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(value, undefined, 2));
}

/** As Gemini CLI and Qwen Code, which descends from it, have their servers. */
function mcpServers(servers: Record<string, ServerEntry>): object {
  return Object.fromEntries(Object.entries(servers).map(([name, s]) => [name, { ...s, trust: true }]));
}

const opencode: Agent = {
  name: "opencode",
  // Its Linux binary itself: the command of opencode-ai is made by an install script.
  command: (words, goesOn) => [
    bin("opencode-linux-x64-baseline", "bin", "opencode"),
    "run",
    ...(goesOn ? ["--continue"] : []),
    "--model",
    `test/${scripted}`,
    words,
  ],
  async configure({ folder, servers, model: { openai } }) {
    const local = Object.entries(servers).map(([name, { command, args, env }]) => [
      name,
      { type: "local", command: [command, ...args], ...(env === undefined ? {} : { environment: env }) },
    ]);
    await writeJSON(path.join(folder, "opencode.json"), {
      autoupdate: false,
      share: "disabled",
      permission: { "*": "allow" },
      provider: {
        test: {
          npm: "@ai-sdk/openai-compatible",
          options: { baseURL: openai, apiKey: "test" },
          models: { [scripted]: { tool_call: true, limit: { context: 200_000, output: 8_000 } } },
        },
      },
      mcp: Object.fromEntries(local) as object,
    });
  },
  environment: () => ({ OPENCODE_DISABLE_MODELS_FETCH: "1", OPENCODE_DISABLE_LSP_DOWNLOAD: "1" }),
};

const codex: Agent = {
  name: "Codex",
  command: (words, goesOn) => [
    process.execPath,
    bin("@openai", "codex", "bin", "codex.js"),
    "exec",
    ...(goesOn ? ["resume", "--last"] : []),
    "--skip-git-repo-check",
    "--dangerously-bypass-approvals-and-sandbox",
    words,
  ],
  async configure({ home, servers, model: { openai } }) {
    const lines = [
      `model = "${scripted}"`,
      `model_provider = "test"`,
      `check_for_update_on_startup = false`,
      `[model_providers.test]`,
      `name = "test"`,
      `base_url = "${openai}"`,
      `wire_api = "responses"`,
      `request_max_retries = 0`,
      `stream_max_retries = 0`,
    ];
    for (const [name, { command, args, env }] of Object.entries(servers)) {
      // Without `required` the first request has the servers that were quick enough.
      lines.push(`[mcp_servers.${name}]`, `required = true`, `command = ${JSON.stringify(command)}`);
      lines.push(`args = ${JSON.stringify(args)}`, `startup_timeout_sec = 60`);
      const variables = Object.entries(env ?? {}).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
      if (variables.length > 0) lines.push(`env = { ${variables.join(", ")} }`);
    }
    await mkdir(path.join(home, ".codex"), { recursive: true });
    await writeFile(path.join(home, ".codex", "config.toml"), lines.join("\n"));
  },
  environment: () => ({}),
};

const gemini: Agent = {
  name: "Gemini CLI",
  command: (words, goesOn) => [
    process.execPath,
    bin("@google", "gemini-cli", "bundle", "gemini.js"),
    ...(goesOn ? ["--resume", "latest"] : []),
    "--yolo",
    "--skip-trust",
    "--model",
    "gemini-2.5-pro",
    "--prompt",
    words,
  ],
  async configure({ home, servers }) {
    await writeJSON(path.join(home, ".gemini", "settings.json"), {
      security: { auth: { selectedType: "gemini-api-key" } },
      general: { disableAutoUpdate: true, disableUpdateNag: true, retryFetchErrors: false, maxAttempts: 1 },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      mcpServers: mcpServers(servers),
    });
  },
  environment: (setup) => ({ GEMINI_API_KEY: "test", GOOGLE_GEMINI_BASE_URL: setup.model.gemini }),
};

const qwen: Agent = {
  name: "Qwen Code",
  command: (words, goesOn) => [
    process.execPath,
    bin("@qwen-code", "qwen-code", "cli.js"),
    ...(goesOn ? ["--continue"] : []),
    "--yolo",
    "--auth-type",
    "openai",
    "--prompt",
    words,
  ],
  async configure({ home, servers }) {
    await writeJSON(path.join(home, ".qwen", "settings.json"), {
      general: { disableAutoUpdate: true, disableUpdateNag: true },
      privacy: { usageStatisticsEnabled: false },
      telemetry: { enabled: false },
      mcpServers: mcpServers(servers),
    });
  },
  environment: (setup) => ({ OPENAI_API_KEY: "test", OPENAI_BASE_URL: setup.model.openai, OPENAI_MODEL: scripted }),
};

/** Only the replay's: it is one of those whose sessions are read. */
const claude: Agent = {
  name: "Claude Code",
  command: (words, goesOn) => [
    bin("@anthropic-ai", "claude-code-linux-x64", "claude"),
    ...(goesOn ? ["--continue"] : []),
    "--dangerously-skip-permissions",
    "--model",
    "claude-sonnet-4-5",
    "-p",
    words,
  ],
  async configure({ home, folder, servers }) {
    await writeJSON(path.join(folder, ".mcp.json"), { mcpServers: servers });
    await writeJSON(path.join(home, ".claude", "settings.json"), { enableAllProjectMcpServers: true });
  },
  environment: ({ model }) => ({
    ANTHROPIC_BASE_URL: model.anthropic ?? "",
    ANTHROPIC_API_KEY: "test",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    IS_SANDBOX: "1",
    // Else the first requests have the servers that were quick enough.
    MCP_CONNECTION_NONBLOCKING: "false",
    MCP_CONNECT_TIMEOUT_MS: "60000",
  }),
};

/** The agents that every suite runs. */
export const agents: Agent[] = [opencode, codex, gemini, qwen];

/** As Claude Code is with Anthropic's own address: its model searches for the tools. */
const searching: Agent = {
  ...claude,
  name: "Claude Code that searches",
  environment: (setup) => ({ ...claude.environment(setup), ENABLE_TOOL_SEARCH: "true" }),
};

/** Those whose histories `winnowd replay` reads. */
export const kept: Agent[] = [claude, searching, codex, gemini, opencode];

/** An agent at work on one message. */
export class Run {
  readonly #child: ChildProcess;
  #output = "";
  /** How it ended. */
  readonly ended: Promise<{ code: number | null; output: string }>;

  constructor(agent: Agent, setup: Setup, words: string, goesOn = false) {
    const [command = "", ...args] = agent.command(words, goesOn);
    this.#child = spawn(command, args, {
      cwd: setup.folder,
      env: {
        PATH: process.env["PATH"],
        HOME: setup.home,
        TERM: "dumb",
        NO_COLOR: "1",
        WINNOW_SHARE: "off",
        ...agent.environment(setup),
      },
      stdio: ["ignore", "pipe", "pipe"],
      detached: true, // a group of its own, its servers among it
    });
    for (const stream of [this.#child.stdout, this.#child.stderr])
      stream?.setEncoding("utf8").on("data", (text) => (this.#output += String(text)));
    this.ended = new Promise((resolve, reject) => {
      this.#child.once("error", reject);
      this.#child.once("close", (code) => {
        resolve({ code, output: this.#output });
      });
    });
  }

  /** Ends the agent, as a person does by Ctrl+C, and with it all that it has started. */
  interrupt(signal: NodeJS.Signals = "SIGINT"): void {
    try {
      if (this.#child.pid !== undefined) process.kill(-this.#child.pid, signal);
    } catch (err) {
      if ((err as NodeJS.ErrnoException).code !== "ESRCH") throw err; // it has ended, and all with it
    }
  }
}
