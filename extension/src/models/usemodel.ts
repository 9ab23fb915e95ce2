// The command that selects the twin of the user's model. VS Code hides new models behind "Other Models". A model chosen
// in the chat is in the upper part of the picker and preselected in new chats.

import * as vscode from "vscode";
import type { ModelWays } from "../protocol/protocol.gen";
import { type Twin, copilotVendor, ownVendor } from "./twins";
import { usableModels } from "./usable";

/** A way to use Winnow. */
interface Way extends vscode.QuickPickItem {
  run?: () => Thenable<unknown>;
}

/**
 * Makes the Chat view use a twin. If there is only one, it does not ask.
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

/** Opens the Chat view in agent mode with a twin selected. */
async function openChat({ id }: Twin): Promise<void> {
  const modelSelector = { vendor: ownVendor, id };
  await vscode.commands.executeCommand("workbench.action.chat.open", { mode: "agent", modelSelector });
}

function heading(label: string): Way {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Returns the ways to Copilot's own models, each with the savings reported by the daemon. */
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
