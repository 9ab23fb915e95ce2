// One routed request during the model's response: the decisions of the daemon.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  type CallAnswer,
  ConversationAnswer,
  ConversationCall,
  type ConversationNext,
  type ConversationRouteResult,
  type TaskCallResult,
} from "../protocol/protocol.gen";
import type { CallPart, Part } from "../chat/message";
import { partToJson } from "../chat/partjson";

/** The decision about a call of the model. */
export type Verdict =
  /** The host runs it, with the name and arguments that the host expects. */
  | { kind: "host"; name: string; input: object }
  /** Winnow answers it with a text for the model. */
  | { kind: "answer"; text: string };

/** The model's response in one round. */
export interface ModelAnswer {
  parts: readonly Part[];
  /** The ids of the calls passed to VS Code. */
  delivered: readonly string[];
  /** Winnow's results of the other calls. */
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
   * @param send sends the request; called again for a restarted daemon
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

  /** The daemon's decision on the request, with the attachment after its last call. */
  get now(): ConversationRouteResult {
    return this.#routed;
  }

  /** Returns the decision about a call of a tool that is not the host's own. */
  async judge(call: CallPart): Promise<Verdict> {
    try {
      return await this.#again(() => this.#call(call));
    } catch (err) {
      if (!(err instanceof DaemonError) || this.#token.isCancellationRequested) throw err;
      // Without a daemon the host decides, as for other models.
      const own = this.#routed.attachment.metaTools.some(({ name }) => name === call.name);
      if (err.data === undefined && !own) {
        return { kind: "host", name: call.name, input: call.input };
      }
      return { kind: "answer", text: `Error: ${err.text}` };
    }
  }

  /**
   * Reports the model's response to the daemon, and returns what comes next.
   *
   * @param last whether this was the last round; used only without a daemon
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
      // The daemon does not record it, but the chat continues.
      if (delivered.length > 0 || answers.length === 0) return "end";
      return last ? "stop" : "sendLast";
    }
  }

  async #call(call: CallPart): Promise<Verdict> {
    const params = { task: this.#routed.task, name: call.name, arguments: call.input };
    const result = await this.#daemon.request(ConversationCall, params, this.#token);
    if (result.attachment !== undefined) this.#routed = { ...this.#routed, attachment: result.attachment };
    if (result.host !== undefined) {
      return { kind: "host", name: result.host.name, input: result.host.arguments as object };
    }
    return { kind: "answer", text: contentText(result) };
  }

  /** Runs an action on the task. A restarted daemon gets the request first. */
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
