// Calls of tools whose servers the daemon runs: by routed models, through winnow_call, and by @winnow.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  PROTOCOL_CALL_DECLINED,
  Progress,
  ServerWait,
  TaskCall,
  TaskDescribeCall,
  type CallConsent,
  type TaskDescribeCallResult,
} from "../protocol/protocol.gen";
import type { Consent } from "./consent";
import { contentOf } from "./content";
import { type Part, text } from "../chat/message";

/** The display of a chat's calls. */
export interface CallScreen {
  /** Shows progress. */
  progress(message: string): void;
  /** Shows a warning. */
  warn(message: string): void;
  /** Asks whether to make a call that may write. */
  confirm(call: TaskDescribeCallResult, token: CancellationToken): Promise<Consent>;
}

/** A tool call of a task. */
export interface TaskToolCall {
  task: string;
  name: string;
  input: object;
}

/** Runs a tool of VS Code, which asks the user if necessary. */
export type HostRun = (name: string, input: object, token: CancellationToken) => Promise<Part[]>;

/** How long a call waits for a restarted server, in milliseconds. */
const startTimeout = 15_000;

/** Runs calls. The daemon decides which require consent, and stores the user's decisions. */
export class Calls {
  readonly #daemon: Pick<Daemon, "request" | "onNotification">;
  #last = 0;

  constructor(daemon: Pick<Daemon, "request" | "onNotification">) {
    this.#daemon = daemon;
  }

  /** Reports whether the user is asked before a call. */
  async asks({ task, name, input }: TaskToolCall, token: CancellationToken): Promise<boolean> {
    const { confirm } = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    return confirm === true;
  }

  /**
   * Makes a call, and returns its result for the model.
   *
   * @throws DaemonError if it could not be made
   */
  async run(call: TaskToolCall, screen: CallScreen, host: HostRun, token: CancellationToken): Promise<Part[]> {
    const { task, name, input } = call;
    const described = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    const asks = described.host !== true && described.confirm === true;
    const consent = asks ? await screen.confirm(described, token) : undefined;
    if (consent === "skip") return [text(PROTOCOL_CALL_DECLINED)];
    if (token.isCancellationRequested) throw new Error("cancelled");
    const { title, tool = name, server } = described;
    if (server !== undefined) screen.progress(`${title ?? tool} (${server})`);
    const make = () => this.#make(call, tool, consent, screen, host, token);
    try {
      return await make();
    } catch (err) {
      const away = err instanceof DaemonError && err.data?.kind === "unavailable" ? err.data.server : undefined;
      if (away === undefined) throw err;
      // The call did not run: its server is not ready yet, as right after a crash of the daemon.
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
