import * as vscode from "vscode";

/**
 * All that is under our section: each setting with the value in force, which is
 * the default where the user gave none, and what is no setting of ours: the
 * daemon tells the user of it.
 */
export function settings(): Record<string, unknown> {
  return vscode.workspace.getConfiguration().get<Record<string, unknown>>("winnow", {});
}
