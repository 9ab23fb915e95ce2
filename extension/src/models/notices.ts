// One-time notices for users of twins of Copilot's models.

import * as vscode from "vscode";
import { attempt } from "../window/run";
import type { Winnow } from "../window/winnow";
import { type ModelInfo, copilotVendor, hasNativeSearch } from "./twins";

/** Tells the user the cost of a twin, and when another face of Winnow is better. */
export class Notices {
  readonly #winnow: Winnow;

  constructor(winnow: Winnow) {
    this.#winnow = winnow;
  }

  /** Records a use of a model's twin. */
  used(model: Pick<ModelInfo, "vendor" | "family" | "name">): void {
    if (model.vendor !== copilotVendor) return;
    void this.#once("winnow.notice.copilotBilling", () => billing(model.name));
    if (hasNativeSearch(model)) void this.#once("winnow.notice.nativeSearch", () => nativeSearch(model.name));
  }

  async #once(key: string, show: () => Promise<void>): Promise<void> {
    const { globalState } = this.#winnow.context;
    if (globalState.get<boolean>(key)) return;
    // A setting that cannot be written, such as a managed one, is reported.
    await attempt(this.#winnow, async () => {
      await globalState.update(key, true);
      await show();
    });
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
  if (chosen === off) await change("routedModels.copilot", false);
}

async function nativeSearch(name: string): Promise<void> {
  const use = "Use the Gateway";
  const chosen = await vscode.window.showInformationMessage(
    `Copilot searches tools itself for ${name}, so its routed model saves little. Winnow's gateway offers the MCP servers that ` +
      `Winnow runs to every model, Copilot's own too.`,
    use,
  );
  if (chosen === use) await change("gateway.inVSCode", true);
}

/** Changes a setting of the user. */
async function change(name: string, value: boolean): Promise<void> {
  await vscode.workspace.getConfiguration("winnow").update(name, value, vscode.ConfigurationTarget.Global);
}
