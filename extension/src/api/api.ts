// The exports of the extension: extension/api/winnow.d.ts, over the daemon.

import type {
  Attachment,
  CallDescription,
  CallResult,
  CancellationToken,
  CatalogChange,
  Event,
  Explanation,
  HostTool,
  LoadResult,
  OpenOptions,
  Task,
  TaskState,
  WinnowApi,
  WinnowError,
  WinnowExports,
} from "../../api/winnow";
import type { RequestType } from "vscode-jsonrpc";
import { Emitter } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import * as wire from "../protocol/protocol.gen";
import { causeText } from "./causes";

/** The prefix of the names of the API's lists, which distinguishes them from other faces'. */
const sourcePrefix = "api:";

/** Returns the exports of the extension. */
export function exportsOf(daemon: Daemon): WinnowExports & { dispose(): void } {
  const api = new Api(daemon);
  return {
    getApi(version: number): WinnowApi {
      if (version !== 1) throw new Error(`this Winnow has version 1 of the API, and not ${version}; update Winnow`);
      return api;
    },
    dispose: () => api.dispose(),
  };
}

class Api implements WinnowApi {
  readonly version = 1;
  readonly onDidChangeCatalog: Event<CatalogChange>;
  readonly #daemon: Daemon;
  readonly #changes = new Emitter<CatalogChange>();
  readonly #listening: { dispose(): void };

  constructor(daemon: Daemon) {
    this.#daemon = daemon;
    this.onDidChangeCatalog = (listener) => this.#changes.event(listener);
    this.#listening = daemon.onNotification(wire.CatalogDidChange, ({ source, servers }) => {
      const own = source.startsWith(sourcePrefix);
      // Lists of other faces are not reported.
      if (source === "" || own)
        this.#changes.fire({ source: own ? source.slice(sourcePrefix.length) : undefined, servers });
    });
  }

  async open({ message, source, mode, model }: OpenOptions): Promise<Task> {
    const attachment = await ask(this.#daemon, wire.TaskOpen, {
      message,
      ...(source !== undefined && { source: sourcePrefix + source }),
      ...(mode !== undefined && { mode }),
      ...(model !== undefined && { model }),
    });
    return new ApiTask(this.#daemon, attachment);
  }

  async resume(state: TaskState): Promise<Task> {
    const attachment = await ask(this.#daemon, wire.TaskResume, { state: state as wire.TaskState });
    return new ApiTask(this.#daemon, attachment);
  }

  async setTools(source: string, tools: readonly HostTool[]): Promise<void> {
    await ask(this.#daemon, wire.SetHostTools, { source: sourcePrefix + source, tools: [...tools] });
  }

  dispose(): void {
    this.#listening.dispose();
    this.#changes.dispose();
  }
}

class ApiTask implements Task {
  readonly id: string;
  readonly onDidChange: Event<Attachment>;
  readonly #daemon: Daemon;
  readonly #changes = new Emitter<Attachment>();
  #attachment: Attachment;

  constructor(daemon: Daemon, attachment: wire.Attachment) {
    this.#daemon = daemon;
    this.id = attachment.task;
    this.#attachment = attachmentOf(attachment);
    this.onDidChange = (listener) => this.#changes.event(listener);
  }

  get attachment(): Attachment {
    return this.#attachment;
  }

  async turn(message: string): Promise<Attachment> {
    return this.#note(await ask(this.#daemon, wire.TaskTurn, { task: this.id, message }));
  }

  async load(what: { query: string; limit?: number } | { names: readonly string[] }): Promise<LoadResult> {
    const params = "names" in what ? { names: [...what.names] } : what;
    const { loaded, text, attachment } = await ask(this.#daemon, wire.TaskLoad, { task: this.id, ...params });
    this.#note(attachment);
    return { loaded: loaded.map(({ name, server, already }) => ({ name, server, already })), text };
  }

  async describeCall(name: string, args: object): Promise<CallDescription> {
    const described = await ask(this.#daemon, wire.TaskDescribeCall, { task: this.id, name, arguments: args });
    const { meta = false, readOnly = false, approved = false, server, tool, arguments: given = {} } = described;
    if (server === undefined || tool === undefined) return { meta, readOnly, approved };
    return { meta, readOnly, approved, server, tool, arguments: given };
  }

  async call(name: string, args: object, token?: CancellationToken): Promise<CallResult> {
    const params = { task: this.id, name, arguments: args };
    const { content, isError, structuredContent, attachment, host } = await ask(
      this.#daemon,
      wire.TaskCall,
      params,
      token,
    );
    if (host !== undefined) {
      const kind: wire.ErrorKind = "hostTool";
      throw Object.assign(new Error(`${host.name} is a tool of your own list; call it yourself`), { kind });
    }
    if (attachment !== undefined) this.#note(attachment);
    return { content, isError, ...(structuredContent !== undefined && { structuredContent }) };
  }

  async explain(tool?: string): Promise<Explanation[]> {
    const { tools } = await ask(this.#daemon, wire.TaskExplain, { task: this.id, ...(tool !== undefined && { tool }) });
    return tools.map(({ name, server, attached, rank, score, parts, cause }) => ({
      name,
      server,
      attached,
      rank,
      score,
      parts,
      ...(cause !== undefined && { rule: causeText(cause) }),
    }));
  }

  async compact(message?: string): Promise<Attachment> {
    const params = { task: this.id, ...(message !== undefined && { message }) };
    return this.#note(await ask(this.#daemon, wire.TaskCompact, params));
  }

  async close(): Promise<void> {
    await ask(this.#daemon, wire.TaskClose, { task: this.id });
    this.#changes.dispose();
  }

  #note(attachment: wire.Attachment): Attachment {
    this.#attachment = attachmentOf(attachment);
    this.#changes.fire(this.#attachment);
    return this.#attachment;
  }
}

function attachmentOf(attachment: wire.Attachment): Attachment {
  const { mode, turn, frozen, counts, tokens, warnings = [], state } = attachment;
  return {
    mode,
    turn,
    frozen,
    tools: attachment.tools.map((tool) => ({ ...tool, inputSchema: tool.inputSchema as object })),
    metaTools: attachment.metaTools.map((tool) => ({ ...tool, inputSchema: tool.inputSchema as object })),
    counts,
    tokens,
    warnings,
    state: state ?? {},
  };
}

/** Sends a request, and converts its error to one of the API. */
async function ask<P, R>(
  daemon: Daemon,
  type: RequestType<P, R, wire.ErrorData>,
  params: P,
  token?: CancellationToken,
): Promise<R> {
  try {
    return await daemon.request(type, params, token);
  } catch (err) {
    if (!(err instanceof DaemonError)) throw err;
    const { kind } = err.data ?? {};
    const error: WinnowError = Object.assign(new Error(err.text, { cause: err }), kind === undefined ? {} : { kind });
    throw error;
  }
}
