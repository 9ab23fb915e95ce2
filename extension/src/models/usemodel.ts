// The command that brings a person from their model to its twin. VS Code hides
// new models behind "Other Models"; what is chosen in the chat stands in the
// upper part of its picker, and is what new chats begin with.

import * as vscode from "vscode";
import type { ModelWays } from "../protocol/protocol.gen";
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
 * @param ways what the ways to Copilot's models save
 */
export async function useModel(
  twins: readonly Twin[],
  nameOf: (twin: Twin) => string,
  ways: () => Promise<ModelWays | undefined>,
): Promise<void> {
  const copilot = (await usableModels()).some(({ vendor }) => vendor === copilotVendor);
  const [only] = twins;
  if (only !== undefined && twins.length === 1 && !copilot) return openChat(only);
  const routed = twins.map((twin): Way => ({ label: nameOf(twin), description: twin.name, run: () => openChat(twin) }));
  const shown = [
    ...(routed.length === 0 ? [] : [heading("Routed by Winnow"), ...routed, heading("Another way")]),
    ...(twins.length === 0 && !copilot ? [addModel] : []),
    ...(copilot ? copilotWays(await ways()) : []),
    throughProxy,
  ];
  const chosen = await vscode.window.showQuickPick(shown, { title: "Use Winnow with Which Model?" });
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

/** The ways to Copilot's own models, each with what the daemon says that it saves. */
function copilotWays(saved: ModelWays | undefined): Way[] {
  if (saved === undefined) return [throughGateway, throughParticipant, copilotTwins];
  const { gateway, participant, routed } = saved;
  return [
    { ...throughGateway, detail: gateway },
    { ...throughParticipant, detail: participant },
    { ...copilotTwins, detail: routed },
  ];
}

const throughGateway: Way = {
  label: "Copilot's own models, through Winnow's gateway",
  run: async () => {
    await vscode.workspace
      .getConfiguration("winnow")
      .update("gateway.inVSCode", true, vscode.ConfigurationTarget.Global);
    await vscode.commands.executeCommand("workbench.action.chat.open", { mode: "agent" });
  },
};

const throughParticipant: Way = {
  label: "Copilot's own models, by @winnow",
  run: () => vscode.commands.executeCommand("workbench.action.chat.open", { query: "@winnow ", isPartialQuery: true }),
};

const copilotTwins: Way = {
  label: "Copilot's own models, routed, by a setting…",
  run: () => vscode.commands.executeCommand("workbench.action.openSettings", "@id:winnow.routedModels.copilot"),
};

const throughProxy: Way = {
  label: "A custom endpoint, through winnowd proxy…",
  detail: "A model by its address and key; the proxy is started in a terminal, and sends the tools that fit",
  run: () => vscode.commands.executeCommand("winnow.addProxyModel"),
};

const addModel: Way = {
  label: "Add a model to VS Code…",
  detail: "VS Code has none yet: sign in to Copilot, or add one with its key",
  run: () => vscode.commands.executeCommand("workbench.action.chat.manage"),
};
