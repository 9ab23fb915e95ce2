import * as vscode from "vscode";
import type { ModelMessage, ModelPart, ModelRequest } from "./script";

/** Writes down one request. */
export function record(
  number: number,
  model: string,
  messages: readonly vscode.LanguageModelChatRequestMessage[],
  options: vscode.ProvideLanguageModelChatResponseOptions,
): ModelRequest {
  return {
    number,
    model,
    messages: messages.map((message): ModelMessage => ({
      role: roles.get(message.role) ?? `role ${message.role}`,
      parts: message.content.map(modelPart),
    })),
    tools: (options.tools ?? []).map(({ name, description, inputSchema }) =>
      inputSchema === undefined ? { name, description } : { name, description, inputSchema },
    ),
    toolMode: options.toolMode === vscode.LanguageModelChatToolMode.Required ? "required" : "auto",
    modelOptions: { ...options.modelOptions },
  };
}

/** The roles of VS Code's stable API. */
const roles = new Map<number, string>([
  [vscode.LanguageModelChatMessageRole.User, "user"],
  [vscode.LanguageModelChatMessageRole.Assistant, "assistant"],
]);

function modelPart(part: unknown): ModelPart {
  if (part instanceof vscode.LanguageModelTextPart) return { kind: "text", text: part.value };
  if (part instanceof vscode.LanguageModelToolCallPart) {
    return { kind: "call", callId: part.callId, name: part.name, input: part.input };
  }
  if (part instanceof vscode.LanguageModelToolResultPart) {
    return { kind: "result", callId: part.callId, parts: part.content.map(modelPart) };
  }
  if (part instanceof vscode.LanguageModelDataPart) {
    return { kind: "data", mimeType: part.mimeType, base64: Buffer.from(part.data).toString("base64") };
  }
  return { kind: "other", value: JSON.parse(JSON.stringify(part)) as unknown };
}
