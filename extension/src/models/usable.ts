import * as vscode from "vscode";
import { type ModelInfo, hasTwin } from "./twins";

/**
 * Returns the language models that can run a task: without twins, and without models that other extensions list for
 * their own use, which exist without any account.
 */
export async function usableModels(): Promise<vscode.LanguageModelChat[]> {
  const models: (vscode.LanguageModelChat & ModelInfo)[] = await vscode.lm.selectChatModels();
  return models.filter((model) => hasTwin(model, true));
}
