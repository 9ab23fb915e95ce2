// Calls of tools whose servers the daemon runs: of routed models, which reach
// them by winnow_call, and of @winnow's.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  Progress,
  ServerWait,
  TaskCall,
  TaskDescribeCall,
  type CallConsent,
  type TaskDescribeCallResult,
} from "../protocol/protocol.gen";
import type { Consent } from "./consent";
import { contentOf } from "./content";
import { type Part, text } from "./message";

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

/** How long a call waits for a server that is started anew, in milliseconds. */
const startTimeout = 15_000;

/** Runs calls. The daemon says which are asked about first, and remembers what a person has said. */
export class Calls {
  readonly #daemon: Pick<Daemon, "request" | "onNotification">;
  #last = 0;

  constructor(daemon: Pick<Daemon, "request" | "onNotification">) {
    this.#daemon = daemon;
  }

  /** Whether a person is asked before a call. */
  async asks({ task, name, input }: TaskToolCall, token: CancellationToken): Promise<boolean> {
    const { confirm } = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    return confirm === true;
  }

  /**
   * Makes a call, and returns what the model reads.
   *
   * @throws DaemonError when it could not be made
   */
  async run(call: TaskToolCall, screen: CallScreen, host: HostRun, token: CancellationToken): Promise<Part[]> {
    const { task, name, input } = call;
    const described = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    const asks = described.host !== true && described.confirm === true;
    const consent = asks ? await screen.confirm(described, token) : undefined;
    if (consent === "skip") {
      return [
        text("The user declined this call, and it was not made. Do not make it again unless the user asks for it."),
      ];
    }
    if (token.isCancellationRequested) throw new Error("cancelled");
    const { title, tool = name, server } = described;
    if (server !== undefined) screen.progress(`${title ?? tool} (${server})`);
    const make = () => this.#make(call, tool, consent, screen, host, token);
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

  async #make(
    { task, name, input }: TaskToolCall,
    tool: string,
    consent: CallConsent | undefined,
    screen: CallScreen,
    host: HostRun,
    token: CancellationToken,
  ): Promise<Part[]> {
    const progressToken = `call:${task}:${++this.#last}`;
    const listening = this.#daemon.onNotification(Progress, ({ token, value }) => {
      if (token === progressToken && value.message !== undefined) screen.progress(`${tool}: ${value.message}`);
    });
    try {
      const params = { task, name, arguments: input, progressToken, ...(consent && { consent }) };
      const result = await this.#daemon.request(TaskCall, params, token);
      if (result.host === undefined) return contentOf(result);
      return await host(result.host.name, result.host.arguments as object, token);
    } finally {
      listening.dispose();
    }
  }
}
