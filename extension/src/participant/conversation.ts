// The stored state of a chat. VS Code stores it with each answer, so that a chat continues after a reload with the same
// task, the same tools and everything that the model has seen.

import type { ChatRecord, TaskState } from "../protocol/protocol.gen";

/** The record of one answer, as plain JSON. */
export interface TurnRecord extends ChatRecord {
  /** Incremented when the format changes; records of other versions are ignored. */
  version: 1;
  /** The task after this answer; absent if there was none yet. */
  state?: TaskState;
}

/** An earlier turn of the chat. */
export interface PastTurn {
  prompt: string;
  /** The text of the answer. */
  answer: string;
  /** The record; undefined if the answer failed too early. */
  record: TurnRecord | undefined;
}

/** Returns the record of an answer; undefined if it is not one. */
export function recordOf(metadata: unknown): TurnRecord | undefined {
  const record = metadata as Partial<TurnRecord> | undefined;
  return record?.version === 1 && Array.isArray(record.messages) ? (record as TurnRecord) : undefined;
}

/** Returns the newest task of a chat. */
export function stateOf(past: readonly PastTurn[]): TaskState | undefined {
  return past.findLast(({ record }) => record?.state !== undefined)?.record?.state;
}
