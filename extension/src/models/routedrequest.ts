// One routed request while the model answers it: what the daemon decides about
// it. Of what both sides know, only what is new crosses the wire.

import type { CancellationToken } from "vscode-jsonrpc";
import { keepLatest } from "../base/latest";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  type Attachment,
  type CallAnswer,
  ConversationAnswer,
  ConversationCall,
  type ConversationKnown,
  type ConversationNext,
  ConversationRoute,
  type ConversationRouteParams,
  type ConversationRouteResult,
  type InternalRounds,
  type MessageDigest,
  type TaskCallResult,
} from "../protocol/protocol.gen";
import type { CallPart, Part } from "./message";
import { metaTools } from "./metatools";
import { partToJson } from "./partjson";

/** What becomes of a call of the model. */
export type Verdict =
  /** The host runs it, under the name and with the arguments that the host knows. */
  | { kind: "host"; name: string; input: object }
  /** It is answered here, with a text for the model. */
  | { kind: "answer"; text: string };

/** What the model answered in one round. */
export interface ModelAnswer {
  parts: readonly Part[];
  /** The ids of the calls that VS Code got. */
  delivered: readonly string[];
  /** What Winnow answered to the others. */
  answers: readonly CallAnswer[];
}

/** What both sides know of a task's newest request. */
interface Shared {
  request: number;
  messages: readonly MessageDigest[];
  attachment: Attachment;
  /** By id. */
  internal: ReadonlyMap<number, InternalRounds>;
}

/** How many tasks are remembered; of any other the whole is sent. */
const maxTasks = 64;

/** What is known of the newest requests, by task. */
export class SharedRequests {
  readonly #tasks = new Map<string, Shared>();

  /** The earlier request that begins most like this one, as the daemon is told of it. */
  like(messages: readonly MessageDigest[]): ConversationKnown | undefined {
    let best: ConversationKnown | undefined;
    for (const [task, { request, messages: before, attachment, internal }] of this.#tasks) {
      const shared = sharedMessages(before, messages);
      if (shared === 0 || shared <= (best?.messages ?? 0)) continue;
      const { generation } = attachment;
      best = { task, request, messages: shared, generation, internal: Math.max(0, ...internal.keys()) };
    }
    return best;
  }

