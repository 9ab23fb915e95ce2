// A chat of VS Code's agent, for tests: it sends requests to respond as the
// provider does, runs the tools that are called, and sends their results, until
// an answer calls none. The model behind the twin is a script.

import { type CancellationToken, CancellationTokenSource } from "vscode-jsonrpc/node";
import type { Requester } from "../../src/daemon/client";
import { Allowances } from "../../src/routing/allowances";
import type { Routing } from "../../src/routing/request";
import { type Listing, RoutingDaemon } from "../../src/routing/daemon";
import { type CallPart, type Message, type Part, type Tool, callsOf, textOf } from "../../src/chat/message";
import { respond } from "../../src/routing/respond";
import type { RoutedTask } from "../../src/window/sessions";
import { answered, asked, environment, result, resultsOf, system, text } from "./parts";

/** What the model got. */
export interface Sent {
  messages: readonly Message[];
  tools: string[];
}

/** Answers a request of the model. */
export type Model = (sent: Sent, token: CancellationToken) => Iterable<Part> | AsyncIterable<Part>;

/** What all chats of a window share. */
export interface Window {
  routing: Routing;
  /** Each routed request, as the views are told. */
  routed: Omit<RoutedTask, "face">[];
  failures: unknown[];
}

/** Makes a window over a daemon. */
export function openWindow(daemon: Requester, listing: Listing): Window {
  const routed: Window["routed"] = [];
  const failures: unknown[] = [];
  const routing: Routing = {
    daemon: new RoutingDaemon(daemon),
    allowances: new Allowances(),
    listing: () => listing,
    routed: (task) => routed.push(task),
    revive: (raw) => raw,
    failed: (err) => failures.push(err),
  };
  return { routing, routed, failures };
}

/** Settings of a chat. */
export interface ChatOptions {
  conversation?: string | undefined;
  fromAgent?: boolean;
  fromWinnow?: boolean;
  instructions?: string;
  /** What a tool answers. */
  run?: (call: CallPart) => string | Promise<string>;
}

/** One chat. */
export class Chat {
  /** The conversation as VS Code keeps it. */
  readonly messages: Message[];
  /** Each request that the model got. */
  readonly sent: Sent[] = [];
  /** Each call that VS Code ran. */
  readonly ran: CallPart[] = [];
  /** What the host offers; a test may change it. */
  tools: readonly Tool[];
  model: Model = () => [text("ok")];
  readonly #window: Window;
  readonly #options: ChatOptions;

  constructor(window: Window, tools: readonly Tool[], options: ChatOptions = {}) {
    this.#window = window;
    this.tools = tools;
    this.#options = { conversation: "chat-1", fromAgent: true, ...options };
    this.messages = [system(options.instructions), environment];
  }

  /** Sends a message and returns what the user reads. */
  async say(words: string, source = new CancellationTokenSource()): Promise<string> {
    this.messages.push(asked(words));
    let read = "";
    for (;;) {
      const parts = await this.request(source);
      const said = textOf(parts);
      read += said;
      const calls = callsOf(parts);
      // VS Code keeps one text for an answer, whatever it was made of.
      const kept = parts.filter((part) => part.kind === "other");
      this.messages.push(answered(...kept, ...(calls.length > 0 || said !== "" ? [text(said)] : []), ...calls));
      if (calls.length === 0 || source.token.isCancellationRequested) return read;
      for (const call of calls) {
        this.ran.push(call);
        this.messages.push(result(call.callId, (await this.#options.run?.(call)) ?? `${call.name} ran`));
      }
    }
  }

  /** Sends one request and returns the parts of the answer. */
  async request(source = new CancellationTokenSource(), messages: readonly Message[] = this.messages): Promise<Part[]> {
    const parts: Part[] = [];
    const { conversation } = this.#options;
    await respond(
      this.#window.routing,
      {
        model: { name: "One", maxInputTokens: 100_000, maxTools: 0 },
        messages: [...messages],
        tools: this.tools,
        conversation,
        initiator: (this.#options.fromAgent ?? true) ? "github.copilot-chat" : "someone.else",
        fromWinnow: this.#options.fromWinnow ?? false,
        token: source.token,
      },
      {
        send: (rewritten, tools) => {
          const sent = { messages: rewritten, tools: tools.map(({ name }) => name) };
          this.sent.push(sent);
          return Promise.resolve(stream(this.model(sent, source.token)));
        },
        report: (part) => parts.push(part),
      },
    );
    return parts;
  }

  /** The tools of the newest request. */
  get offered(): string[] {
    return this.sent.at(-1)?.tools ?? [];
  }
}

async function* stream(parts: Iterable<Part> | AsyncIterable<Part>): AsyncIterable<Part> {
  yield* parts;
}

/** The results since the user's last message, as texts. */
export function resultsIn(sent: Sent): string[] {
  const start = sent.messages.findLastIndex(({ role, parts }) => role === "user" && resultsOf(parts).length === 0);
  return sent.messages.slice(start + 1).flatMap(({ parts }) => resultsOf(parts).map(({ content }) => textOf(content)));
}
