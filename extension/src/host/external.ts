import * as vscode from "vscode";
import type { ExternalURLParams, ExternalURLResult, OpenExternalParams, OpenExternalResult } from "../protocol.gen";
import { type PlainAddress, plainAddress } from "./tunnel";

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
  const url = uri.toString(true);
  const plain = plainAddress(url);
  if (plain !== undefined) void tellPlain(plain);
  return { url };
}

/** Says why a sign-in page may refuse, which only its own words in the browser would tell. */
async function tellPlain({ origin, local, command }: PlainAddress): Promise<void> {
  const copy = "Copy Tunnel Command";
  const text =
    `Most sign-in pages go back to https or to the browser's own computer only, and you opened VS Code at ${origin}. ` +
    `If this one refuses, run “${command}” there and open VS Code at ${local}, or serve it by https.`;
  if ((await vscode.window.showWarningMessage(text, copy)) === copy) await vscode.env.clipboard.writeText(command);
}
