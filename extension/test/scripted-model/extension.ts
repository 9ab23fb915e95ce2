// A language model that answers from a script: the demo's, one that a suite in
// the extension host gives it, or one in another process, at WINNOW_SCRIPT_URL.
import * as vscode from "vscode";
import { demo } from "./demo";
import { ScriptedModel, copilots } from "./model";
import { remote } from "./remote";

/** Registers the models of vendor "scripted" and returns their master. */
export function activate(context: vscode.ExtensionContext): ScriptedModel {
  const url = process.env["WINNOW_SCRIPT_URL"];
  const script = url === undefined ? demo : remote(url);
  // A VS Code without a model, until the late one is shown.
  const none = process.env["WINNOW_SCRIPT_MODELS"] === "none";
  const model = new ScriptedModel(script, none ? [] : undefined);
  context.subscriptions.push(
    vscode.lm.registerLanguageModelChatProvider("scripted", model),
    vscode.commands.registerCommand("scriptedModel.toggleLate", () => model.showLate()),
    // Nobody is signed in, so the vendor of Copilot's own models has none, and takes this one.
    vscode.commands.registerCommand("scriptedModel.copilot", () => {
      const provider = new ScriptedModel(script, [copilots]);
      context.subscriptions.push(vscode.lm.registerLanguageModelChatProvider("copilot", provider));
    }),
    vscode.commands.registerCommand("scriptedModel.setting", changeSetting),
  );
  // VS Code asks a provider for its models only when somebody asks VS Code; until then the chat has none to offer.
  void vscode.lm.selectChatModels({ vendor: "scripted" });
  return model;
}

/** Asks for "name=JSON" and changes the user's setting: the UI suites' way past the settings' own editor. */
async function changeSetting(): Promise<void> {
  const [, name, json] = /^([\w.-]+)=(.+)$/s.exec((await vscode.window.showInputBox()) ?? "") ?? [];
  if (name === undefined || json === undefined) return;
  await vscode.workspace.getConfiguration().update(name, JSON.parse(json), vscode.ConfigurationTarget.Global);
}
