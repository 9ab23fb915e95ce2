import * as vscode from "vscode";
import type { ClaimConfirmParams, ClaimConfirmResult } from "../protocol.gen";

/** Answers claim/confirm: asks whether a server may answer with its own tool. */
export async function confirmClaim(params: ClaimConfirmParams): Promise<ClaimConfirmResult> {
  const run = "Run Tool";
  const chosen = await vscode.window.showWarningMessage(
    `The MCP server "${params.server}" wants to answer this message with its tool "${params.tool}".`,
    { modal: true, detail: `Arguments:\n${JSON.stringify(params.arguments ?? {}, undefined, 2)}` },
    run,
  );
  return { allow: chosen === run };
}
