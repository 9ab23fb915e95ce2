// Forwards a routed request, and handles the model's calls of Winnow's own tools.

import type { CallAnswer } from "../protocol/protocol.gen";
import type { ChatHost, ChatRequest, Routing } from "./request";
import { contentOf } from "./content";
import { answerMessages, edited } from "./edits";
import { isMarker, proxyTool, wrapped } from "./history";
import { type CallPart, type Message, type Part, type Tool, text } from "../chat/message";
import type { RoutedRequest } from "./routedrequest";

/** The text for the user if the model keeps requesting tools without responding. */
export function stopped(times: number): string {
  return `Winnow stopped here: the model asked for tools ${times} times in a row and did nothing else. Ask it to go on, or name the tool that you mean.`;
}

/** A routed request before it is forwarded. */
export interface Prepared {
  /** The tools passed to the model unchanged. The host runs them without the daemon. */
  kept: readonly Tool[];
  routed: RoutedRequest;
}

/** The model's response in one round. */
interface Round {
  /** Its parts, unchanged. */
  parts: Part[];
  /** The ids of the calls passed to VS Code. */
  delivered: string[];
  /** Winnow's results of the other calls. */
  answers: CallAnswer[];
}

/** One request during its response. */
export class Answer {
  readonly #routing: Routing;
  readonly #request: ChatRequest;
  readonly #host: ChatHost;
  readonly #prepared: Prepared;
  readonly #kept: ReadonlySet<string>;
  /** The names of all tools that the host offers and runs itself. */
  readonly #visible: ReadonlySet<string>;

  constructor(routing: Routing, request: ChatRequest, host: ChatHost, prepared: Prepared) {
    this.#routing = routing;
    this.#request = request;
    this.#host = host;
    this.#prepared = prepared;
    const listed = request.allListed === true ? routing.listing().tools : [];
    this.#kept = new Set(prepared.kept.map(({ name }) => name));
    this.#visible = new Set([...request.tools, ...listed].map(({ name }) => name));
  }

  /** Sends the request, and repeats it as long as all the model's calls are answered here. */
  async run(): Promise<void> {
    const { routed } = this.#prepared;
    this.#routing.allowances.end(routed.now.task);
    const { claim } = routed.now.attachment;
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
      // The daemon only counts a response without calls.
      if (round.answers.length + round.delivered.length === 0) round.parts = [];
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

  /** Returns the tools of the request. Those that never change come first, for the model's prompt cache. */
  #offer(withMeta: boolean): Tool[] {
    const { attachment } = this.#prepared.routed.now;
    const meta = withMeta ? attachment.metaTools : [];
    const own = [...meta, ...attachment.tools].map(({ name, description, inputSchema }) => ({
      name,
      description,
      inputSchema: inputSchema as object,
    }));
    return [...this.#prepared.kept, ...own.filter(({ name }) => !this.#kept.has(name))];
  }

  /** @param internal the rounds of this request that VS Code has not seen */
  async #round(internal: readonly Message[], withMeta: boolean): Promise<Round> {
    const { routed } = this.#prepared;
    const history = edited(this.#request.messages, routed.now.edits ?? [], this.#routing.revive);
    const round: Round = { parts: [], delivered: [], answers: [] };
    for await (const part of await this.#host.send([...history, ...internal], this.#offer(withMeta))) {
      if (isMarker(part)) continue;
      round.parts.push(part);
      if (part.kind === "call" && !this.#kept.has(part.name)) await this.#judge(part, round);
      else {
        if (part.kind === "call") round.delivered.push(part.callId);
        this.#host.report(part);
      }
    }
    return round;
  }

  /** Asks the daemon about a call, and carries out its decision. */
  async #judge(call: CallPart, round: Round): Promise<void> {
    const verdict = await this.#prepared.routed.judge(call);
    if (verdict.kind === "answer") {
      this.#host.answers?.(call);
      round.answers.push({ call: call.callId, text: verdict.text });
      return;
    }
    round.delivered.push(call.callId);
    this.#host.report(this.#reachable({ kind: "call", callId: call.callId, name: verdict.name, input: verdict.input }));
  }

  /** Returns the call in the form that the host can run. */
  #reachable(call: CallPart): CallPart {
    const { task } = this.#prepared.routed.now;
    if (this.#visible.has(call.name) || !this.#visible.has(proxyTool)) return call;
    this.#routing.allowances.allow(task, call.name);
    return wrapped(call, task);
  }

  #tell(): void {
    const { task, title, attachment, sections = [] } = this.#prepared.routed.now;
    this.#routing.routed({
      task,
      ...(title !== undefined && { title }),
      model: this.#request.model.name,
      attachment,
      sections,
    });
  }
}
