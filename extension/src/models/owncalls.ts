// Calls of tools whose servers the daemon runs, for a routed model.

import type { CancellationToken } from "vscode-jsonrpc";
import { contentOf } from "../participant/content";
import { TaskCall, TaskDescribeCall, type TaskDescribeCallResult, ToolApprove } from "../protocol.gen";
import type { Requester } from "./daemon";
import { type Part, text } from "./message";

/** What a person answers to the question whether a tool may run. */
export type Consent = "once" | "chat" | "always" | "skip";

/** Asks a person whether a tool may run. */
export type Ask = (call: TaskDescribeCallResult, token: CancellationToken) => Promise<Consent>;

/** Whether a tool may run, and on whose word. */
type Leave = "unasked" | "confirmed" | "declined";

/** Runs tools of the daemon's servers. What may write is asked about first, tool by tool. */
export class OwnCalls {
  readonly #daemon: Requester;
  readonly #ask: Ask;
  /** What a person has allowed in a chat, as task, server and tool. */
  readonly #allowed = new Set<string>();

  constructor(daemon: Requester, ask: Ask) {
    this.#daemon = daemon;
    this.#ask = ask;
  }

  /** Runs a tool for a task, and returns what the model reads. */
  async run(task: string, name: string, input: object, token: CancellationToken): Promise<Part[]> {
    const call = await this.#daemon.request(TaskDescribeCall, { task, name, arguments: input }, token);
    const leave = await this.#mayRun(task, call, token);
    if (leave === "declined") {
      return [text("The user declined this call, and it was not made. Do not make it again unless the user asks.")];
    }
    const confirmed = leave === "confirmed" ? { confirmed: true } : {};
    return contentOf(await this.#daemon.request(TaskCall, { task, name, arguments: input, ...confirmed }, token));
  }

  async #mayRun(task: string, call: TaskDescribeCallResult, token: CancellationToken): Promise<Leave> {
    const { server = "", tool = "" } = call;
    const key = JSON.stringify([task, server, tool]);
    if (call.confirm !== true || this.#allowed.has(key)) return "unasked";
    const answer = await this.#ask(call, token);
    if (answer === "chat") this.#allowed.add(key);
    if (answer === "always") await this.#daemon.request(ToolApprove, { server, tool, approved: true });
    return answer === "skip" ? "declined" : "confirmed";
  }
}
