// The command that brings a person from their model to its twin. VS Code hides
// new models behind "Other Models"; what is chosen in the chat stands in the
// upper part of its picker, and is what new chats begin with.

import * as vscode from "vscode";
import { type Twin, copilotVendor, ownVendor } from "./twins";
import { usableModels } from "./usable";

/** What the person may use Winnow with. */
interface Way extends vscode.QuickPickItem {
  run?: () => Thenable<unknown>;
}

/**
 * Has the Chat view use a twin. A person with one model is not asked which.
 *
 * @param nameOf the name of the model behind a twin
 */
export async function useModel(twins: readonly Twin[], nameOf: (twin: Twin) => string): Promise<void> {
  const copilot = (await usableModels()).some(({ vendor }) => vendor === copilotVendor);
  const [only] = twins;
  if (only !== undefined && twins.length === 1 && !copilot) return openChat(only);
  const routed = twins.map((twin): Way => ({ label: nameOf(twin), description: twin.name, run: () => openChat(twin) }));
  const ways = [
    ...(routed.length === 0 ? [] : [heading("Routed by Winnow"), ...routed, heading("Another way")]),
    ...(copilot ? [throughGateway] : []),
    throughProxy,
    ...(twins.length === 0 && !copilot ? [addModel] : []),
  ];
  const chosen = await vscode.window.showQuickPick(ways, { title: "Use Winnow with Which Model?" });
  await chosen?.run?.();
}

/** Opens the Chat view in agent mode with a twin chosen. */
async function openChat({ id }: Twin): Promise<void> {
  const modelSelector = { vendor: ownVendor, id };
  await vscode.commands.executeCommand("workbench.action.chat.open", { mode: "agent", modelSelector });
}

function heading(label: string): Way {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

const throughGateway: Way = {
  label: "Copilot's own models, through Winnow's gateway",
  detail: "Pick any of them: the servers that Winnow runs come as one",
  run: async () => {
    await vscode.workspace
      .getConfiguration("winnow")
      .update("gateway.inVSCode", true, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("workbench.action.chat.open", { mode: "agent" });
  },
};

const throughProxy: Way = {
  label: "A custom endpoint, through winnowd proxy…",
  detail: "A model by its address and key. Start “winnowd proxy” first",
  run: () => vscode.commands.executeCommand("winnow.addProxyModel"),
};

const addModel: Way = {
  label: "Add a model to VS Code…",
  detail: "VS Code has none yet: sign in to Copilot, or add one with its key",
  run: () => vscode.commands.executeCommand("workbench.action.chat.manage"),
};
