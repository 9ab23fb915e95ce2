// Messages and tools of a chat request as plain values. VS Code's classes are converted at the boundary
// (vscodeparts.ts), so that the rest can be tested without VS Code.

/** The author of a message. VS Code's role of the system prompt has no name in the stable API. */
export type Role = "system" | "user" | "assistant";

/** One message of a request. */
export interface Message {
  role: Role;
  /** The author's name; "" in the agent's tool results. */
  name?: string | undefined;
  parts: readonly Part[];
  /** The daemon's digest, of a message that was shortened. */
  digest?: string;
}

/** A part of a message or a response. `raw` is VS Code's own object, absent from parts made here. */
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

/** A part without a class in the stable API, such as thinking; text is its text, as far as known. */
export interface OtherPart {
  kind: "other";
  text: string;
  raw: unknown;
}

/** A tool offered by a request. */
export interface Tool {
  name: string;
  description: string;
  inputSchema?: object | undefined;
}

/** Returns a text part. */
export function text(value: string): TextPart {
  return { kind: "text", text: value };
}

/** Returns a text result of a call. */
export function textResult(callId: string, value: string): ResultPart {
  return { kind: "result", callId, content: [text(value)] };
}

/** Returns the text of the parts, without that of results. */
export function textOf(parts: readonly Part[]): string {
  return parts.map((part) => (part.kind === "text" ? part.text : "")).join("");
}

/** Returns the calls among the parts. */
export function callsOf(parts: readonly Part[]): CallPart[] {
  return parts.filter((part) => part.kind === "call");
}
