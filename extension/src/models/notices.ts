// What a person has to know before a twin of one of Copilot's models works for
// them. Each is said once.

import * as vscode from "vscode";
import type { Winnow } from "../winnow";
import { type ModelInfo, copilotVendor, hasNativeSearch } from "./twins";

/** Tells the user what a model's twin costs, and where another face of Winnow is the better one. */
export class Notices {
  readonly #winnow: Winnow;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
  }

  /** Takes note of a use of the twin of a model. */
  used(model: Pick<ModelInfo, "vendor" | "family" | "name">): void {
    if (model.vendor !== copilotVendor) return;
    void this.#once("winnow.notice.copilotBilling", () => billing(model.name));
    if (hasNativeSearch(model)) void this.#once("winnow.notice.nativeSearch", () => nativeSearch(model.name));
  }

  async #once(key: string, show: () => Promise<void>): Promise<void> {
    const { globalState } = this.#winnow.context;
    if (globalState.get<boolean>(key)) return;
    await globalState.update(key, true);
    await show();
  }
}

async function billing(name: string): Promise<void> {
  const off = "Turn Off for Copilot";
  const chosen = await vscode.window.showWarningMessage(
    `Copilot counts each request that Winnow forwards to ${name} as one of yours, each step of the agent too, and may ` +
      `bill it as a premium request.`,
    off,
    "Keep On",
  );
  if (chosen === off) {
    const target = vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration("winnow").update("routedModels.copilot", false, target);
  }
}

async function nativeSearch(name: string): Promise<void> {
  const learn = "Use the Gateway";
  const chosen = await vscode.window.showInformationMessage(
    `Copilot searches tools itself for ${name}, so its twin saves little. Winnow's gateway routes your MCP servers for ` +
      `this model and any other client.`,
    learn,
  );
  if (chosen === learn) await vscode.commands.executeCommand("workbench.action.openSettings", "winnow.gateway");
}
