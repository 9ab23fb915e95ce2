// What suites in the extension host build on. See ../README.md.
import { appendFileSync } from "node:fs";
import * as vscode from "vscode";
import { type Process, childrenOf, until } from "../host/processes";
import type { ScriptedModel } from "../scripted-model/model";

export { type Process, childrenOf, until } from "../host/processes";
export * from "../scripted-model/script";

/** Returns the scripted model's master: give it a script, read what it was asked. */
export async function scriptedModel(): Promise<ScriptedModel> {
  const extension = vscode.extensions.getExtension<ScriptedModel>("winnow-test.scripted-model");
  if (extension === undefined) throw new Error("the scripted model is not installed");
  return extension.activate();
}

/** Waits until VS Code offers a model, and returns it. */
export function languageModel(selector: vscode.LanguageModelChatSelector): Promise<vscode.LanguageModelChat> {
  return until(`the model ${JSON.stringify(selector)}`, async () => {
    const [model] = await vscode.lm.selectChatModels(selector);
    return model;
  });
}

/**
 * Sends a message to the Chat view in agent mode, as if typed there, and
 * resolves with the result when the answer is complete.
 *
 * @param selector the model that answers
 * @param mode agent mode, or the name of a custom agent
 */
export async function ask(text: string, selector: vscode.LanguageModelChatSelector, mode = "agent"): Promise<unknown> {
  await languageModel(selector); // a message that comes before its model is refused
  return vscode.commands.executeCommand("workbench.action.chat.open", {
    query: text,
    mode,
    blockOnResponse: true,
    modelSelector: selector,
  });
}

/** Begins a new conversation in the Chat view. */
export async function newChat(): Promise<void> {
  await vscode.commands.executeCommand("workbench.action.chat.newChat");
}

/** Starts the MCP servers that VS Code knows, and waits for a tool that a pattern matches. */
export async function startServers(pattern: RegExp): Promise<vscode.LanguageModelToolInformation> {
  return until(`a tool ${String(pattern)}`, async () => {
    const tool = vscode.lm.tools.find(({ name }) => pattern.test(name));
    // A server that is starting may be passed over: ask until the tool is there.
    if (tool === undefined) {
      await vscode.commands.executeCommand("workbench.mcp.startServer", "*", { waitForLiveTools: true });
    }
    return tool;
  });
}

/** The daemon of this extension host, once it runs; not one that is known to be gone. */
export function daemon(gone?: Process): Promise<Process> {
  return until("winnowd", async () => {
    const found = (await childrenOf(process.pid)).filter(({ command }) => command.includes("winnowd"));
    return found.find(({ pid }) => pid !== gone?.pid);
  });
}

/** Changes a setting of the user's, and returns a function that puts it back. */
export async function setting(name: string, value: unknown): Promise<() => Promise<void>> {
  const configuration = vscode.workspace.getConfiguration();
  const before = configuration.inspect(name)?.globalValue;
  const write = async (value: unknown) => {
    await vscode.workspace.getConfiguration().update(name, value, vscode.ConfigurationTarget.Global);
  };
  await write(value);
  return () => write(before);
}

/** Prints lines between the tests, such as figures. */
export function report(...lines: string[]): void {
  appendFileSync(process.env["WINNOW_TEST_OUTPUT"] ?? "", lines.map((line) => `      ${line}\n`).join(""));
}
