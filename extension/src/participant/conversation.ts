// The stored state of a chat. VS Code stores it with each answer, so that a chat continues after a reload with the same
// task, the same tools and everything that the model has seen.

import { createHash } from "node:crypto";
import { type DataPart, type Message, type Part, text, textOf } from "../chat/message";
import { messagesToJson } from "../chat/partjson";
import { messageTokens } from "../chat/tokens";
import type { TaskState } from "../protocol/protocol.gen";

/** The record of one answer, as plain JSON. */
export interface TurnRecord {
  /** Incremented when the format changes; records of other versions are ignored. */
  version: 1;
  /** The task after this answer; absent if there was none yet. */
  state?: TaskState;
  /** The messages of this turn, results included. */
  messages: KeptMessage[];
  /** How many of the chat's first turns are no longer sent because they do not fit. */
  dropped: number;
}

/** A message without what JSON cannot represent. */
export interface KeptMessage {
  role: "user" | "assistant";
  parts: KeptPart[];
  /** The daemon's digest of the message, if it was shortened. */
  digest?: string;
}

export type KeptPart =
  | { kind: "text"; text: string }
  | { kind: "call"; callId: string; name: string; input: object }
  | { kind: "result"; callId: string; text: string };

/** An earlier turn of the chat. */
export interface PastTurn {
  prompt: string;
  /** The text of the answer. */
  answer: string;
  /** The record; undefined if the answer failed too early. */
  record: TurnRecord | undefined;
}

/** The most characters of results stored per turn. Longer results were read and are not needed in full. */
const maxKeptChars = 60_000;

/** The length of a shortened result, in characters. */
const shortResult = 1000;

/** Returns the record of an answer; undefined if it is not one. */
export function recordOf(metadata: unknown): TurnRecord | undefined {
  const record = metadata as Partial<TurnRecord> | undefined;
  return record?.version === 1 && Array.isArray(record.messages) ? (record as TurnRecord) : undefined;
}

/** Returns the newest task of a chat. */
export function stateOf(past: readonly PastTurn[]): TaskState | undefined {
  return past.findLast(({ record }) => record?.state !== undefined)?.record?.state;
}

/** Converts the messages of a turn to their stored form. The oldest long results are shortened first. */
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

/** Returns the message with a digest if it may be shortened: one with results or data. */
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
      return []; // thinking belongs to this turn only
  }
}

function words(part: Part): string {
  return part.kind === "data" ? shown(part) : textOf([part]);
}

/** Returns the placeholder of data, which is not stored. */
function shown({ mimeType }: DataPart): string {
  return `[${mimeType} that was shown before]`;
}

/** Returns the messages of an earlier turn. Without a record they are what the user saw. */
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
 * Returns how many of the first turns to omit so that the others fit. It omits more than necessary, because each
 * omission invalidates the model's cache.
 *
 * @param turns the messages of each turn, oldest first
 * @param dropped how many were omitted before
 * @param budget the available tokens
 */
export function overflow(turns: readonly Message[][], dropped: number, budget: number): number {
  const costs = turns.map((messages) => messageTokens(...messages));
  const total = (from: number) => costs.slice(from).reduce((sum, cost) => sum + cost, 0);
  if (total(dropped) <= budget) return dropped;
  let count = dropped;
  while (count < turns.length && total(count) > budget / 2) count++;
  return count;
}
