import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import { type CallPart, type Part, type Tool, text } from "../models/message";
import {
  type Attachment,
  Progress,
  TaskCall,
  TaskDescribeCall,
  type TaskDescribeCallResult,
  ToolApprove,
} from "../protocol.gen";
import { contentOf } from "./content";
import type { Toolbox } from "./loop";
import type { Answer } from "./questions";
import { serverReady } from "./tasks";

/** The tools that VS Code itself runs. */
export interface HostTools {
  list(): Tool[];
  /** Runs one; VS Code asks the user where it must. */
  invoke(name: string, input: object, token: CancellationToken): Promise<Part[]>;
}

/** What the user sees of the calls. */
export interface Screen {
  /** Says what is being done. */
  progress(message: string): void;
  /** Tells of something that the user should know. */
  warn(message: string): void;
  /** Asks whether a call may be made that may change something. */
  confirm(call: TaskDescribeCallResult, token: CancellationToken): Promise<Answer>;
}

/** Whether a call may be made: nobody had to be asked, the user let it run, or did not. */
type Leave = "unasked" | "confirmed" | "declined";

/** The tools of a task: those that the daemon has attached, Winnow's own, and VS Code's. */
export class TaskTools implements Toolbox {
  readonly #daemon: Daemon;
  readonly #host: HostTools;
  readonly #screen: Screen;
  /** The tools that the user has allowed for this chat, as server and tool. */
  readonly #allowed: Set<string>;
  #attachment: Attachment;
  #calls = 0;

  constructor(daemon: Daemon, attachment: Attachment, host: HostTools, screen: Screen, allowed: Set<string>) {
    this.#daemon = daemon;
    this.#attachment = attachment;
    this.#host = host;
    this.#screen = screen;
    this.#allowed = allowed;
  }

  /** What is attached now. */
  get attachment(): Attachment {
    return this.#attachment;
  }

  list(): Tool[] {
    const { tools, metaTools } = this.#attachment;
    const own = [...tools, ...metaTools].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as object,
    }));
    const names = new Set(own.map(({ name }) => name));
    // The host's own come first: they are the same in each request.
    return [...this.#host.list().filter(({ name }) => !names.has(name)), ...own];
  }

  async call(call: CallPart, token: CancellationToken): Promise<Part[]> {
    try {
      return await this.#call(call, token);
    } catch (err) {
      if (token.isCancellationRequested) throw err;
      return [text(`Error: ${errorText(err)}`)];
    }
  }

  async #call(call: CallPart, token: CancellationToken): Promise<Part[]> {
    const { name, input } = call;
    if (this.#isHosts(name)) return this.#host.invoke(name, input, token);
    const { task } = this.#attachment;
    const described = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    if (described.host === true) return this.#runHosts(call, token);
    const leave = described.meta ? "unasked" : await this.#mayRun(described, token);
    if (leave === "declined") {
      return [
        text("The user declined this call, and it was not made. Do not make it again unless the user asks for it."),
      ];
    }
    if (token.isCancellationRequested) throw new Error("cancelled");
    this.#screen.progress(describe(call, described));
    try {
      return await this.#run(call, described, leave, token);
    } catch (err) {
      const server = err instanceof DaemonError && err.data?.kind === "unavailable" ? err.data.server : undefined;
      if (server === undefined) throw err;
      // It did not run: its server was not up yet, as it is right after a crash of the daemon.
      await serverReady(this.#daemon, server, token);
      return this.#run(call, described, leave, token);
    }
  }

  #isHosts(name: string): boolean {
    const { tools, metaTools } = this.#attachment;
    const ours = [...tools, ...metaTools].some((tool) => tool.name === name);
    return !ours && this.#host.list().some((tool) => tool.name === name);
  }

  /** Runs a tool of VS Code's MCP servers: the daemon says by which name, and VS Code asks where it must. */
  async #runHosts({ name, input }: CallPart, token: CancellationToken): Promise<Part[]> {
    const { task } = this.#attachment;
    const decided = await this.#daemon.request(TaskCall, { task, name, arguments: input }, token);
    if (decided.attachment !== undefined) this.#attachment = decided.attachment;
    if (decided.host === undefined) return contentOf(decided);
    return this.#host.invoke(decided.host.name, decided.host.arguments as object, token);
  }

  /** Asks the user, unless the tool only reads or was allowed before. */
  async #mayRun(call: TaskDescribeCallResult, token: CancellationToken): Promise<Leave> {
    const { server = "", tool = "" } = call;
    const key = JSON.stringify([server, tool]);
    if (call.confirm !== true || this.#allowed.has(key)) return "unasked";
    const answer = await this.#screen.confirm(call, token);
    if (answer === "chat" || answer === "always") this.#allowed.add(key);
    if (answer === "always") await this.#approve(server, tool);
    return answer === "skip" ? "declined" : "confirmed";
  }

  /** Writes that a tool is always allowed into the user's file. What hinders it does not hinder the call. */
  async #approve(server: string, tool: string): Promise<void> {
    try {
      await this.#daemon.request(ToolApprove, { server, tool, approved: true });
    } catch (err) {
      this.#screen.warn(`That ${tool} is always allowed could not be saved: ${errorText(err)}`);
    }
  }

  async #run(
    call: CallPart,
    { tool = call.name }: TaskDescribeCallResult,
    leave: Leave,
    token: CancellationToken,
  ): Promise<Part[]> {
    const { task } = this.#attachment;
    const progressToken = `participant:${task}:${++this.#calls}`;
    const listening = this.#daemon.onNotification(Progress, ({ token, value }) => {
      if (token === progressToken && value.message !== undefined) this.#screen.progress(`${tool}: ${value.message}`);
    });
    try {
      const confirmed = leave === "confirmed" ? { confirmed: true } : {};
      const params = { task, name: call.name, arguments: call.input, progressToken, ...confirmed };
      const result = await this.#daemon.request(TaskCall, params, token);
      if (result.attachment !== undefined) this.#attachment = result.attachment;
      return contentOf(result);
    } finally {
      listening.dispose();
    }
  }
}

/** Says what a call does, on one line. */
function describe({ name, input }: CallPart, { meta, server, tool, title }: TaskDescribeCallResult): string {
  if (!meta) return `${title ?? tool ?? name} (${server ?? ""})`;
  const { query } = input as { query?: unknown };
  return typeof query === "string" ? `Looking for tools: ${query}` : name;
}

/** The words of an error, with the next step where there is one. */
export function errorText(err: unknown): string {
  if (err instanceof DaemonError) return err.text;
  return err instanceof Error ? err.message : String(err);
}
