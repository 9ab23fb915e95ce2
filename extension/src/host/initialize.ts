import path from "node:path";
import * as vscode from "vscode";
import type {
  DidChangeSettingsParams,
  HTTPSettings,
  InitializeParams,
  WorkspaceFolder,
} from "../protocol/protocol.gen";
import { daemonStorage } from "./storage";

/** What the daemon is told at its start. */
export function initializeParams(context: vscode.ExtensionContext): Omit<InitializeParams, "protocolVersion"> {
  const { version } = context.extension.packageJSON as { version: string };
  return {
    client: { name: `${vscode.env.appName} (winnow ${version})`, version: vscode.version },
    workspaceFolders: workspaceFolders(),
    storagePath: daemonStorage(context.globalStorageUri.fsPath, workspaceName()),
    // Beside the extensions' folders of this workspace VS Code keeps its chats.
    ...(context.storageUri !== undefined && {
      chatsDir: path.join(path.dirname(context.storageUri.fsPath), "chatSessions"),
    }),
    trusted: vscode.workspace.isTrusted,
    ...settings(),
    capabilities: {
      prompt: true,
      secrets: true,
      hostTools: true,
      openExternal: true,
      externalUrl: true,
      claimConfirm: true,
      faults: true,
    },
    // MCP's tools are the servers' own; theirs are told apart by the daemon.
    builtInNames: vscode.lm.tools.filter(({ tags }) => !tags.includes("mcp")).map(({ name }) => name),
    // The storages of all extensions are neighbours; Roo and Zoo Code keep their files there.
    globalStorageDirs: [path.dirname(context.globalStorageUri.fsPath)],
    http: vscode.workspace.getConfiguration().get<HTTPSettings>("http", {}),
  };
}

/** The roots that a process can read. */
export function workspaceFolders(): WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
}

/** What tells the workspace of this window from others on this machine, also after a reload; empty without one. */
function workspaceName(): string {
  const uri = vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  return uri?.toString() ?? "";
}

/**
 * All that is under our section as the user has it and as the workspace does,
 * with what is no setting of ours: the daemon tells the user of it, and decides
 * what counts where the two differ.
 */
export function settings(): DidChangeSettingsParams {
  const said = vscode.workspace.getConfiguration().inspect<object>("winnow");
  const file = workspaceSettingsFile();
  return {
    settings: said?.globalValue ?? {},
    workspaceSettings: said?.workspaceValue ?? {},
    ...(file?.scheme === "file" && { workspaceSettingsFile: file.fsPath }),
  };
}

/** Where VS Code keeps the workspace's settings. */
function workspaceSettingsFile(): vscode.Uri | undefined {
  const { workspaceFile, workspaceFolders: folders } = vscode.workspace;
  if (workspaceFile !== undefined) return workspaceFile;
  return folders?.[0] && vscode.Uri.joinPath(folders[0].uri, ".vscode", "settings.json");
}
