// Models of VS Code's vendor "Custom Endpoint" with the address of `winnowd proxy`. VS Code's agent uses them with
// its own system prompt and cache marks, without a twin.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import { command } from "../window/run";
import type { Winnow } from "../window/winnow";
import { statsAddress, wrongAddress } from "./proxyaddress";

/** The vendor's id in VS Code's agent. */
const vendor = "customendpoint";

/** The name of the groups of models that Winnow writes. */
const groupName = "Winnow proxy";

/** The default address of winnowd proxy. */
const usualAddress = "http://127.0.0.1:4711";

/** The formats that VS Code supports, with their paths at the proxy. */
const wires = [
  { label: "OpenAI", apiType: "chat-completions", path: "/openai/v1/chat/completions" },
  { label: "OpenAI Responses", apiType: "responses", path: "/openai/v1/responses" },
  { label: "Anthropic", apiType: "messages", path: "/anthropic/v1/messages" },
  { label: "Another provider", apiType: "chat-completions", path: "/to/NAME/chat/completions" },
] as const;

/** The argument of the command. If it is given, nothing is asked. */
export interface ProxyModel {
  /** The provider's name of the model. */
  id: string;
  /** The full address of the endpoint. */
  url: string;
  apiType: (typeof wires)[number]["apiType"];
  apiKey: string;
}

/** Registers the command that writes such a model, and the one that opens the place to delete it. */
export function registerProxyModel(winnow: Winnow, program: () => Promise<string>): void {
  command(winnow, "winnow.addProxyModel", async (given?: ProxyModel) => {
    const model = given ?? (await askForModel());
    if (model === undefined) return;
    await add(model);
    const known = new Set(await statsAddresses(winnow.context)).add(statsAddress(model.url));
    await winnow.context.secrets.store(addressesKey, JSON.stringify([...known]));
    if (new URL(model.url).origin === usualAddress) await startProxy(program);
  });
  command(winnow, "winnow.removeProxyModels", async () => {
    await vscode.commands.executeCommand("workbench.action.chat.manage");
    void vscode.window.showInformationMessage(
      `Delete what is called “${groupName}: …” here. VS Code forgets its key with it.`,
    );
  });
  const check = coalesce(offerRemoval, (err) => winnow.log.debug(`the proxy's models: ${String(err)}`));
  winnow.own(vscode.lm.onDidChangeChatModels(check));
  check();
}

/** Starts the proxy unless it responds: in a terminal, where the user sees and ends it. */
async function startProxy(program: () => Promise<string>): Promise<void> {
  const runs = await fetch(statsAddress(usualAddress), { signal: AbortSignal.timeout(1000) }).then(
    () => true,
    () => false,
  );
  if (runs) return;
  const terminal = vscode.window.createTerminal({
    name: "winnowd proxy",
    shellPath: await program(),
    shellArgs: ["proxy"],
  });
  terminal.show(true);
}

/** Shows the command while VS Code has such models. */
async function offerRemoval(): Promise<void> {
  const models = await vscode.lm.selectChatModels({ vendor });
  const ours = models.some(({ name }) => name.endsWith(`(${groupName})`));
  await vscode.commands.executeCommand("setContext", "winnow.hasProxyModels", ours);
}

/** The key of the addresses of proxies' statistics. They may contain a token. */
const addressesKey = "proxy.stats";

/** Returns these addresses, for the proxies of written models. */
export async function statsAddresses({ secrets }: vscode.ExtensionContext): Promise<string[]> {
  return JSON.parse((await secrets.get(addressesKey)) ?? "[]") as string[];
}

/** Asks for the model's data; undefined if the user dismisses a question. */
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

/** Makes VS Code write the model, with the key in its secret store. */
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
