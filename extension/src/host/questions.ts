// What the daemon asks of the user, or does in their browser.

import * as vscode from "vscode";
import { plainMessage } from "../base/format";
import type {
  ClaimConfirmParams,
  ClaimConfirmResult,
  ExternalURLParams,
  ExternalURLResult,
  InputRequestParams,
  OpenExternalParams,
  OpenExternalResult,
} from "../protocol/protocol.gen";

/** How much of a call's arguments a dialog shows, in characters: its buttons stay on the screen. */
const maxShown = 2000;

/** Answers claim/confirm: asks whether a server may answer with its own tool. */
export async function confirmClaim(params: ClaimConfirmParams): Promise<ClaimConfirmResult> {
  const run = "Run Tool";
  const json = JSON.stringify(params.arguments ?? {}, undefined, 2);
  const chosen = await vscode.window.showWarningMessage(
    `The MCP server "${params.server}" wants to answer this message with its tool "${params.tool}".`,
    { modal: true, detail: `Arguments:\n${json.length > maxShown ? `${json.slice(0, maxShown)}…` : json}` },
    run,
  );
  return { allow: chosen === run };
}

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
      prompt: plainMessage(description),
      password: password ?? false,
      ignoreFocusOut: true,
      ...(value !== undefined && { value }),
    },
    token,
  );
}

/** Answers window/openExternal: opens a page in the user's browser. */
export async function openExternal(params: OpenExternalParams): Promise<OpenExternalResult> {
  return { success: await vscode.env.openExternal(vscode.Uri.parse(params.url, true)) };
}

/**
 * Answers window/externalUrl. Where the browser runs on another machine, VS Code
 * forwards the port, or reaches it through its own server.
 */
export async function externalUrl(params: ExternalURLParams): Promise<ExternalURLResult> {
  const uri = await vscode.env.asExternalUri(vscode.Uri.parse(params.url, true));
  return { url: uri.toString(true) };
}
