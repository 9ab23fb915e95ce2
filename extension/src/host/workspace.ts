import * as vscode from "vscode";

/** What tells the workspace of this window from others on this machine, also after a reload; empty without one. */
export function workspaceName(): string {
  const uri = vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  return uri?.toString() ?? "";
}
