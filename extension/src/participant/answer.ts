// One answer of @winnow, without VS Code: a request to a routed model whose
// calls are made here, and the record for the next turn.

import { randomUUID } from "node:crypto";
import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { errorText } from "../daemon/errors";
import { Allowances } from "../models/allowances";
import type { CallScreen, Calls, HostRun } from "../models/calls";
import type { ChatRequest, Routing } from "../models/chat";
import { proxyTool } from "../models/history";
import { type CallPart, type Message, type Part, type Tool, text } from "../models/message";
import { respond } from "../models/respond";
import { ServerWait, type ServerWaitResult, TaskOpen, type TaskState } from "../protocol/protocol.gen";
import type { RoutedTask } from "../window/sessions";
import { type PastTurn, type TurnRecord, keep, messagesOf, named, overflow, stateOf } from "./conversation";
import { type Ending, converse } from "./loop";
import { type Attached, instructions, messageWith } from "./prompt";

/** What the answers of a window are made with. */
export interface Chats {
  daemon: Daemon;
  /** How the routed models' requests are answered. */
  routing: Routing;
  calls: Calls;
}

/** The model that answers. */
export interface Model {
  name: string;
  /** The model's window; 0 is unknown. */
  maxInputTokens: number;
  /** The most tools that it takes; 0 is unknown. */
  maxTools: number;
  /** Sends one request and streams the answer. */
  send(messages: readonly Message[], tools: readonly Tool[], token: CancellationToken): AsyncIterable<Part>;
}

/** The tools that VS Code itself runs. */
export interface HostTools {
  list(): Tool[];
  /** Runs one; VS Code asks the user where it must. */
  invoke: HostRun;
}

/** What the user sees of an answer. */
export interface AnswerScreen extends CallScreen {
  /** Shows a piece of the answer, which is Markdown. */
  say(text: string): void;
  /** Is told of the servers before the model is asked. */
  servers(up: ServerWaitResult): void;
  /** Is told of each request. */
  routed(task: Omit<RoutedTask, "face">): void;
}

/** What is answered, and by whom. */
export interface Question {
  /** The user's own words; tools are chosen by them. */
  prompt: string;
  /** What the user attached. */
  attached: readonly Attached[];
  /** The chat so far. */
  past: readonly PastTurn[];
  /** The paths of the open folders. */
  folders: readonly string[];
  model: Model;
  /** Most requests to the model. */
  maxRounds: number;
  /** VS Code's own tools. */
  host: HostTools;
  screen: AnswerScreen;
  token: CancellationToken;
}

/** What became of a question. */
export interface Outcome {
  ending: Ending | "failed";
  record: TurnRecord;
  /** What the model failed with. */
  error?: unknown;
}

/** How much of a model's window earlier turns may take. */
const pastShare = 0.6;

/** How long the first message waits for servers that are starting, in milliseconds. */
const startTimeout = 15_000;

/**
 * Answers a question.
 *
 * @throws DaemonError when the daemon fails
 */
export async function answer(chats: Chats, question: Question): Promise<Outcome> {
  const { screen, prompt, maxRounds, token } = question;
  screen.servers(await serversUp(chats.daemon, question));
  for (const one of question.attached) if ("problem" in one) screen.warn(`${one.name} is not sent: ${one.problem}.`);
  const { conversation, state } = await conversationOf(chats, stateOf(question.past));
  const memory = remember(question);
  const system: Message = { role: "system", parts: [text(instructions(question.folders))] };
  const said: Message = { role: "user", parts: messageWith(prompt, question.attached) };
  const messages = [system, ...memory.messages, said];
  const start = messages.length - 1;
  const routed = new Routed(chats, question, conversation, state);
  const finish = (ending: Outcome["ending"], error?: unknown): Outcome => ({
    ending,
    record: { version: 1, ...routed.kept, messages: keep(messages.slice(start)), dropped: memory.dropped },
    error,
  });
  try {
    const { ask, call } = routed;
    return finish(await converse({ ask, call, messages, maxRounds, say: (words) => screen.say(words), token }));
  } catch (err) {
    if (routed.unrouted !== undefined) throw routed.unrouted;
    return finish("failed", err);
  }
}

/** The chat's model as its twin would answer, and the tools that it calls. */
class Routed {
  readonly #chats: Chats;
  readonly #question: Question;
  readonly #conversation: string;
  #state: TaskState | undefined;
  #warned = false;
  /** Why a request could not be routed; the user is told, and the model is not asked. */
  unrouted: Error | undefined;

