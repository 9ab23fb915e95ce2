// What the scripted model is asked, and what a script lets it answer. Plain
// values: they cross from the extension host to a test's process as JSON.

/** One request that the model got, as the forwarding extension sent it. */
export interface ModelRequest {
  /** Counts the requests of this model extension from 1. */
  number: number;
  /** The model's id: scripted-one or scripted-late. */
  model: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  /** "auto", or "required" for a tool call that must be made. */
  toolMode: "auto" | "required";
  /** VS Code's own words about the request, its conversation's id among them. */
  modelOptions: Record<string, unknown>;
}

/** One message; role is "role N" for a role that has no name in VS Code's stable API. */
export interface ModelMessage {
  role: string;
  parts: ModelPart[];
}

/** One part of a message. */
export type ModelPart =
  | { kind: "text"; text: string }
  | { kind: "call"; callId: string; name: string; input: unknown }
  | { kind: "result"; callId: string; parts: ModelPart[] }
  | { kind: "data"; mimeType: string; base64: string }
  /** A part that the stable API has no class for, such as thinking; value is what JSON says of it. */
  | { kind: "other"; value: unknown };

/** One tool that the model may call. */
export interface ModelTool {
  name: string;
  description: string;
  inputSchema?: unknown;
}

/** One thing that the model does in its answer. */
export type Step =
  | { kind: "text"; text: string }
  | { kind: "thinking"; text: string }
  | { kind: "call"; callId?: string; name: string; input: object }
  | { kind: "data"; mimeType: string; base64: string }
  /** Fails the request; code is one of LanguageModelError's. */
  | { kind: "error"; message: string; code?: "NotFound" | "NoPermissions" | "Blocked" };

/**
 * Answers requests. It may be an async generator that waits between its steps,
 * for what the test says or for the signal, which is aborted when the request
 * is cancelled.
 */
export type Script = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<Step> | Iterable<Step>;

/** One request with what became of it. */
export interface Exchange {
  request: ModelRequest;
  /** The steps that were answered so far. */
  steps: Step[];
  outcome: "running" | "answered" | "cancelled" | "failed";
}

/** A step that says something. */
export function say(text: string): Step {
  return { kind: "text", text };
}

/** A step that calls a tool. */
export function call(name: string, input: object = {}): Step {
  return { kind: "call", name, input };
}

/** Resolves when the request is cancelled: a script waits for it by `await cancelled(signal)`. */
export function cancelled(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener("abort", () => resolve());
  });
}

/** The text of the parts, results included. */
export function textOf(parts: ModelPart[]): string {
  return parts
    .map((part) => (part.kind === "text" ? part.text : part.kind === "result" ? textOf(part.parts) : ""))
    .join("");
}

/** What the user typed last, without what VS Code's agent wraps around it. */
export function userWords(request: ModelRequest): string {
  const message = request.messages.findLast((message) => message.role === "user" && !message.parts.some(isResult));
  const text = textOf(message?.parts ?? []);
  const wrapped = /<(userRequest|user_query|prompt)>\n?([\s\S]*?)\n?<\/\1>\s*$/.exec(text);
  return wrapped?.[2] ?? text.replace(/<attachment [\s\S]*?<\/attachment>\s*/g, "");
}

/** The results of the calls since the user's last message, in order, with the names of their tools. */
export function results(request: ModelRequest): { name: string; text: string }[] {
  const calls = new Map<string, string>();
  let found: { name: string; text: string }[] = [];
  for (const { role, parts } of request.messages) {
    if (role === "user" && !parts.some(isResult)) found = [];
    for (const part of parts) {
      if (part.kind === "call") calls.set(part.callId, part.name);
      if (part.kind === "result") found.push({ name: calls.get(part.callId) ?? "", text: textOf(part.parts) });
    }
  }
  return found;
}

/** The name of the first tool that a request offers and a pattern matches; undefined when there is none. */
export function toolName(request: ModelRequest, pattern: RegExp): string | undefined {
  return request.tools.find((tool) => pattern.test(tool.name))?.name;
}

function isResult(part: ModelPart): boolean {
  return part.kind === "result";
}
