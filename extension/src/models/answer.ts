// Forwards a routed request, and answers what the model asks of Winnow itself.

import type { CallAnswer, UsageSection } from "../protocol/protocol.gen";
import type { ChatHost, ChatRequest, Routing } from "./chat";
import { contentOf } from "./content";
import { plainId } from "./digests";
import { cleaned, dispatchCall, dispatched, isMarker, withoutGroups, wrapped } from "./history";
import { proxyTool } from "./hosttools";
import { answerMessages, withInternal } from "./internal";
import { type CallPart, type Message, type Part, type Tool, text } from "./message";
import { metaTools } from "./metatools";
import type { RoutedRequest } from "./routedrequest";
import type { Listing } from "./servers";
import { messageTokens, toolTokens } from "./tokens";

/** What the user reads when the model has asked for tools again and again and answered nothing. */
export function stopped(times: number): string {
  return `Winnow stopped here: the model asked for tools ${times} times in a row and did nothing else. Ask it to go on, or name the tool that you mean.`;
}

/** What was found out about a request before it is forwarded. */
export interface Prepared {
  listing: Listing;
  /** The host's own tools. */
  native: readonly Tool[];
  /** The names of all that the host offers, and runs itself. */
  visible: ReadonlySet<string>;
  routed: RoutedRequest;
  /** Whether the model is offered VS Code's groups. */
  keepGroups: boolean;
}

/** What the model did in one round. */
interface Round {
  /** Its answer, as it gave it. */
  parts: Part[];
  /** The ids of the calls that VS Code got. */
  delivered: string[];
  /** What was answered here to the others. */
  answers: CallAnswer[];
}

/** One request while it is answered. */
export class Answer {
  readonly #routing: Routing;
  readonly #request: ChatRequest;
  readonly #host: ChatHost;
  readonly #prepared: Prepared;
  readonly #nativeNames: ReadonlySet<string>;

  constructor(routing: Routing, request: ChatRequest, host: ChatHost, prepared: Prepared) {
    this.#routing = routing;
    this.#request = request;
    this.#host = host;
    this.#prepared = prepared;
    this.#nativeNames = new Set(prepared.native.map((tool) => tool.name));
  }

  /** Sends the request, and sends it again as long as the model asks for nothing but what is answered here. */
  async run(): Promise<void> {
    const { routed } = this.#prepared;
    this.#routing.allowances.end(routed.task);
    const { claim } = routed.attachment;
    if (claim !== undefined) {
      this.#tell();
      for (const part of contentOf(claim.result)) this.#host.report(part);
      return;
    }
    const internal: Message[] = [];
    let last = false;
    for (let rounds = 1; !this.#request.token.isCancellationRequested; rounds++) {
      this.#tell();
      const round = await this.#round(internal, !last);
      if (internal.length === 0 && round.answers.length === 0) return; // nothing for the daemon to remember
      switch (await routed.answered(round, last)) {
        case "end":
          return;
        case "stop":
          this.#host.report(text(`\n\n${stopped(rounds)}`));
          return;
        case "sendLast":
          last = true;
      }
      internal.push({ role: "assistant", parts: round.parts }, ...answerMessages(round.answers));
    }
  }

  /** The tools of the request: what never changes comes first, for the model's prompt cache. */
  #offer(withMeta: boolean): Tool[] {
    const { attachment } = this.#prepared.routed;
    const meta = withMeta ? attachment.metaTools : [];
    const own = [...meta, ...attachment.tools].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as object,
    }));
    return [...this.#prepared.native, ...own.filter(({ name }) => !this.#nativeNames.has(name))];
  }

  /** The conversation as the model knows it. */
  #history(offered: readonly Tool[]): Message[] {
    const { routed, keepGroups, listing } = this.#prepared;
    const whole = withInternal(cleaned(this.#request.messages), routed.internal, this.#routing.revive);
    const messages = keepGroups ? whole : withoutGroups(whole);
    const names = new Set(offered.map((tool) => tool.name));
    if (!names.has(dispatchCall)) return messages;
    return dispatched(messages, (tool) => listing.isMcp(tool) && !names.has(tool) && !metaTools.has(tool));
  }

  /** @param internal the rounds of this request that VS Code has not seen */
  async #round(internal: readonly Message[], withMeta: boolean): Promise<Round> {
    const offered = this.#offer(withMeta);
    const round: Round = { parts: [], delivered: [], answers: [] };
    for await (const part of await this.#host.send([...this.#history(offered), ...internal], offered)) {
      if (isMarker(part)) continue;
      round.parts.push(part);
      if (part.kind === "call" && !this.#nativeNames.has(part.name)) await this.#judge(part, round);
      else {
        if (part.kind === "call") round.delivered.push(plainId(part.callId));
        this.#host.report(part);
      }
    }
    return round;
  }

  /** Asks the daemon about a call, and does what it says. */
  async #judge(call: CallPart, round: Round): Promise<void> {
    const verdict = await this.#prepared.routed.judge(call);
    if (verdict.kind === "answer") {
      this.#host.answers?.(call);
      round.answers.push({ call: call.callId, text: verdict.text });
      return;
    }
    round.delivered.push(plainId(call.callId));
    this.#host.report(this.#reachable({ kind: "call", callId: call.callId, name: verdict.name, input: verdict.input }));
  }

  /** The call as the host can run it. */
  #reachable(call: CallPart): CallPart {
    const { visible, routed } = this.#prepared;
    if (visible.has(call.name) || !visible.has(proxyTool)) return call;
    this.#routing.allowances.allow(routed.task, call.name);
    return wrapped(call, routed.task);
  }

  #tell(): void {
    const { task, title, attachment } = this.#prepared.routed;
    this.#routing.routed({
      task,
      ...(title !== undefined && { title }),
      model: this.#request.model.name,
      attachment,
      sections: this.#sections(),
    });
  }

  /** Where the context goes that is not MCP's. */
  #sections(): UsageSection[] {
    const system = this.#request.messages.filter((message) => message.role === "system");
    const rest = this.#request.messages.filter((message) => message.role !== "system");
    return [
      { name: "System prompt", tokens: messageTokens(...system) },
      { name: "VS Code's tools", tokens: toolTokens(this.#prepared.native) },
      { name: "Conversation", tokens: messageTokens(...rest) },
    ];
  }
}
