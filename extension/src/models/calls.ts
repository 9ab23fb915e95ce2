// Calls of tools whose servers the daemon runs: of routed models, which reach
// them by winnow_call, and of @winnow's.

import type { CancellationToken } from "vscode-jsonrpc";
import { keepLatest } from "../base/latest";
import type { Daemon } from "../daemon/client";
import { DaemonError, errorText } from "../daemon/errors";
import {
  Progress,
  ServerWait,
  TaskCall,
  TaskDescribeCall,
  type TaskDescribeCallResult,
  ToolApprove,
} from "../protocol/protocol.gen";
import { contentOf } from "./content";
import { type Part, text } from "./message";

/** What a person says to a call: yes; yes in this chat; yes always; no. */
export type Consent = "once" | "chat" | "always" | "skip";

/** What a person sees of the calls of a chat. */
export interface CallScreen {
  /** Says what is being done. */
  progress(message: string): void;
  /** Tells of something that the person should know. */
  warn(message: string): void;
  /** Asks whether a call may be made that may change something. */
  confirm(call: TaskDescribeCallResult, token: CancellationToken): Promise<Consent>;
}

/** A call of a tool of a task. */
export interface TaskToolCall {
  task: string;
  name: string;
  input: object;
}

/** Runs a tool of VS Code's, which asks where it must. */
export type HostRun = (name: string, input: object, token: CancellationToken) => Promise<Part[]>;

/** How many chats' consents are remembered, as many as a daemon keeps tasks open. */
export const maxChats = 512;

/** How long a call waits for a server that is started anew, in milliseconds. */
const startTimeout = 15_000;

/** Runs calls. What may write is asked about first, tool by tool and chat by chat. */
export class Calls {
  readonly #daemon: Pick<Daemon, "request" | "onNotification">;
  /** What was allowed for a chat, as server and tool, by its task. */
  readonly #allowed = new Map<string, Set<string>>();
  #last = 0;

  constructor(daemon: Pick<Daemon, "request" | "onNotification">) {
    this.#daemon = daemon;
  }

  /**
   * Makes a call, and returns what the model reads.
   *
   * @throws DaemonError when it could not be made
   */
  async run(call: TaskToolCall, screen: CallScreen, host: HostRun, token: CancellationToken): Promise<Part[]> {
    const { task, name, input } = call;
    const described = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    const consent = await this.#consent(task, described, screen, token);
    if (consent === "skip") {
      return [
        text("The user declined this call, and it was not made. Do not make it again unless the user asks for it."),
      ];
    }
    if (token.isCancellationRequested) throw new Error("cancelled");
    const { title, tool = name, server } = described;
    if (server !== undefined) screen.progress(`${title ?? tool} (${server})`);
    const make = () => this.#make(call, tool, consent !== undefined, screen, host, token);
    try {
      return await make();
    } catch (err) {
      const away = err instanceof DaemonError && err.data?.kind === "unavailable" ? err.data.server : undefined;
      if (away === undefined) throw err;
      // It did not run: its server was not up yet, as it is right after a crash of the daemon.
      await this.#daemon.request(ServerWait, { name: away, timeoutMs: startTimeout }, token);
      return make();
    }
  }

  /** Asks the person, unless the tool only reads or was allowed before: undefined. */
  async #consent(
    task: string,
    call: TaskDescribeCallResult,
    screen: CallScreen,
    token: CancellationToken,
  ): Promise<Consent | undefined> {
    const { server = "", tool = "" } = call;
    const key = JSON.stringify([server, tool]);
    const allowed = this.#allowed.get(task) ?? new Set();
    if (call.host === true || call.confirm !== true || allowed.has(key)) return undefined;
    const consent = await screen.confirm(call, token);
    if (consent === "chat" || consent === "always") keepLatest(this.#allowed, task, allowed.add(key), maxChats);
    if (consent === "always") {
      // What hinders that it is saved does not hinder the call.
      await this.#daemon
        .request(ToolApprove, { server, tool, approved: true })
        .catch((err: unknown) => screen.warn(`That ${tool} is always allowed could not be saved: ${errorText(err)}`));
    }
    return consent;
  }

  async #make(
    { task, name, input }: TaskToolCall,
    tool: string,
    confirmed: boolean,
    screen: CallScreen,
    host: HostRun,
    token: CancellationToken,
  ): Promise<Part[]> {
    const progressToken = `call:${task}:${++this.#last}`;
    const listening = this.#daemon.onNotification(Progress, ({ token, value }) => {
      if (token === progressToken && value.message !== undefined) screen.progress(`${tool}: ${value.message}`);
    });
    try {
      const params = { task, name, arguments: input, progressToken, ...(confirmed && { confirmed }) };
      const result = await this.#daemon.request(TaskCall, params, token);
      if (result.host === undefined) return contentOf(result);
      return await host(result.host.name, result.host.arguments as object, token);
    } finally {
      listening.dispose();
    }
  }
}
