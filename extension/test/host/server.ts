// code-server as a process: installs extensions, starts, stops.
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, openSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createServer } from "node:net";
import { promisify } from "node:util";
import type { Profile } from "./profile";
import { processesOf, until } from "./processes";

/** How long the processes of a stopped server may take to end before they are killed, in milliseconds. */
const endTimeout = 15_000;

/** How a server is started. */
export interface ServerOptions {
  /** The Node to run it with, and code-server's entry. */
  node: string;
  entry: string;
  profile: Profile;
  /** The files of the extensions to install first. */
  vsix: string[];
  /** More environment, for the server and all it starts. */
  env?: Record<string, string>;
  /** Whether VS Code asks before it trusts a folder; by default it trusts all. */
  workspaceTrust?: boolean;
  /** What the page asks for first; without one it asks for nothing. */
  password?: string;
  /**
   * Whether notifications pop up, as they do for a person. Without, they wait
   * behind the bell, where they cover nothing that a test clicks.
   */
  notifications?: boolean;
}

/** A running code-server on a port of loopback. */
export class CodeServer {
  private constructor(
    readonly port: number,
    private readonly child: ChildProcess & { pid: number },
    private readonly profile: Profile,
  ) {}

  /** Installs the extensions, starts a server and waits until it answers. */
  static async start(options: ServerOptions): Promise<CodeServer> {
    const { node, entry, profile } = options;
    const base = [entry, ...profile.arguments()];
    const { password } = options;
    const env = profile.environment({ ...options.env, ...(password !== undefined && { PASSWORD: password }) });
    if (options.vsix.length > 0) {
      const install = options.vsix.flatMap((file) => ["--install-extension", file]);
      await promisify(execFile)(node, [...base, ...install, "--force"], { env });
    }
    const port = await freePort();
    const log = openSync(profile.log("server.log"), "a");
    const child = spawn(node, [...base, ...flags(port, options)], {
      env,
      stdio: ["ignore", log, log],
      detached: true, // a group of its own, which is stopped as one
    });
    closeSync(log);
    const { pid } = child;
    if (pid === undefined) throw new Error(`start ${node}: no such program`);
    const server = new CodeServer(port, Object.assign(child, { pid }), profile);
    process.on("exit", server.#kill);
    try {
      await until("code-server to answer", async () => (await fetch(`${server.url}/healthz`)).ok);
    } catch (err) {
      const log = await readFile(profile.log("server.log"), "utf8");
      await server.stop();
      throw new Error(`code-server did not start\n${log}`, { cause: err });
    }
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}`;
  }

  /**
   * Stops the server and waits for the end of every process of the profile.
   *
   * @throws Error naming those that had to be killed: they would have been left behind
   */
  async stop(): Promise<void> {
    process.off("exit", this.#kill);
    this.#kill();
    const { dir } = this.profile;
    try {
      await until("the editor's processes to end", async () => (await processesOf(dir)).length === 0, endTimeout);
    } catch {
      const left = await processesOf(dir);
      for (const { pid } of left) {
        try {
          process.kill(pid, "SIGKILL");
        } catch {
          // ended by itself
        }
      }
      throw new Error(`left behind by the editor:\n${left.map(({ command }) => command).join("\n")}`);
    }
  }

  /** Asks the whole group to end; also when our own process ends first. */
  readonly #kill = (): void => {
    try {
      process.kill(-this.child.pid, "SIGTERM");
    } catch {
      // It has ended.
    }
  };
}

function flags(port: number, { workspaceTrust = false, password, notifications = false }: ServerOptions): string[] {
  return [
    ...["--auth", password === undefined ? "none" : "password", "--bind-addr", `127.0.0.1:${port}`],
    ...["--disable-telemetry", "--disable-update-check", "--disable-getting-started-override"],
    ...(workspaceTrust ? [] : ["--disable-workspace-trust"]),
    "-e", // ignores the last opened folder
    // Lets the page's address name an extension in development, and tests, and keeps notifications down. An editor
    // for a person needs no such door.
    ...(password === undefined && !notifications ? ["--vscode-option", "enable-smoke-test-driver"] : []),
  ];
}

/** A port that nobody listens on; none of those that the system hands out, so that nobody gets it before the server. */
async function freePort(): Promise<number> {
  return until("a free port", async () => {
    const port = 15_000 + Math.floor(Math.random() * 15_000);
    const server = createServer().listen(port, "127.0.0.1");
    await once(server, "listening"); // or an error: the next one, then
    await new Promise((resolve) => server.close(resolve));
    return port;
  });
}
