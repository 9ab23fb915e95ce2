import * as vscode from "vscode";
import type { OpenExternalParams, OpenExternalResult } from "../protocol.gen";

/** Answers window/openExternal: opens a page in the user's browser. */
export async function openExternal(params: OpenExternalParams): Promise<OpenExternalResult> {
  await forwardRedirect(params.url);
  return { success: await vscode.env.openExternal(vscode.Uri.parse(params.url, true)) };
}

/**
 * A sign-in comes back to a port on the daemon's machine. Where that is not the
 * browser's, VS Code forwards the port.
 */
async function forwardRedirect(url: string): Promise<void> {
  if (vscode.env.remoteName === undefined) return;
  const redirect = new URL(url).searchParams.get("redirect_uri");
  if (redirect !== null && /^http:\/\/(127\.0\.0\.1|localhost|\[::1\]):/.test(redirect)) {
    await vscode.env.asExternalUri(vscode.Uri.parse(redirect, true));
  }
}
