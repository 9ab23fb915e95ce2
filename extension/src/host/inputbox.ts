import * as vscode from "vscode";
import type { InputRequestParams } from "../protocol.gen";

/** Shows the right kind of box; undefined means that the user dismissed it. */
export async function showInput(
  { server, kind, description, options, password, default: value }: InputRequestParams,
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const title = server === undefined ? "Winnow" : `MCP server ${server}`;
  if (kind === "pickString") {
    return vscode.window.showQuickPick(options ?? [], { title, placeHolder: description, ignoreFocusOut: true }, token);
  }
  return vscode.window.showInputBox(
    {
      title,
      prompt: description,
      password: password ?? false,
      ignoreFocusOut: true,
      ...(value !== undefined && { value }),
    },
    token,
  );
}
