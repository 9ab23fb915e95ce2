// Messages and tools of a chat request as plain values. VS Code's classes are
// translated at the edge (vscodeparts.ts), so that all that is done with them
// can be tested without VS Code.

/** Who a message is from. VS Code's own role of the system prompt has no name in its stable API. */
export type Role = "system" | "user" | "assistant";

/** One message of a request. */
export interface Message {
  role: Role;
  /** The optional name of its author; "" in the agent's tool results. */
  name?: string | undefined;
  parts: readonly Part[];
  /** What the daemon knows it by, of a message that was cut since. */
  digest?: string;
}

/** One part of a message, or of an answer. `raw` is VS Code's own object, absent from what we make. */
export type Part = TextPart | CallPart | ResultPart | DataPart | OtherPart;

export interface TextPart {
  kind: "text";
  text: string;
  raw?: unknown;
}

/** A call of a tool. */
export interface CallPart {
  kind: "call";
  callId: string;
  name: string;
  input: object;
  raw?: unknown;
}

/** The result of a call. */
export interface ResultPart {
  kind: "result";
  callId: string;
  content: readonly Part[];
  raw?: unknown;
}

export interface DataPart {
  kind: "data";
  mimeType: string;
  data: Uint8Array;
  raw?: unknown;
}

/** A part that the stable API has no class for, such as thinking; text is what it says, as far as it is known. */
export interface OtherPart {
  kind: "other";
  text: string;
  raw: unknown;
}

/** A tool as a request offers it. */
export interface Tool {
  name: string;
  description: string;
  inputSchema?: object | undefined;
}

/** Makes a text part. */
export function text(value: string): TextPart {
  return { kind: "text", text: value };
}

/** Makes the result of a call that is a text. */
export function textResult(callId: string, value: string): ResultPart {
  return { kind: "result", callId, content: [text(value)] };
}

/** The text of the parts, without that of results. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** The calls among the parts. */
export function callsOf(parts: readonly Part[]): CallPart[] {
  return parts.filter((part) => part.kind === "call");
}

/** The results among the parts. */
export function resultsOf(parts: readonly Part[]): ResultPart[] {
  return parts.filter((part) => part.kind === "result");
}
