// One answer of @winnow, without VS Code: takes the turn of the chat's task,
// lets the model work with its tools, and makes the record for the next turn.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import { type Message, type Part, text, textOf } from "../models/message";
import { messageTokens, toolTokens } from "../models/tokens";
import type { Attachment, ServerInfo, UsageSection } from "../protocol.gen";
import { contentOf } from "./content";
import { type PastTurn, type TurnRecord, keep, messagesOf, overflow, stateOf } from "./conversation";
import { type Ending, type Model, converse } from "./loop";
import { type Attached, instructions, messageWith } from "./prompt";
import { type ChatTasks, serversUp } from "./tasks";
import { type HostTools, type Screen, TaskTools } from "./toolbox";

/** What the user sees of an answer. */
export interface AnswerScreen extends Screen {
  /** Shows a piece of the answer, which is Markdown. */
  say(text: string): void;
  /** Is told of the servers before the model is asked. */
  servers(servers: readonly ServerInfo[]): void;
  /** Is told of the tools at the beginning, and when they change. */
  attached(attachment: Attachment, sections: UsageSection[]): void;
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
  /** The model's window; 0 is unknown. */
  contextTokens: number;
  /** Most requests to the model. */
  maxRounds: number;
  /** VS Code's own tools. */
  host: HostTools;
  /** The tools that the user has allowed for a chat, by its task. */
  allowed: (task: string) => Set<string>;
  screen: AnswerScreen;
  token: CancellationToken;
}

/** What became of a question. */
export interface Outcome {
  /** "claimed": a server's tool answered in the model's place. */
  ending: Ending | "claimed" | "failed";
  record: TurnRecord;
  /** What the model failed with. */
  error?: unknown;
}

/** How much of a model's window earlier turns may take. */
const pastShare = 0.6;

/**
 * Answers a question.
 *
 * @throws DaemonError when the daemon fails
 */
export async function answer(daemon: Daemon, tasks: ChatTasks, question: Question): Promise<Outcome> {
  const { screen, token, prompt, contextTokens, host } = question;
  const servers = await serversUp(daemon, token, (names) =>
    screen.progress(`Waiting for ${names.join(", ")} to start`),
  );
  screen.servers(servers);
  const memory = await remember(tasks, question);
  const limits = { contextTokens, nativeTools: host.list().length };
  const attachment = await tasks.turn(memory.state, prompt, limits);
  for (const warning of attachment.warnings ?? []) screen.warn(warning);
  for (const one of question.attached) if ("problem" in one) screen.warn(`${one.name} is not sent: ${one.problem}.`);
  const said: Message[] = [{ role: "user", parts: messageWith(prompt, question.attached) }];
  const system: Message = { role: "system", parts: [text(instructions(question.folders))] };
  const messages = [system, ...memory.messages, ...said];
  const start = messages.length - said.length;
  const tools = new TaskTools(daemon, attachment, host, screen, question.allowed(attachment.task));
  const show = () => screen.attached(tools.attachment, sectionsOf(messages, host));
  const finish = (ending: Outcome["ending"], error?: unknown): Outcome => {
    show();
    return { ending, record: record(tools.attachment, messages.slice(start), memory.dropped), error };
  };
  show();
  if (attachment.claim !== undefined) {
    const parts: Part[] = contentOf(attachment.claim.result);
    screen.say(textOf(parts));
    messages.push({ role: "assistant", parts });
    return finish("claimed");
  }
  try {
    const { model, maxRounds } = question;
    const say = (words: string) => screen.say(words);
    return finish(await converse({ model, tools, messages, maxRounds, say, token }));
  } catch (err) {
    return finish("failed", err);
  }
}

/** What the model is told of the chat so far. */
interface Memory {
  messages: Message[];
  state: ReturnType<typeof stateOf>;
  dropped: number;
}

/** Leaves out the oldest turns when they do not fit any more; then the tools are chosen afresh too. */
async function remember(tasks: ChatTasks, { past, contextTokens, prompt }: Question): Promise<Memory> {
  const turns = past.map(messagesOf);
  const before = past.findLast(({ record }) => record !== undefined)?.record?.dropped ?? 0;
  const budget = contextTokens > 0 ? contextTokens * pastShare : Infinity;
  const dropped = overflow(turns, before, budget);
  let state = stateOf(past);
  if (dropped > before && state !== undefined) state = await tasks.compact(state, prompt);
  return { messages: turns.slice(dropped).flat(), state, dropped };
}

function record({ state }: Attachment, messages: Message[], dropped: number): TurnRecord {
  return { version: 1, ...(state !== undefined && { state }), messages: keep(messages), dropped };
}

/** What a request holds besides MCP tools, for the views. */
function sectionsOf(messages: readonly Message[], host: HostTools): UsageSection[] {
  return [
    { name: "System prompt", tokens: messageTokens(...messages.slice(0, 1)) },
    { name: "Conversation", tokens: messageTokens(...messages.slice(1)) },
    { name: "VS Code's tools", tokens: toolTokens(host.list()) },
  ];
}
