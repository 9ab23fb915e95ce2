// Opens files and settings.

import * as vscode from "vscode";

/** Opens a file at a position; line and column count from 1. */
export async function openFile(file: string, line = 1, column = 1): Promise<void> {
  const at = new vscode.Position(Math.max(line - 1, 0), Math.max(column - 1, 0));
  await vscode.window.showTextDocument(vscode.Uri.file(file), { selection: new vscode.Range(at, at) });
}

/**
 * Opens the settings at one, with or without `winnow.`. For an unknown one it opens the file, where VS Code marks it.
 */
export async function openSetting(setting: string): Promise<void> {
  const id = setting.startsWith("winnow.") ? setting : `winnow.${setting}`;
  const known = vscode.workspace.getConfiguration().inspect(id);
  if (known?.defaultValue === undefined) {
    const file = known?.workspaceValue === undefined ? "openSettingsJson" : "openWorkspaceSettingsFile";
    await vscode.commands.executeCommand(`workbench.action.${file}`);
    return;
  }
  // A group's name selects all of its settings.
  const all = typeof known.defaultValue === "object" && known.defaultValue !== null ? "*" : "";
  await vscode.commands.executeCommand("workbench.action.openSettings", `@id:${id}${all}`);
}
