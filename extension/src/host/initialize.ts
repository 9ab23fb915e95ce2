import path from "node:path";
import * as vscode from "vscode";
import { wireSettings } from "../daemon/settings";
import type { InitializeParams, WorkspaceFolder } from "../protocol.gen";
import { type HttpSettings, networkOf } from "./network";
import { userSettings } from "./settings";
import { daemonStorage } from "./storage";
import { workspaceName } from "./workspace";

/** What the daemon is told at its start. */
export async function initializeParams(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<Omit<InitializeParams, "protocolVersion">> {
  const { version } = context.extension.packageJSON as { version: string };
  return {
    client: { name: `${vscode.env.appName} (winnow ${version})`, version: vscode.version },
    workspaceFolders: workspaceFolders(),
    storagePath: await storagePath(context, log),
    trusted: vscode.workspace.isTrusted,
    settings: wireSettings(userSettings(context)),
    capabilities: {
      prompt: true,
      secrets: true,
      hostTools: true,
      openExternal: true,
      externalUrl: true,
      claimConfirm: true,
    },
    // The storages of all extensions are neighbours; Roo and Zoo Code keep their files there.
    globalStorageDirs: [path.dirname(context.globalStorageUri.fsPath)],
    network: networkOf(vscode.workspace.getConfiguration().get<HttpSettings>("http", {})),
  };
}

function storagePath(
  { globalStorageUri, storageUri }: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): Promise<string> {
  const storages = { global: globalStorageUri.fsPath, workspace: storageUri?.fsPath, name: workspaceName() };
  return daemonStorage(storages, (err) =>
    log.warn(`what was learned stays in VS Code's storage of the workspace until it can be moved: ${String(err)}`),
  );
}

/** The roots that a process can read. */
export function workspaceFolders(): WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
}
