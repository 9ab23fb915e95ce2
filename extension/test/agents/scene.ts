// The folders, servers and model of one test with an agent.
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { type ServerEntry, demoServers } from "../../demo/servers";
import { processesOf, until } from "../host/processes";
import { type Agent, Run, type Setup } from "./agents";
import { Provider } from "./provider";

/** The root of the checkout, where the tests are run. */
const root = process.cwd();

/** The daemon, as npm run build leaves it. */
export const winnowd = path.join(root, "extension", "bin", "winnowd");

/** How long an agent may take for one message before it is given up, in milliseconds. */
const patience = 180_000;

/** What one agent is tried with. It is closed by `await using`. */
export class Scene implements AsyncDisposable {
  readonly provider: Provider;
  /** What the agent is to be given; a test may change it before {@link configure}. */
  readonly setup: Setup;
  /** Five real servers, 107 tools. */
  readonly servers: Record<string, ServerEntry>;
  readonly #agent: Agent;
  readonly #base: string;
  readonly #runs: Run[] = [];

  private constructor(agent: Agent, base: string, provider: Provider) {
    this.#agent = agent;
    this.#base = base;
    this.provider = provider;
    const folder = path.join(base, "work");
    const all = demoServers(path.join(root, "node_modules"), { folder, storage: base });
    delete all["chrome-devtools"];
    this.servers = all;
    this.setup = { home: path.join(base, "home"), folder, servers: {}, model: provider.model };
  }

  /** Makes the folders and starts the model. */
  static async open(agent: Agent): Promise<Scene> {
    const base = await realpath(await mkdtemp(path.join(tmpdir(), "winnow-agents-")));
    const scene = new Scene(agent, base, await Provider.start());
    for (const dir of ["home/.config/winnow", "work", "config/winnow", "storage"])
      await mkdir(path.join(base, dir), { recursive: true });
    return scene;
  }

  /** The path of a file of the scene's. */
  file(name: string): string {
    return path.join(this.#base, name);
  }

  /** Writes a file of the scene's as JSON, and returns its path. */
  async write(name: string, value: object): Promise<string> {
    await writeFile(this.file(name), JSON.stringify(value));
    return this.file(name);
  }

  /** What the server `memory` has stored; empty before its first write. */
  async remembered(): Promise<string> {
    return await readFile(this.file("memory.jsonl"), "utf8").catch(() => "");
  }

  async configure(): Promise<void> {
    await this.#agent.configure(this.setup);
  }

  /** Starts the agent on a message. */
  start(words: string, goesOn = false): Run {
    const run = new Run(this.#agent, this.setup, words, goesOn);
    this.#runs.push(run);
    return run;
  }

  /** Lets the agent answer a message. */
  async ask(words: string, goesOn = false): Promise<{ code: number | null; output: string }> {
    const run = this.start(words, goesOn);
    const timer = setTimeout(() => {
      run.interrupt("SIGKILL");
    }, patience);
    try {
      return await run.ended;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const run of this.#runs) run.interrupt("SIGKILL");
    // Codex leaves a server behind its screen, which starts again what it has lost.
    await until("the end of what the agent has started", async () => {
      const left = await processesOf(this.#base);
      for (const { pid } of left) kill(pid);
      return left.length === 0;
    });
    await this.provider.stop();
    await rm(this.#base, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  }
}

/** Ends a process, if it runs still. */
function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code !== "ESRCH") throw err;
  }
}
