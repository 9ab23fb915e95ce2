// The few requests to the daemon that a routed model makes.

import type { CancellationToken, RequestType } from "vscode-jsonrpc";
import { DaemonError, DaemonGoneError } from "../daemon/errors";
import {
  type Attachment,
  ConversationRoute,
  type ConversationRouteParams,
  type ConversationRouteResult,
  type ErrorData,
  SetHostTools,
  TaskCall,
  TaskLoad,
  type TaskCallResult,
  TaskResume,
  type TaskState,
} from "../protocol.gen";
import { dispatchCall } from "./history";
import type { HostList } from "./hosttools";
import type { CallPart } from "./message";

/** What is needed of the daemon's client. */
export interface Requester {
  request<P, R>(type: RequestType<P, R, ErrorData>, params: P, token?: CancellationToken): Promise<R>;
}

/** What becomes of a call of the model. */
export type Verdict =
  /** The host runs it, under the name and with the arguments that the host knows. */
  | { kind: "host"; name: string; input: object }
  /** It is answered here, with a text for the model. */
  | { kind: "answer"; text: string; attachment?: Attachment | undefined };

/** The tool by which a model attaches more. */
const loadTool = "mcp_load";

/** Winnow's own tools, which no host knows. */
export const metaTools: ReadonlySet<string> = new Set([loadTool, "mcp_search", dispatchCall, "mcp_result"]);

/**
 * How many tool lists the daemon keeps of us. A list that was used longest ago
 * is emptied there, and sent again when it is needed.
 */
const maxSources = 16;

/** The daemon, as the routed models ask it. */
export class RoutingDaemon {
  readonly #daemon: Requester;
  /** The lists that the daemon has, by name, the one used last at the end. */
  readonly #sent = new Map<string, Promise<unknown>>();

  constructor(daemon: Requester) {
    this.#daemon = daemon;
  }

  /** Hands a list of tools over, unless the daemon has it. */
  async provide(list: HostList): Promise<void> {
    const known = this.#sent.get(list.source);
    this.#sent.delete(list.source);
    const sending = known ?? this.#daemon.request(SetHostTools, list);
    this.#sent.set(list.source, sending);
    try {
      await sending;
    } catch (err) {
      this.#sent.delete(list.source);
      throw err;
    }
    await this.#forget();
  }

  async #forget(): Promise<void> {
    for (const source of this.#sent.keys()) {
      if (this.#sent.size <= maxSources) return;
      this.#sent.delete(source);
      await this.#daemon.request(SetHostTools, { source, tools: [] });
    }
  }

  /** Finds the task of a request and what to attach. */
  route(params: ConversationRouteParams, token: CancellationToken): Promise<ConversationRouteResult> {
    return this.#daemon.request(ConversationRoute, params, token);
  }

  /** Gives the daemon a task of an earlier window. */
  async resume(state: TaskState): Promise<void> {
    await this.#daemon.request(TaskResume, { state });
  }

  /** Asks what becomes of a call of a tool that is not the host's own. */
  async judge(task: string, call: CallPart, token: CancellationToken): Promise<Verdict> {
    try {
      return await this.#judge(task, call, token);
    } catch (err) {
      if (!(err instanceof DaemonError) || token.isCancellationRequested) throw err;
      return hostVerdict(call, err) ?? verdictOf(call, err);
    }
  }

  async #judge(task: string, call: CallPart, token: CancellationToken): Promise<Verdict> {
    if (call.name === loadTool) {
      const { text, attachment } = await this.#daemon.request(TaskLoad, { task, ...loadParams(call.input) }, token);
      return { kind: "answer", text, attachment };
    }
    const result = await this.#call(task, call, token);
    return { kind: "answer", text: contentText(result), attachment: result.attachment };
  }

  /** The host's tools never run in the daemon, so that a call that a crash cut off is asked about again. */
  async #call(task: string, call: CallPart, token: CancellationToken): Promise<TaskCallResult> {
    const params = { task, name: call.name, arguments: call.input };
    try {
      return await this.#daemon.request(TaskCall, params, token);
    } catch (err) {
      if (!(err instanceof DaemonGoneError)) throw err;
      return this.#daemon.request(TaskCall, params, token);
    }
  }
}

/** The daemon refuses to run a tool of the host's, and names it: that is leave for the host. */
function hostVerdict(call: CallPart, err: DaemonError): Verdict | undefined {
  if (err.data?.kind !== "hostTool" || err.data.tool === undefined) return undefined;
  const input = call.name === dispatchCall ? argumentsOf(call.input) : call.input;
  return { kind: "host", name: err.data.tool, input };
}

/** What the daemon refuses, the model is told. Without a daemon the host decides, as it does for other models. */
function verdictOf(call: CallPart, err: DaemonError): Verdict {
  if (err.data === undefined && !metaTools.has(call.name)) return { kind: "host", name: call.name, input: call.input };
  return { kind: "answer", text: `Error: ${err.text}` };
}

/** The arguments within a call of mcp_call. Models send an object, or one as a string. */
function argumentsOf(input: object): object {
  const { arguments: given } = input as { arguments?: unknown };
  if (typeof given === "object" && given !== null) return given;
  try {
    const parsed: unknown = JSON.parse(String(given));
    return typeof parsed === "object" && parsed !== null ? parsed : {};
  } catch {
    return {}; // the host says what it misses
  }
}

/** What mcp_load was asked for; what does not fit is left out. */
function loadParams(input: object): { query?: string; names?: string[] } {
  const { query, names } = input as { query?: unknown; names?: unknown };
  return {
    ...(typeof query === "string" && { query }),
    ...(Array.isArray(names) && { names: names.filter((name) => typeof name === "string") }),
    // A single name is what models make of a list of one.
    ...(typeof names === "string" && { names: [names] }),
  };
}

function contentText(result: TaskCallResult): string {
  const blocks = result.content as { text?: string }[];
  return blocks.map((block) => block.text ?? "").join("\n");
}
