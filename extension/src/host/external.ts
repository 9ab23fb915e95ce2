import * as vscode from "vscode";
import type { ExternalURLParams, ExternalURLResult, OpenExternalParams, OpenExternalResult } from "../protocol.gen";

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
