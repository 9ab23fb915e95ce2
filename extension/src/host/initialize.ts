import path from "node:path";
import * as vscode from "vscode";
import type { InitializeParams, WorkspaceFolder } from "../protocol.gen";
import { type HttpSettings, networkOf } from "./network";
import { settings } from "./settings";
import { daemonStorage } from "./storage";
import { workspaceName } from "./workspace";

/** What the daemon is told at its start. */
export function initializeParams(context: vscode.ExtensionContext): Omit<InitializeParams, "protocolVersion"> {
  const { version } = context.extension.packageJSON as { version: string };
  return {
    client: { name: `${vscode.env.appName} (winnow ${version})`, version: vscode.version },
    workspaceFolders: workspaceFolders(),
    storagePath: daemonStorage(context.globalStorageUri.fsPath, workspaceName()),
    trusted: vscode.workspace.isTrusted,
    settings: settings(),
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

/** The roots that a process can read. */
export function workspaceFolders(): WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
}
