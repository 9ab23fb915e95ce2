// Rewrites the messages that VS Code sends into those that the model wrote and
// read.

import { PROTOCOL_META_CALL } from "../protocol/protocol.gen";
import { isGroup, proxyTool } from "./hosttools";
import { type CallPart, type Message, type Part, callsOf } from "./message";

/** Names the model of an earlier answer, which is another one's business than the model's behind the twin. */
const statefulMarker = "stateful_marker";

/** The tool by which a model of strategy `dispatch` calls others. */
export const dispatchCall = PROTOCOL_META_CALL;

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
export function unwrapped(part: Part): Part {
  if (part.kind !== "call" || part.name !== proxyTool) return part;
  const { tool, input } = part.input as { tool?: unknown; input?: unknown };
  if (typeof tool !== "string") return part;
  const object = typeof input === "object" && input !== null ? input : {};
  return { kind: "call", callId: part.callId, name: tool, input: object };
}

/** Takes away the calls of groups, which the model is not offered, and their results. */
export function withoutGroups(messages: readonly Message[]): Message[] {
  const dropped = new Set<string>();
  for (const { parts } of messages) {
    for (const call of callsOf(parts)) if (isGroup(call.name)) dropped.add(call.callId);
  }
  if (dropped.size === 0) return [...messages];
  return messages.flatMap((message) => {
    const parts = message.parts.filter(
      (part) => !((part.kind === "call" || part.kind === "result") && dropped.has(part.callId)),
    );
    if (parts.length === message.parts.length) return [message];
    return parts.every((part) => part.kind === "text" && part.text === "") ? [] : [{ ...message, parts }];
  });
}

/**
 * Writes calls of MCP's tools that the model is not offered as it made them, by
 * mcp_call: some providers refuse the others.
 *
 * @param reached tells whether a tool is one that the model can reach by mcp_call only
 */
export function dispatched(messages: readonly Message[], reached: (tool: string) => boolean): Message[] {
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part): Part =>
      part.kind !== "call" || !reached(part.name)
        ? part
        : { kind: "call", callId: part.callId, name: dispatchCall, input: { name: part.name, arguments: part.input } },
    ),
  }));
}
