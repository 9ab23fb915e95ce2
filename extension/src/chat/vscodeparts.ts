// Converts between VS Code's messages and Winnow's types.

import * as vscode from "vscode";
import type { Message, Part, Role, Tool } from "./message";

/** The role of the system prompt, which VS Code's agent sends although the stable API has no name for it. */
const systemRole = 3;

/** Converts the messages of a request. */
export function readMessages(messages: readonly vscode.LanguageModelChatRequestMessage[]): Message[] {
  return messages.map(readMessage);
}

/** Converts one message. */
export function readMessage(message: vscode.LanguageModelChatRequestMessage): Message {
  return { role: readRole(message.role), name: message.name, parts: message.content.map(readPart) };
}

function readRole(role: vscode.LanguageModelChatMessageRole): Role {
  if ((role as number) === systemRole) return "system";
  return role === vscode.LanguageModelChatMessageRole.Assistant ? "assistant" : "user";
}

/** Converts one part of a message or a response. */
export function readPart(raw: unknown): Part {
  if (raw instanceof vscode.LanguageModelTextPart) return { kind: "text", text: raw.value, raw };
  if (raw instanceof vscode.LanguageModelToolCallPart) {
    return { kind: "call", callId: raw.callId, name: raw.name, input: raw.input, raw };
  }
  if (raw instanceof vscode.LanguageModelToolResultPart) {
    return { kind: "result", callId: raw.callId, content: raw.content.map(readPart), raw };
  }
  if (raw instanceof vscode.LanguageModelDataPart) {
    return { kind: "data", mimeType: raw.mimeType, data: raw.data, raw };
  }
  return { kind: "other", text: otherText(raw), raw };
}

/** Returns the text of a part that has one, such as thinking: a string or several. */
function otherText(raw: unknown): string {
  const { value } = (raw ?? {}) as { value?: unknown };
  if (Array.isArray(value)) return value.join("");
  return typeof value === "string" ? value : "";
}

/**
 * Converts messages for another model. Only VS Code's own extensions may send a system prompt, so it becomes a user
 * message.
 */
export function writeMessages(messages: readonly Message[]): vscode.LanguageModelChatMessage[] {
  return messages.map(({ role, name, parts }) => {
    const { Assistant, User } = vscode.LanguageModelChatMessageRole;
    const content = parts.map(writePart) as vscode.LanguageModelInputPart[];
    return new vscode.LanguageModelChatMessage(role === "assistant" ? Assistant : User, content, name);
  });
}

/** Converts one part to VS Code's own object if there is one. */
export function writePart(part: Part): unknown {
  if (part.raw !== undefined) return part.raw;
  switch (part.kind) {
    case "text":
      return new vscode.LanguageModelTextPart(part.text);
    case "call":
      return new vscode.LanguageModelToolCallPart(part.callId, part.name, part.input);
    case "result":
      return new vscode.LanguageModelToolResultPart(part.callId, part.content.map(writePart));
    case "data":
      return new vscode.LanguageModelDataPart(part.data, part.mimeType);
    case "other":
      return part.raw;
  }
}

/** The members of VS Code's thinking parts. */
interface Thinking {
  value?: unknown;
  id?: unknown;
  metadata?: unknown;
}

/** The class of VS Code's thinking parts, which is outside the stable API and may be missing. */
type ThinkingPart = new (value: unknown, id?: unknown, metadata?: unknown) => unknown;

/** Converts a part stored as JSON to VS Code's own object; undefined if that is not possible. */
export function revivePart(raw: unknown): unknown {
  const { LanguageModelThinkingPart: Part } = vscode as unknown as { LanguageModelThinkingPart?: ThinkingPart };
  const { value, id, metadata } = (raw ?? {}) as Thinking;
  return Part === undefined || value === undefined ? undefined : new Part(value, id, metadata);
}

/** Converts the result of a tool. */
export function writeResult(parts: readonly Part[]): vscode.LanguageModelToolResult {
  return new vscode.LanguageModelToolResult(parts.map((part) => writePart(part) as vscode.LanguageModelTextPart));
}

/** Converts tools for another model. */
export function writeTools(tools: readonly Tool[]): vscode.LanguageModelChatTool[] {
  return tools.map(({ name, description, inputSchema }) => ({
    name,
    description,
    ...(inputSchema !== undefined && { inputSchema }),
  }));
}
