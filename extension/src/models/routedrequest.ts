// One routed request while the model answers it: what the daemon decides about
// it.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  type Attachment,
  type CallAnswer,
  ConversationAnswer,
  ConversationCall,
  type ConversationNext,
  type ConversationRouteResult,
  type MessageEdit,
  type TaskCallResult,
  type UsageSection,
} from "../protocol/protocol.gen";
import type { CallPart, Part } from "./message";
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

/** One routed request. */
export class RoutedRequest {
  readonly #daemon: Requester;
  readonly #send: () => Promise<ConversationRouteResult>;
  readonly #token: CancellationToken;
  #routed!: ConversationRouteResult;

  private constructor(daemon: Requester, send: () => Promise<ConversationRouteResult>, token: CancellationToken) {
    this.#daemon = daemon;
    this.#send = send;
    this.#token = token;
  }

  /**
   * Routes a request.
   *
   * @param send sends it, and sends it again to a daemon that was started since
   */
  static async route(
    daemon: Requester,
    send: () => Promise<ConversationRouteResult>,
    token: CancellationToken,
  ): Promise<RoutedRequest> {
    const request = new RoutedRequest(daemon, send, token);
    await request.#route();
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
    return this.#routed.attachment;
  }

  /** Whether it is no request of a task, and goes to the model with the tools that are kept. */
  get passes(): boolean {
    return this.#routed.pass === true;
  }

  /** The tools that the host is to call before it sends the request anew. */
  get open(): readonly string[] {
    return this.#routed.open ?? [];
  }

  /** The places of the tools that the model is offered as they are. */
  get keep(): readonly number[] {
    return this.#routed.keep ?? [];
  }

  /** What is to be changed in the messages of the request. */
  get edits(): readonly MessageEdit[] {
    return this.#routed.edits ?? [];
  }

  /** Where the context goes that is not MCP's. */
  get sections(): readonly UsageSection[] {
    return this.#routed.sections ?? [];
  }

  /** Asks what becomes of a call of a tool that is not the host's own. */
  async judge(call: CallPart): Promise<Verdict> {
    try {
      return await this.#again(() => this.#call(call));
    } catch (err) {
      if (!(err instanceof DaemonError) || this.#token.isCancellationRequested) throw err;
      // Without a daemon the host decides, as it does for other models.
      const own = this.attachment.metaTools.some(({ name }) => name === call.name);
      if (err.data === undefined && !own) {
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
    const params = { task: this.task, name: call.name, arguments: call.input };
    const result = await this.#daemon.request(ConversationCall, params, this.#token);
    if (result.attachment !== undefined) this.#routed = { ...this.#routed, attachment: result.attachment };
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
      await this.#route();
      return act();
    }
  }

  async #route(): Promise<void> {
    this.#routed = await this.#send();
  }
}

function contentText(result: TaskCallResult): string {
  const blocks = result.content as { text?: string }[];
  return blocks.map((block) => block.text ?? "").join("\n");
}
