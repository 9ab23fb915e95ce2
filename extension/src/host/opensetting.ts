import * as vscode from "vscode";
import { settingOffset } from "./settingplace";

/** Opens the settings at one; its name is with or without `winnow.`. One that there is not is shown where it is written. */
export async function openSetting(setting: string): Promise<void> {
  const id = setting.startsWith("winnow.") ? setting : `winnow.${setting}`;
  const value = vscode.workspace.getConfiguration().inspect(id)?.defaultValue;
  if (value === undefined) return openWritten(id);
  // The name of a group stands for all of its settings.
  const all = typeof value === "object" && value !== null ? "*" : "";
  await vscode.commands.executeCommand("workbench.action.openSettings", `@id:${id}${all}`);
}

/** Opens the file that a setting is written in, at its line. */
async function openWritten(id: string): Promise<void> {
  const file = fileOf(id);
  if (file === undefined) await vscode.commands.executeCommand("workbench.action.openSettingsJson");
  else await vscode.window.showTextDocument(file);
  const editor = vscode.window.activeTextEditor;
  const offset = editor === undefined ? undefined : settingOffset(editor.document.getText(), id);
  if (editor === undefined || offset === undefined) return;
  const at = editor.document.positionAt(offset);
  editor.selection = new vscode.Selection(at, at);
  editor.revealRange(editor.selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
}

/** The workspace's file that has a setting; undefined where only the user's can have it. */
function fileOf(id: string): vscode.Uri | undefined {
  const folders = vscode.workspace.workspaceFolders ?? [];
  const inFolder = (folder: vscode.WorkspaceFolder) => vscode.Uri.joinPath(folder.uri, ".vscode", "settings.json");
  const within = folders.find((folder) => {
    return vscode.workspace.getConfiguration(undefined, folder).inspect(id)?.workspaceFolderValue !== undefined;
  });
  if (within !== undefined) return inFolder(within);
  if (vscode.workspace.getConfiguration().inspect(id)?.workspaceValue === undefined) return undefined;
  return vscode.workspace.workspaceFile ?? (folders[0] === undefined ? undefined : inFolder(folders[0]));
}
