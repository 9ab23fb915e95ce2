import * as vscode from "vscode";

/** Whether a switch that only the extension reads is on: the user has it on, and the workspace, which may only be stricter, not off. */
export function isOn(name: string): boolean {
  const said = vscode.workspace.getConfiguration("winnow").inspect<boolean>(name);
  return (said?.globalValue ?? said?.defaultValue) === true && said?.workspaceValue !== false;
}
