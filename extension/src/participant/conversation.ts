// What a chat remembers. VS Code keeps it with each answer, so that a chat goes
// on after a reload where it stopped: with the same task, the same tools and
// all that the model has seen.

import { createHash } from "node:crypto";
import { type DataPart, type Message, type Part, text, textOf } from "../models/message";
import { messagesToJson } from "../models/partjson";
import { messageTokens } from "../models/tokens";
import type { TaskState } from "../protocol/protocol.gen";

/** What is kept with one answer, as plain JSON. */
export interface TurnRecord {
  /** Rises when what is kept changes in kind; a record of another version is not read. */
  version: 1;
  /** The task after this answer; absent when there was none yet. */
  state?: TaskState;
  /** What the model has seen and said in this turn, results included. */
  messages: KeptMessage[];
  /** How many of the chat's first turns the model is not told any more, as they do not fit. */
  dropped: number;
}

/** A message without what JSON cannot hold. */
export interface KeptMessage {
  role: "user" | "assistant";
  parts: KeptPart[];
  /** What the daemon knows the message by, where not all of it is kept. */
  digest?: string;
}

export type KeptPart =
  | { kind: "text"; text: string }
  | { kind: "call"; callId: string; name: string; input: object }
  | { kind: "result"; callId: string; text: string };

/** One earlier turn of the chat, as VS Code knows it. */
export interface PastTurn {
  prompt: string;
  /** The text of the answer. */
  answer: string;
  /** What was kept; undefined when the answer failed before anything was. */
  record: TurnRecord | undefined;
}

/** Most characters that one turn keeps of its results. What is longer was read, and is not needed word by word. */
const maxKeptChars = 60_000;

/** What a long result is cut to, in characters. */
const shortResult = 1000;

/** Reads the record of an answer; undefined for what is none. */
export function recordOf(metadata: unknown): TurnRecord | undefined {
  const record = metadata as Partial<TurnRecord> | undefined;
  return record?.version === 1 && Array.isArray(record.messages) ? (record as TurnRecord) : undefined;
}

/** The newest task of a chat. */
export function stateOf(past: readonly PastTurn[]): TaskState | undefined {
  return past.findLast(({ record }) => record?.state !== undefined)?.record?.state;
}

/** Makes what is kept of the messages of a turn. The oldest long results are cut first. */
export function keep(messages: readonly Message[]): KeptMessage[] {
  const whole = messages.filter(({ role, parts }) => role !== "system" && parts.flatMap(keptPart).length > 0);
  const kept = whole.map(named).map(({ role, parts, digest }): KeptMessage => ({
    role: role === "assistant" ? "assistant" : "user",
    parts: parts.flatMap(keptPart),
    ...(digest !== undefined && { digest }),
  }));
  let size = JSON.stringify(kept).length;
  for (const part of kept.flatMap(({ parts }) => parts)) {
    if (size <= maxKeptChars) break;
    if (part.kind !== "result" || part.text.length <= shortResult) continue;
    size -= part.text.length - shortResult;
    part.text = `${part.text.slice(0, shortResult)}\n[… the rest of this result is not kept]`;
  }
  return kept;
}

/** The message with what the daemon is to know it by, where not all of it may be kept: one with results or data. */
export function named(message: Message): Message {
  const cut = message.parts.some(({ kind }) => kind === "result" || kind === "data");
  if (!cut || message.digest !== undefined) return message;
  return {
    ...message,
    digest: createHash("sha256")
      .update(JSON.stringify(messagesToJson([message])))
      .digest("base64url"),
  };
}

function keptPart(part: Part): KeptPart[] {
  switch (part.kind) {
    case "text":
      return part.text === "" ? [] : [{ kind: "text", text: part.text }];
    case "call":
      return [{ kind: "call", callId: part.callId, name: part.name, input: part.input }];
    case "result":
      return [{ kind: "result", callId: part.callId, text: part.content.map(words).join("") }];
    case "data":
      return [{ kind: "text", text: shown(part) }];
    default:
      return []; // a model's thinking is its own, and of this turn only
  }
}

function words(part: Part): string {
  return part.kind === "data" ? shown(part) : textOf([part]);
}

/** Stands for bytes, which are not kept. */
function shown({ mimeType }: DataPart): string {
  return `[${mimeType} that was shown before]`;
}

/** The messages of an earlier turn. One that has no record is told by what the user saw of it. */
export function messagesOf({ prompt, answer, record }: PastTurn): Message[] {
  if (record !== undefined) return record.messages.map(restored);
  const said: Message[] = [{ role: "user", parts: [text(prompt)] }];
  if (answer !== "") said.push({ role: "assistant", parts: [text(answer)] });
  return said;
}

function restored({ role, parts, digest }: KeptMessage): Message {
  return {
    role,
    ...(digest !== undefined && { digest }),
    parts: parts.map((part): Part =>
      part.kind === "result" ? { kind: "result", callId: part.callId, content: [text(part.text)] } : { ...part },
    ),
  };
}

/**
 * Says how many of the first turns to leave out so that the others fit. More
 * than needed are, as what is left out costs the model's cache each time.
 *
 * @param turns the messages of each turn, oldest first
 * @param dropped how many were left out before
 * @param budget the tokens that there are for them
 */
export function overflow(turns: readonly Message[][], dropped: number, budget: number): number {
  const costs = turns.map((messages) => messageTokens(...messages));
  const total = (from: number) => costs.slice(from).reduce((sum, cost) => sum + cost, 0);
  if (total(dropped) <= budget) return dropped;
  let count = dropped;
  while (count < turns.length && total(count) > budget / 2) count++;
  return count;
}
