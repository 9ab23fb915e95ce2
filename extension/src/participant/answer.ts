// One answer of @winnow, without VS Code: a request to a routed model, whose calls are made here, and the record for
// the next turn.

import { randomUUID } from "node:crypto";
import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { errorText } from "../daemon/errors";
import { Allowances } from "../routing/allowances";
import type { CallScreen, Calls, HostRun } from "../routing/calls";
import type { ChatRequest, Routing } from "../routing/request";
import { proxyTool } from "../routing/history";
import { type CallPart, type Message, type Part, type Tool, text } from "../chat/message";
import { respond } from "../routing/respond";
import { messageFromJson, messagesToJson } from "../chat/partjson";
import {
  ChatBegin,
  type ChatBeginResult,
  type ChatEnding,
  ChatKeep,
  ServerWait,
  type ServerWaitResult,
  TaskOpen,
  type TaskState,
} from "../protocol/protocol.gen";
import type { RoutedTask } from "../window/sessions";
import type { Attached } from "./attachments";
import { type PastTurn, type TurnRecord, stateOf } from "./conversation";
import { converse } from "./loop";

/** The shared context of a window's answers. */
export interface Chats {
  daemon: Daemon;
  /** The routing of the routed models' requests. */
  routing: Routing;
  calls: Calls;
}

/** The model that answers. */
export interface Model {
  name: string;
  /** The model's context window in tokens; 0 if unknown. */
  maxInputTokens: number;
  /** The most tools that it accepts; 0 if unknown. */
  maxTools: number;
  /** Sends one request and streams the response. */
  send(messages: readonly Message[], tools: readonly Tool[], token: CancellationToken): AsyncIterable<Part>;
}

/** The tools run by VS Code. */
export interface HostTools {
  list(): Tool[];
  /** Runs a tool; VS Code asks the user if necessary. */
  invoke: HostRun;
}

/** The display of an answer. */
export interface AnswerScreen extends CallScreen {
  /** Shows a part of the answer, as Markdown. */
  say(text: string): void;
  /** Called with the state of the servers before the first request. */
  servers(up: ServerWaitResult): void;
  /** Called with each request. */
  routed(task: Omit<RoutedTask, "face">): void;
}

/** A message of the user with its context. */
export interface Question {
  /** The user's text, by which tools are chosen. */
  prompt: string;
  /** The attachments. */
  attached: readonly Attached[];
  /** The chat so far. */
  past: readonly PastTurn[];
  /** The paths of the open folders. */
  folders: readonly string[];
  model: Model;
  /** The most requests to the model. */
  maxRounds: number;
  /** VS Code's own tools. */
  host: HostTools;
  screen: AnswerScreen;
  token: CancellationToken;
}

/** The result of an answer. */
export interface Outcome {
  ending: ChatEnding;
  /** Absent if the daemon was gone at the end. The chat then continues with what the user saw. */
  record?: TurnRecord;
  /** The model's error. */
  error?: unknown;
}

/** How long the first message waits for starting servers, in milliseconds. */
const startTimeout = 15_000;

/**
 * Answers a message.
 *
 * @throws DaemonError if the daemon fails
 */
export async function answer(chats: Chats, question: Question): Promise<Outcome> {
  const { screen, maxRounds, token } = question;
  screen.servers(await serversUp(chats.daemon, question));
  const { conversation, state } = await conversationOf(chats, stateOf(question.past));
  const { messages, dropped } = await begin(chats, question);
  const start = messages.length - 1;
  const routed = new Routed(chats, question, conversation, state);
  const finish = async (ending: ChatEnding, more: { interrupted?: string } = {}): Promise<Outcome> => {
    const turn = { messages: messagesToJson(messages.slice(start)), ending, ...more };
    const kept = await chats.daemon.request(ChatKeep, turn).catch(() => undefined);
    return { ending, ...(kept && { record: { version: 1, ...routed.kept, ...kept, dropped } }) };
  };
  try {
    const { ask, call } = routed;
    const { ending, ...more } = await converse({
      ask,
      call,
      messages,
      maxRounds,
      say: (words) => screen.say(words),
      token,
    });
    return await finish(ending, more);
  } catch (error) {
    if (routed.unrouted !== undefined) throw routed.unrouted;
    return { ...(await finish("failed")), error };
  }
}

/** Returns the messages for the model, the user's new one last, and how many of the chat's turns they lack. */
async function begin(
  { daemon, routing }: Chats,
  question: Question,
): Promise<{ messages: Message[]; dropped: number }> {
  const { prompt, attached, past, folders, model, screen, token } = question;
  const begun: ChatBeginResult = await daemon.request(
    ChatBegin,
    {
      prompt,
      attached: attached.map((one) => ("picture" in one ? { name: one.name, picture: true } : one)),
      past: past.map(({ prompt, answer, record }) => ({
        prompt,
        answer,
        ...(record && { record: { messages: record.messages, dropped: record.dropped } }),
      })),
      folders: [...folders],
      contextTokens: model.maxInputTokens,
    },
    token,
  );
  for (const warning of begun.warnings) screen.warn(warning);
  const pictures = attached.flatMap((one) => ("picture" in one ? [one.picture] : []));
  const messages = begun.messages.map((message) => messageFromJson(message, routing.revive));
  const said = messages.pop();
  if (said !== undefined) messages.push({ ...said, parts: [...said.parts, ...pictures] });
  return { messages, dropped: begun.dropped };
}

/** The chat's model with the routing of its twin, and the calls of its tools. */
class Routed {
  readonly #chats: Chats;
  readonly #question: Question;
  readonly #conversation: string;
  #state: TaskState | undefined;
  #warned = false;
  /** Why a request could not be routed. The user is told, and the model gets no request. */
  unrouted: Error | undefined;

  constructor(chats: Chats, question: Question, conversation: string, state: TaskState | undefined) {
    this.#chats = chats;
    this.#question = question;
    this.#conversation = conversation;
    this.#state = state;
  }

  /** The task for the next turn's record. */
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
      messages,
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
      allowances: new Allowances(), // VS Code does not run the calls
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
 * Returns the conversation of a chat, which identifies its task at the daemon. A task without one, made by a command or
 * an earlier version, gets one.
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

/** Restores a task in a restarted daemon, which may also lack the task's list of tools. */
export async function resume(daemon: Daemon, routing: Routing, state: TaskState): Promise<void> {
  const source = await routing.daemon.everyServer(routing.listing());
  await daemon.request(TaskOpen, { message: "", state: { ...state, source } });
}

/** Waits up to startTimeout until no server is starting, and returns the servers. */
async function serversUp(
  daemon: Daemon,
  { screen, token }: Pick<Question, "screen" | "token">,
): Promise<ServerWaitResult> {
  const up = await daemon.request(ServerWait, { timeoutMs: 0 }, token);
  if (up.starting.length === 0) return up;
  screen.progress(`Waiting for ${up.starting.join(", ")} to start`);
  return daemon.request(ServerWait, { timeoutMs: startTimeout }, token);
}