  /** Completes what was left out of an answer because this side has it. */
  complete(
    messages: readonly MessageDigest[],
    result: ConversationRouteResult,
    known: boolean,
  ): { attachment: Attachment; internal: InternalRounds[] } {
    const before = this.#tasks.get(result.task);
    const attachment = withKept(before?.attachment, result.attachment, result.keptTools);
    const internal = (result.internal ?? []).map((entry) => {
      const content = entry.known === true ? before?.internal.get(entry.id) : undefined;
      return content === undefined ? entry : { ...content, message: entry.message };
    });
    const contents = new Map([
      ...(known ? (before?.internal ?? []) : []),
      ...internal.map((entry) => [entry.id, entry] as const),
    ]);
    const { task, request } = result;
    keepLatest(this.#tasks, task, { request, messages, attachment, internal: contents }, maxTasks);
    return { attachment, internal };
  }

  /** Completes an attachment that came after a call, and notes it. */
  update(task: string, attachment: Attachment, keptTools: number | undefined): Attachment {
    const before = this.#tasks.get(task);
    const whole = withKept(before?.attachment, attachment, keptTools);
    if (before !== undefined) keepLatest(this.#tasks, task, { ...before, attachment: whole }, maxTasks);
    return whole;
  }
}

function sharedMessages(a: readonly MessageDigest[], b: readonly MessageDigest[]): number {
  const differs = a.findIndex(({ role, digest }, i) => role !== b[i]?.role || digest !== b[i].digest);
  return differs < 0 ? a.length : differs;
}

function withKept(before: Attachment | undefined, attachment: Attachment, kept = 0): Attachment {
  if (kept === 0) return attachment;
  return { ...attachment, tools: [...(before?.tools ?? []).slice(0, kept), ...attachment.tools] };
}

/** One routed request. */
export class RoutedRequest {
  readonly #daemon: Requester;
  readonly #shared: SharedRequests;
  readonly #params: ConversationRouteParams;
  readonly #token: CancellationToken;
  #routed!: ConversationRouteResult;
  #attachment!: Attachment;
  #internal: readonly InternalRounds[] = [];

  private constructor(
    daemon: Requester,
    shared: SharedRequests,
    params: ConversationRouteParams,
    token: CancellationToken,
  ) {
    this.#daemon = daemon;
    this.#shared = shared;
    this.#params = params;
    this.#token = token;
  }

  /** Routes a request. */
  static async route(
    daemon: Requester,
    shared: SharedRequests,
    params: ConversationRouteParams,
    token: CancellationToken,
  ): Promise<RoutedRequest> {
    const request = new RoutedRequest(daemon, shared, params, token);
    await request.#route(shared.like(params.messages));
    return request;
  }

  get task(): string {
    return this.#routed.task;
  }

  /** The beginning of the conversation's first message; undefined when there are no words of the user's. */
  get title(): string | undefined {
    return this.#routed.title;
  }

  /** What is attached now. */
  get attachment(): Attachment {
    return this.#attachment;
  }

  /** What the history of the request lacks. */
  get internal(): readonly InternalRounds[] {
    return this.#internal;
  }

  /** Asks what becomes of a call of a tool that is not the host's own. */
  async judge(call: CallPart): Promise<Verdict> {
    try {
      return await this.#again(() => this.#call(call));
    } catch (err) {
      if (!(err instanceof DaemonError) || this.#token.isCancellationRequested) throw err;
      // Without a daemon the host decides, as it does for other models.
      if (err.data === undefined && !metaTools.has(call.name)) {
        return { kind: "host", name: call.name, input: call.input };
      }
      return { kind: "answer", text: `Error: ${err.text}` };
    }
  }

  /**
   * Tells the daemon what the model answered, and asks what comes next.
   *
   * @param last whether the model was asked for the last time; it counts only without a daemon
   */
  async answered({ parts, delivered, answers }: ModelAnswer, last: boolean): Promise<ConversationNext> {
    const report = () => {
      const { task, request } = this.#routed;
      return this.#daemon.request(
        ConversationAnswer,
        {
          task,
          request,
          parts: parts.map((part) => ({ ...(part.kind === "call" && { call: part.callId }), part: partToJson(part) })),
          calls: [...delivered],
          answers: [...answers],
        },
        this.#token,
      );
    };
    try {
      return (await this.#again(report)).next;
    } catch (err) {
      if (!(err instanceof DaemonError) || this.#token.isCancellationRequested) throw err;
      // Nothing is remembered of it, but the chat goes on.
      if (delivered.length > 0 || answers.length === 0) return "end";
      return last ? "stop" : "sendLast";
    }
  }

  async #call(call: CallPart): Promise<Verdict> {
    const { task, generation } = this.#attachment;
    const params = { task, name: call.name, arguments: call.input, generation };
    const result = await this.#daemon.request(ConversationCall, params, this.#token);
    if (result.attachment !== undefined) {
      this.#attachment = this.#shared.update(task, result.attachment, result.keptTools);
    }
    if (result.host !== undefined) {
      return { kind: "host", name: result.host.name, input: result.host.arguments as object };
    }
    return { kind: "answer", text: contentText(result) };
  }

  /** Does something with the task. A daemon that was started since the request is told of the request first. */
  async #again<R>(act: () => Promise<R>): Promise<R> {
    try {
      return await act();
    } catch (err) {
      if (!(err instanceof DaemonError) || err.data?.kind !== "unknownTask") throw err;
      await this.#route(undefined);
      return act();
    }
  }

  async #route(known: ConversationKnown | undefined): Promise<void> {
    const { messages } = this.#params;
    let result: ConversationRouteResult;
    try {
      const params =
        known === undefined ? this.#params : { ...this.#params, known, messages: messages.slice(known.messages) };
      result = await this.#daemon.request(ConversationRoute, params, this.#token);
    } catch (err) {
      if (known === undefined || !(err instanceof DaemonError) || err.data?.kind !== "contentModified") throw err;
      await this.#route(undefined);
      return;
    }
    this.#routed = result;
    ({ attachment: this.#attachment, internal: this.#internal } = this.#shared.complete(
      messages,
      result,
      known?.task === result.task,
    ));
  }
}

function contentText(result: TaskCallResult): string {
  const blocks = result.content as { text?: string }[];
  return blocks.map((block) => block.text ?? "").join("\n");
}
