// Removes VS Code's additions from messages, and unwraps calls of Winnow's tool in VS Code.

import { PROTOCOL_PROXY_TOOL } from "../protocol/protocol.gen";
import type { CallPart, Message, Part } from "../chat/message";

/** The contributed tool, by which a model calls tools that the host did not list. */
export const proxyTool = PROTOCOL_PROXY_TOOL;

/** The type of data that identifies the model of an earlier response. It is meant for that model only. */
const statefulMarker = "stateful_marker";

/** Reports whether a part is meant only for the model that produced it. */
export function isMarker(part: Part): boolean {
  return part.kind === "data" && part.mimeType === statefulMarker;
}

/** Removes markers, and gives calls of winnow_call the name of the called tool. */
export function cleaned(messages: readonly Message[]): Message[] {
  return messages.map((message) =>
    message.parts.some((part) => isMarker(part) || (part.kind === "call" && part.name === proxyTool))
      ? { ...message, parts: message.parts.filter((part) => !isMarker(part)).map(unwrapped) }
      : message,
  );
}

/** Returns the call of winnow_call that calls an unlisted tool for a task. */
export function wrapped(call: CallPart, task: string): CallPart {
  return { kind: "call", callId: call.callId, name: proxyTool, input: { task, tool: call.name, input: call.input } };
}

/** Returns the call inside a call of winnow_call; any other part is unchanged. */
function unwrapped(part: Part): Part {
  if (part.kind !== "call" || part.name !== proxyTool) return part;
  const { tool, input } = part.input as { tool?: unknown; input?: unknown };
  if (typeof tool !== "string") return part;
  const object = typeof input === "object" && input !== null ? input : {};
  return { kind: "call", callId: part.callId, name: tool, input: object };
}
