// Models of VS Code's own vendor "Custom Endpoint" whose address is `winnowd
// proxy`: VS Code's agent asks them with its own system prompt and cache marks,
// and no twin stands in between.

import * as vscode from "vscode";
import { count } from "../views/format";
import { command } from "../views/run";
import type { Winnow } from "../winnow";
import { groupName, statsAddress, vendor, withoutOurs, wrongAddress } from "./proxyaddress";

/** Where winnowd proxy serves, unless told otherwise. */
const usualAddress = "http://127.0.0.1:4711";

/** The formats of providers that VS Code speaks, with the paths under which the proxy has them. */
const wires = [
  { label: "OpenAI", apiType: "chat-completions", path: "/openai/v1/chat/completions" },
  { label: "OpenAI Responses", apiType: "responses", path: "/openai/v1/responses" },
  { label: "Anthropic", apiType: "messages", path: "/anthropic/v1/messages" },
  { label: "Another provider", apiType: "chat-completions", path: "/to/NAME/chat/completions" },
] as const;

/** What the command asks for. A caller that gives it is not asked. */
export interface ProxyModel {
  /** The provider's name of the model. */
  id: string;
  /** The whole address that is asked. */
  url: string;
  apiType: (typeof wires)[number]["apiType"];
  apiKey: string;
}

/** Registers the commands that write such a model, and take all of them back. */
export function registerProxyModel(winnow: Winnow): void {
  void offer(winnow);
  command(winnow, "winnow.addProxyModel", async (given?: ProxyModel) => {
    const model = given ?? (await askForModel());
    if (model === undefined) return;
    await add(model);
    const known = new Set(statsAddresses(winnow.context)).add(statsAddress(model.url));
    await winnow.context.globalState.update(addressesKey, [...known]);
    await offer(winnow);
  });
  command(winnow, "winnow.removeProxyModels", async () => {
    const removed = await remove();
    await winnow.context.globalState.update(addressesKey, undefined);
    await offer(winnow);
    return removed;
  });
}

/** Where the addresses are kept by which proxies tell what they did. */
const addressesKey = "proxy.stats";

/** Those addresses, of the proxies that models were written for. */
export function statsAddresses({ globalState }: vscode.ExtensionContext): string[] {
  return globalState.get<string[]>(addressesKey, []);
}

/** Shows the command that takes them out while there are some. */
async function offer({ context }: Winnow): Promise<void> {
  await vscode.commands.executeCommand("setContext", "winnow.hasProxyModels", statsAddresses(context).length > 0);
}

/** Asks what is needed; undefined when the user dismisses a question. */
async function askForModel(): Promise<ProxyModel | undefined> {
  const title = "Add a Model Through winnowd proxy";
  const wire = await vscode.window.showQuickPick(
    wires.map((wire) => ({ ...wire, description: wire.path })),
    { title, placeHolder: "Which provider? The proxy forwards to it" },
  );
  if (wire === undefined) return undefined;
  const ask = (prompt: string, more: vscode.InputBoxOptions = {}) =>
    vscode.window.showInputBox({
      title,
      prompt,
      ignoreFocusOut: true,
      validateInput: (text) => (text.trim() === "" ? "This is needed." : undefined),
      ...more,
    });
  const url = await ask("The address that `winnowd proxy` serves, with the provider's path", {
    value: `${usualAddress}${wire.path}`,
    validateInput: wrongAddress,
  });
  if (url === undefined) return undefined;
  const id = await ask("The provider's name of the model");
  if (id === undefined) return undefined;
  const apiKey = await ask("Your key for the provider. VS Code keeps it in its secret store", { password: true });
  return apiKey === undefined ? undefined : { id: id.trim(), url, apiType: wire.apiType, apiKey };
}

/** Has VS Code write the model, which puts the key into its secret store. */
async function add({ id, url, apiType, apiKey }: ProxyModel): Promise<void> {
  await vscode.commands.executeCommand("lm.addLanguageModelsProviderGroup", {
    vendor,
    name: `${groupName}: ${id}`,
    apiKey,
    apiType,
    models: [
      {
        id,
        name: `${id} (${groupName})`,
        url,
        toolCalling: true,
        vision: true,
        maxInputTokens: 128_000,
        maxOutputTokens: 16_000,
      },
    ],
  });
  void vscode.window.showInformationMessage(
    `Winnow: “${id} (${groupName})” is in the model picker, as long as winnowd proxy runs.`,
  );
}

/** Takes our groups out of VS Code's file of models, and tells how many there were. */
async function remove(): Promise<number> {
  const file = await modelsFile();
  const before = new TextDecoder().decode(await vscode.workspace.fs.readFile(file));
  const { text, removed } = withoutOurs(before);
  if (removed > 0) await vscode.workspace.fs.writeFile(file, new TextEncoder().encode(text));
  void vscode.window.showInformationMessage(
    removed === 0
      ? "Winnow: VS Code's file of models has none of the proxy."
      : `Winnow: ${count(removed, "model")} of the proxy ${removed === 1 ? "is" : "are"} taken out.`,
  );
  return removed;
}

/** How long VS Code may take to show a file, in milliseconds. */
const patience = 10_000;

/** Where VS Code's file of models lies. Only VS Code knows: it is asked to show it, and a tab that it opens is closed again. */
async function modelsFile(): Promise<vscode.Uri> {
  const open = new Set(allTabs());
  const shown = new Promise<vscode.Tab | undefined>((resolve) => {
    const look = () => {
      const tab = allTabs().find((tab) => uriOf(tab) !== undefined);
      if (tab !== undefined) done(tab);
    };
    const done = (tab?: vscode.Tab) => {
      clearTimeout(timer);
      changes.dispose();
      resolve(tab);
    };
    const changes = vscode.window.tabGroups.onDidChangeTabs(look);
    const timer = setTimeout(done, patience);
    void vscode.commands.executeCommand("workbench.action.openLanguageModelsJson").then(look, () => {
      done();
    });
  });
  const tab = await shown;
  const uri = tab && uriOf(tab);
  if (tab === undefined || uri === undefined)
    throw new Error("VS Code did not show its file of language models. Remove the entries “Winnow proxy: …” by hand.");
  if (!open.has(tab)) await vscode.window.tabGroups.close(tab);
  return uri;
}

function allTabs(): vscode.Tab[] {
  return vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs);
}

/** The file of models, where a tab shows it. A file of that name in the workspace is somebody's own. */
function uriOf({ input }: vscode.Tab): vscode.Uri | undefined {
  if (!(input instanceof vscode.TabInputText)) return undefined;
  const { uri } = input;
  const isModels = uri.path.endsWith("/chatLanguageModels.json") && !vscode.workspace.getWorkspaceFolder(uri);
  return isModels ? uri : undefined;
}
