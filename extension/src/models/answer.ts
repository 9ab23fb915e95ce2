// Forwards a routed request, and answers what the model asks of Winnow itself.

import type { Attachment, ConversationRouteParams, UsageSection } from "../protocol.gen";
import type { ChatHost, ChatRequest, Routing } from "./chat";
import { metaTools } from "./daemon";
import { cleaned, dispatchCall, dispatched, isMarker, withoutGroups, wrapped } from "./history";
import { proxyTool } from "./hosttools";
import { type CallPart, type Message, type Part, type ResultPart, type Tool, text, textResult } from "./message";
import type { Listing } from "./servers";
import { messageTokens, toolTokens } from "./tokens";

/** How many rounds with the model one request may hide from VS Code. */
export const maxHiddenRounds = 8;

/** What the user reads when they are used up and the model has answered nothing. */
export const stopped = `Winnow stopped here: the model asked for tools ${maxHiddenRounds + 1} times in a row and did nothing else. Ask it to go on, or name the tool that you mean.`;

/** The most characters of a task's title. */
const maxTitle = 80;

/** What was found out about a request before it is forwarded. */
export interface Prepared {
  listing: Listing;
  /** The host's own tools. */
  native: readonly Tool[];
  /** The names of all that the host offers, and runs itself. */
  visible: ReadonlySet<string>;
  facts: ConversationRouteParams;
  /** The digest of the messages up to each. */
  chain: readonly string[];
  /** Whether the model is offered VS Code's groups. */
  keepGroups: boolean;
}

/** What the model did in one round. */
interface Round {
  /** Its answer, as it gave it. */
  parts: Part[];
  /** The calls that VS Code got. */
  passed: CallPart[];
  /** The calls that were answered here, and the answers. */
  calls: CallPart[];
  results: ResultPart[];
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

  /**
   * Sends the request, and sends it again as long as the model asks for nothing but what is answered here.
   *
   * @param title what the conversation was called in an earlier window
   */
  async run(attachment: Attachment, title = this.#title()): Promise<void> {
    const { task } = attachment;
    const told = (now: Attachment) => {
      this.#tell(now, title);
      this.#routing.recall.keep(this.#prepared, now.state, title);
    };
    this.#routing.allowances.end(task);
    const rounds: Message[] = [];
    for (let n = 0; !this.#request.token.isCancellationRequested; n++) {
      told(attachment);
      const offered = this.#offer(attachment, n < maxHiddenRounds);
      const round = await this.#round(task, [...this.#history(task, offered), ...rounds], offered, (next) => {
        attachment = next;
      });
      const alone = round.passed.length === 0 && round.calls.length > 0;
      if (!alone || n >= maxHiddenRounds) {
        if (alone) this.#host.report(text(`\n\n${stopped}`));
        const { calls, results } = alone ? { calls: [], results: [] } : round;
        this.#keep(task, round, { rounds, calls, results });
        this.#routing.recall.keep(this.#prepared, attachment.state, title);
        return;
      }
      rounds.push({ role: "assistant", parts: round.parts });
      rounds.push(...round.results.map((result): Message => ({ role: "user", parts: [result] })));
    }
  }

  #keep(task: string, round: Round, hidden: { rounds: Message[]; calls: CallPart[]; results: ResultPart[] }): void {
    const callIds = round.passed.map((call) => call.callId);
    this.#routing.memory.keep(task, { chain: this.#prepared.chain.at(-1) ?? "", callIds }, hidden);
  }

  /** The tools of the request: what never changes comes first, for the model's prompt cache. */
  #offer(attachment: Attachment, withMeta: boolean): Tool[] {
    const meta = withMeta ? attachment.metaTools : [];
    const own = [...meta, ...attachment.tools].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as object,
    }));
    return [...this.#prepared.native, ...own];
  }

  /** The conversation as the model knows it. */
  #history(task: string, offered: readonly Tool[]): Message[] {
    const whole = this.#routing.memory.restore(task, cleaned(this.#request.messages), this.#prepared.chain);
    const messages = this.#prepared.keepGroups ? whole : withoutGroups(whole);
    const names = new Set(offered.map((tool) => tool.name));
    if (!names.has(dispatchCall)) return messages;
    return dispatched(
      messages,
      (tool) => this.#prepared.listing.isMcp(tool) && !names.has(tool) && !metaTools.has(tool),
    );
  }

  async #round(
    task: string,
    messages: readonly Message[],
    offered: readonly Tool[],
    attach: (next: Attachment) => void,
  ): Promise<Round> {
    const round: Round = { parts: [], passed: [], calls: [], results: [] };
    for await (const part of await this.#host.send(messages, offered)) {
      if (isMarker(part)) continue;
      round.parts.push(part);
      if (part.kind === "call" && !this.#nativeNames.has(part.name)) await this.#judge(task, part, round, attach);
      else {
        if (part.kind === "call") round.passed.push(part);
        this.#host.report(part);
      }
    }
    return round;
  }

  /** Asks the daemon about a call, and does what it says. */
  async #judge(task: string, call: CallPart, round: Round, attach: (next: Attachment) => void): Promise<void> {
    const verdict = await this.#routing.daemon.judge(task, call, this.#request.token);
    if (verdict.kind === "host") {
      const real: CallPart = { kind: "call", callId: call.callId, name: verdict.name, input: verdict.input };
      round.passed.push(real);
      this.#host.report(this.#reachable(task, real));
      return;
    }
    round.calls.push(call);
    round.results.push(textResult(call.callId, verdict.text));
    if (verdict.attachment !== undefined) attach(verdict.attachment);
  }

  /** The call as the host can run it. */
  #reachable(task: string, call: CallPart): CallPart {
    if (this.#prepared.visible.has(call.name) || !this.#prepared.visible.has(proxyTool)) return call;
    this.#routing.allowances.allow(task, call.name);
    return wrapped(call);
  }

  /** The beginning of the message; undefined when there are no words of the user's. */
  #title(): string | undefined {
    const words = (this.#prepared.facts.message ?? "").replace(/\s+/g, " ").slice(0, maxTitle);
    return words === "" ? undefined : words;
  }

  #tell(attachment: Attachment, title: string | undefined): void {
    this.#routing.routed({
      task: attachment.task,
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
