// What is kept of a conversation over a reload of the window, as text. Pure;
// conversations.ts reads and writes it.

import type { TaskState } from "../protocol.gen";
import type { HiddenEntry } from "./hidden";
import type { CallPart, Message, Part, ResultPart } from "./message";

/** The form of the text. One of another form is not read. */
const version = 1;

/**
 * What a new window has to know so that a conversation goes on as it was, byte
 * for byte.
 *
 * It holds words of the user's and the model's, as VS Code's own file of the
 * chat does: in `state` the messages that are ranked by, and the descriptions
 * and schemas of the attached tools; in `hidden` what the model wrote in the
 * rounds that VS Code never saw, its calls there of Winnow's own tools such as
 * mcp_load, and Winnow's answers. Of calls that VS Code ran it holds neither
 * arguments nor results.
 */
export interface Kept {
  /** The beginning of the conversation's first message. */
  title?: string;
  state: TaskState;
  hidden: readonly HiddenEntry[];
}

/** Makes VS Code's own object of the plain form of a part that the stable API has no class for; undefined where it cannot. */
export type Revive = (raw: unknown) => unknown;

/** A part, as JSON has it. */
type PlainPart =
  | { kind: "text"; text: string }
  | { kind: "call"; callId: string; name: string; input: object }
  | { kind: "result"; callId: string; content: PlainPart[] }
  | { kind: "data"; mimeType: string; base64: string }
  | { kind: "other"; text: string; raw: unknown };

interface PlainMessage {
  role: Message["role"];
  name?: string;
  parts: PlainPart[];
}

interface PlainEntry {
  anchor: HiddenEntry["anchor"];
  rounds: PlainMessage[];
  calls: PlainPart[];
  results: PlainPart[];
}

interface PlainKept {
  version: number;
  title?: string;
  state: TaskState;
  hidden: PlainEntry[];
}

/** Writes it. */
export function keptText({ title, state, hidden }: Kept): string {
  const plain: PlainKept = {
    version,
    ...(title !== undefined && { title }),
    state,
    hidden: hidden.map(({ anchor, rounds, calls, results }) => ({
      anchor,
      rounds: rounds.map(({ role, name, parts }) => {
        return { role, ...(name !== undefined && { name }), parts: parts.map(plainPart) };
      }),
      calls: calls.map(plainPart),
      results: results.map(plainPart),
    })),
  };
  return JSON.stringify(plain);
}

/**
 * Reads it.
 *
 * @returns undefined for a text of another version of Winnow
 * @throws SyntaxError when it is not JSON
 */
export function readKept(text: string, revive: Revive): Kept | undefined {
  const plain = JSON.parse(text) as PlainKept;
  if (plain.version !== version) return undefined;
  const parts = (from: readonly PlainPart[]) => from.flatMap((part) => realPart(part, revive));
  return {
    ...(plain.title !== undefined && { title: plain.title }),
    state: plain.state,
    hidden: plain.hidden.map(({ anchor, rounds, calls, results }) => ({
      anchor,
      rounds: rounds.map((message) => ({ ...message, parts: parts(message.parts) })),
      calls: parts(calls) as CallPart[],
      results: parts(results) as ResultPart[],
    })),
  };
}

function plainPart(part: Part): PlainPart {
  switch (part.kind) {
    case "text":
      return { kind: "text", text: part.text };
    case "call":
      return { kind: "call", callId: part.callId, name: part.name, input: part.input };
    case "result":
      return { kind: "result", callId: part.callId, content: part.content.map(plainPart) };
    case "data":
      return { kind: "data", mimeType: part.mimeType, base64: Buffer.from(part.data).toString("base64") };
    case "other":
      return { kind: "other", text: part.text, raw: part.raw };
  }
}

/** A part again; none where VS Code's object cannot be made. */
function realPart(part: PlainPart, revive: Revive): Part[] {
  switch (part.kind) {
    case "text":
    case "call":
      return [part];
    case "result":
      return [{ ...part, content: part.content.flatMap((inner) => realPart(inner, revive)) }];
    case "data":
      return [{ kind: "data", mimeType: part.mimeType, data: new Uint8Array(Buffer.from(part.base64, "base64")) }];
    case "other": {
      const raw = revive(part.raw);
      return raw === undefined ? [] : [{ ...part, raw }];
    }
  }
}
