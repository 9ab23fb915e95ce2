// What VS Code's own form of a chat hides from a model, and what Winnow's own tool
// in VS Code stands for.

import { PROTOCOL_PROXY_TOOL } from "../protocol/protocol.gen";
import type { CallPart, Message, Part } from "./message";

/** The tool that we contribute, by which a model reaches tools that the host did not list. */
export const proxyTool = PROTOCOL_PROXY_TOOL;

/** Names the model of an earlier answer, which is another one's business than the model's behind the twin. */
const statefulMarker = "stateful_marker";

/** Tells whether a part belongs to the model that it came from, and to no other. */
export function isMarker(part: Part): boolean {
  return part.kind === "data" && part.mimeType === statefulMarker;
}

/** Takes markers away, and gives calls of winnow_call the name of the tool that they reached. */
export function cleaned(messages: readonly Message[]): Message[] {
  return messages.map((message) =>
    message.parts.some((part) => isMarker(part) || (part.kind === "call" && part.name === proxyTool))
      ? { ...message, parts: message.parts.filter((part) => !isMarker(part)).map(unwrapped) }
      : message,
  );
}

/** The call of winnow_call through which the host reaches a tool that it did not list, for a task. */
export function wrapped(call: CallPart, task: string): CallPart {
  return { kind: "call", callId: call.callId, name: proxyTool, input: { task, tool: call.name, input: call.input } };
}

/** The call that a call of winnow_call stands for; any other part as it is. */
function unwrapped(part: Part): Part {
  if (part.kind !== "call" || part.name !== proxyTool) return part;
  const { tool, input } = part.input as { tool?: unknown; input?: unknown };
  if (typeof tool !== "string") return part;
  const object = typeof input === "object" && input !== null ? input : {};
  return { kind: "call", callId: part.callId, name: tool, input: object };
}
