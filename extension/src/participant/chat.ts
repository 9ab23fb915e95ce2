// Converts between VS Code's chat and Winnow's types.

import * as vscode from "vscode";
import { type Part, type Tool, text } from "../chat/message";
import { readPart, writeMessages, writeTools } from "../chat/vscodeparts";
import { type PastTurn, type TurnRecord, recordOf } from "./conversation";
import { maxToolsOf } from "../models/twins";
import type { HostTools, Model, Outcome } from "./answer";
import { type Attached, attachedBinary } from "./attachments";
import { promptText } from "./prompttsx";

/** The metadata of an answer. VS Code stores it with the chat. */
export interface AnswerMetadata {
  record?: TurnRecord;
  ending?: Outcome["ending"];
}

/** Returns the turns before a request. */
export function pastOf({ history }: vscode.ChatContext): PastTurn[] {
  const past: PastTurn[] = [];
  let prompt = "";
  for (const turn of history) {
    if (turn instanceof vscode.ChatRequestTurn) {
      prompt = turn.prompt;
      continue;
    }
    const record = recordOf((turn.result.metadata as AnswerMetadata | undefined)?.record);
    // A command's answer is for the user, not for the model.
    if (turn.command !== undefined && record === undefined) continue;
    past.push({ prompt, answer: answerOf(turn), record });
  }
  return past;
}

function answerOf({ response }: vscode.ChatResponseTurn): string {
  return response.map((part) => (part instanceof vscode.ChatResponseMarkdownPart ? part.value.value : "")).join("");
}

/** Returns the model picked in the chat. */
export function modelOf(model: vscode.LanguageModelChat): Model {
  return {
    name: model.name,
    maxInputTokens: model.maxInputTokens,
    maxTools: maxToolsOf(model),
    async *send(messages, tools, token) {
      const options: vscode.LanguageModelChatRequestOptions = {
        justification: "@winnow answers your message with it.",
        ...(tools.length > 0 && { tools: writeTools(tools) }),
      };
      const { stream } = await model.sendRequest(writeMessages(messages), options, token);
      for await (const part of stream) yield readPart(part);
    },
  };
}

/** The tag of VS Code's tools that search the workspace. */
const searchTag = "vscode_codesearch";

/** Returns the VS Code tools for a request: those that search the workspace, and those named by the user with #. */
export function hostTools({ toolReferences, toolInvocationToken }: vscode.ChatRequest): HostTools {
  const named = new Set(toolReferences.map(({ name }) => name));
  const offered = vscode.lm.tools
    .filter(({ name, tags }) => named.has(name) || tags.includes(searchTag))
    .map(({ name, description, inputSchema }): Tool => ({ name, description, inputSchema }));
  return {
    list: () => offered,
    async invoke(name, input, token): Promise<Part[]> {
      const options = { input, toolInvocationToken };
      const { content } = await vscode.lm.invokeTool(name, options, token);
      return content.map(readResult);
    },
  };
}

/** Converts a part of a result. Some parts of VS Code's own tools are understood only by VS Code's own models. */
function readResult(raw: unknown): Part {
  if (raw instanceof vscode.LanguageModelPromptTsxPart) return text(promptText(raw.value));
  return readPart(raw);
}

/** A model's properties outside the stable API. */
interface ModelInfo {
  capabilities?: { supportsImageToText?: boolean };
}

/** Reads the attachments of a message. An unreadable one gets a problem. */
export async function attachedTo({ references, model }: vscode.ChatRequest): Promise<Attached[]> {
  const pictures = (model as ModelInfo).capabilities?.supportsImageToText !== false;
  // VS Code lists the last attachment first.
  return (await Promise.all(references.map((reference) => attached(reference, pictures)))).reverse();
}

/** An attachment. Its display name is outside the stable API. */
type Reference = vscode.ChatPromptReference & { name?: string };

async function attached({ id, value, ...reference }: Reference, pictures: boolean): Promise<Attached> {
  const name = reference.name ?? id;
  if (typeof value === "string") return { name, text: value };
  if (value instanceof vscode.Uri) return file(value);
  if (value instanceof vscode.Location) return file(value.uri, value.range);
  const binary = await attachedBinary(name, value, pictures);
  return binary ?? { name, problem: "@winnow does not know this kind of attachment" };
}

async function file(uri: vscode.Uri, range?: vscode.Range): Promise<Attached> {
  const lines = range === undefined ? "" : `:${range.start.line + 1}-${range.end.line + 1}`;
  const name = `${vscode.workspace.asRelativePath(uri)}${lines}`;
  try {
    const { type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) return { name, text: `The folder ${uri.fsPath}` };
    return { name, text: (await vscode.workspace.openTextDocument(uri)).getText(range) };
  } catch (err) {
    return { name, problem: err instanceof Error ? err.message : String(err) };
  }
}
