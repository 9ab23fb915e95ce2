// The daemon's questions to the user, and requests for their browser.

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
import { askAside, messageWaits } from "../window/ask";

/** Handles claim/confirm: asks whether a server may answer with its own tool. */
export async function confirmClaim(
  { question }: ClaimConfirmParams,
  token: vscode.CancellationToken,
): Promise<ClaimConfirmResult> {
  const run = "Run Tool";
  if (question === undefined) return { allow: false };
  messageWaits.fire(question.line);
  return { allow: (await askAside(question.line, [run], token)) === run };
}

/** Shows the input for a kind; undefined if the user dismissed it. */
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

/** Handles window/openExternal: opens a page in the user's browser. */
export async function openExternal(params: OpenExternalParams): Promise<OpenExternalResult> {
  return { success: await vscode.env.openExternal(vscode.Uri.parse(params.url, true)) };
}

/**
 * Handles window/externalUrl. If the browser runs on another machine, VS Code forwards the port or uses its own
 * server.
 */
export async function externalUrl(params: ExternalURLParams): Promise<ExternalURLResult> {
  const uri = await vscode.env.asExternalUri(vscode.Uri.parse(params.url, true));
  return { url: uri.toString(true) };
}
