import * as vscode from "vscode";
import { type ModelInfo, hasTwin } from "./twins";

/**
 * The language models that a task can be given to: not our own twins, and not
 * what other extensions list for their own use, which is there without any account.
 */
export async function usableModels(): Promise<vscode.LanguageModelChat[]> {
  const models: (vscode.LanguageModelChat & ModelInfo)[] = await vscode.lm.selectChatModels();
  return models.filter((model) => hasTwin(model, true));
}