  constructor(chats: Chats, question: Question, conversation: string, state: TaskState | undefined) {
    this.#chats = chats;
    this.#question = question;
    this.#conversation = conversation;
    this.#state = state;
  }

  /** The task as the next turn finds it. */
  get kept(): { state?: TaskState } {
    return this.#state === undefined ? {} : { state: this.#state };
  }

  readonly ask = async (messages: readonly Message[], report: (part: Part) => void): Promise<number> => {
    const { model, token } = this.#question;
    let asked = 0;
    await respond(this.#routing(), this.#request(messages), {
      send: (rewritten, tools) => {
        asked++;
        return Promise.resolve(model.send(rewritten, tools, token));
      },
      report,
      answers: ({ input }) => {
        const { query } = input as { query?: unknown };
        if (typeof query === "string") this.#question.screen.progress(`Looking for tools: ${query}`);
      },
    });
    return asked;
  };

  readonly call = async ({ name, input }: CallPart, token: CancellationToken): Promise<Part[]> => {
    const { host, screen } = this.#question;
    try {
      if (name !== proxyTool) return await host.invoke(name, input, token);
      const call = input as { task: string; tool: string; input: object };
      const made = { task: call.task, name: call.tool, input: call.input };
      return await this.#chats.calls.run(made, screen, host.invoke, token);
    } catch (err) {
      if (token.isCancellationRequested) throw err;
      return [text(`Error: ${errorText(err)}`)];
    }
  };

  #request(messages: readonly Message[]): ChatRequest {
    const { model, host, prompt, token } = this.#question;
    const proxy: Tool = { name: proxyTool, description: "" };
    return {
      model,
      messages: messages.map(named),
      tools: [...host.list(), proxy],
      allListed: true,
      conversation: this.#conversation,
      words: prompt,
      wantState: true,
      fromWinnow: false,
      token,
    };
  }

  #routing(): Routing {
    return {
      ...this.#chats.routing,
      allowances: new Allowances(), // the calls do not pass VS Code
      routed: (task) => this.#note(task),
      failed: (err) => {
        this.unrouted = err instanceof Error ? err : new Error(errorText(err));
        throw this.unrouted;
      },
    };
  }

  #note(task: Omit<RoutedTask, "face">): void {
    const { screen } = this.#question;
    const { state, warnings = [] } = task.attachment;
    this.#state = state ?? this.#state;
    if (!this.#warned) for (const warning of warnings) screen.warn(warning);
    this.#warned = true;
    screen.routed(task);
  }
}

/**
 * Names the conversation of a chat, by which the daemon knows its task. A task
 * that has none, of a command or of an earlier version, is given one.
 */
async function conversationOf(
  { daemon, routing }: Chats,
  state: TaskState | undefined,
): Promise<{ conversation: string; state: TaskState | undefined }> {
  if (state?.conversation !== undefined && state.conversation !== "")
    return { conversation: state.conversation, state };
  const conversation = `winnow:${randomUUID()}`;
  if (state === undefined) return { conversation, state };
  await resume(daemon, routing, { ...state, conversation });
  return { conversation, state: { ...state, conversation } };
}

/** Gives a task back to a daemon that was started since. The list of tools that it had may be gone, too. */
export async function resume(daemon: Daemon, routing: Routing, state: TaskState): Promise<void> {
  const source = await routing.daemon.everyServer(routing.listing());
  await daemon.request(TaskOpen, { message: "", state: { ...state, source } });
}

/** What the model is told of the chat so far. The oldest turns are left out when they do not fit any more. */
function remember({ past, model: { maxInputTokens } }: Question): { messages: Message[]; dropped: number } {
  const turns = past.map(messagesOf);
  const before = Math.max(0, ...past.map(({ record }) => record?.dropped ?? 0));
  const dropped = overflow(turns, before, maxInputTokens > 0 ? maxInputTokens * pastShare : Infinity);
  return { messages: turns.slice(dropped).flat(), dropped };
}

/** Waits until no server is starting, for a while, and returns the servers. */
async function serversUp(
  daemon: Daemon,
  { screen, token }: Pick<Question, "screen" | "token">,
): Promise<ServerWaitResult> {
  const up = await daemon.request(ServerWait, { timeoutMs: 0 }, token);
  if (up.starting.length === 0) return up;
  screen.progress(`Waiting for ${up.starting.join(", ")} to start`);
  return daemon.request(ServerWait, { timeoutMs: startTimeout }, token);
}
