import path from "node:path";
import * as vscode from "vscode";
import type {
  DidChangeSettingsParams,
  HTTPSettings,
  InitializeParams,
  WorkspaceFolder,
} from "../protocol/protocol.gen";
import { daemonStorage } from "./storage";

/** Returns the params of initialize. */
export function initializeParams(context: vscode.ExtensionContext): Omit<InitializeParams, "protocolVersion"> {
  const { version } = context.extension.packageJSON as { version: string };
  return {
    client: { name: `${vscode.env.appName} (winnow ${version})`, version: vscode.version },
    workspaceFolders: workspaceFolders(),
    storagePath: daemonStorage(context.globalStorageUri.fsPath, workspaceName()),
    // VS Code keeps chats beside the extensions' storage of this workspace.
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
    // Without MCP tools, which the daemon identifies itself.
    builtInNames: vscode.lm.tools.filter(({ tags }) => !tags.includes("mcp")).map(({ name }) => name),
    // The storages of all extensions are in one folder; Roo and Zoo Code keep their files there.
    globalStorageDirs: [path.dirname(context.globalStorageUri.fsPath)],
    http: vscode.workspace.getConfiguration().get<HTTPSettings>("http", {}),
  };
}

/** Returns the workspace folders that a process can read. */
export function workspaceFolders(): WorkspaceFolder[] {
  return (vscode.workspace.workspaceFolders ?? [])
    .filter((folder) => folder.uri.scheme === "file")
    .map((folder) => ({ uri: folder.uri.toString(), name: folder.name }));
}

/** Returns a name of the workspace, unique on this machine and stable over reloads; empty without a workspace. */
function workspaceName(): string {
  const uri = vscode.workspace.workspaceFile ?? vscode.workspace.workspaceFolders?.[0]?.uri;
  return uri?.toString() ?? "";
}

/**
 * Returns everything in Winnow's section, of the user and of the workspace, including unknown settings. The daemon
 * reports those, and resolves differences.
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

/** Returns the file of the workspace's settings. */
function workspaceSettingsFile(): vscode.Uri | undefined {
  const { workspaceFile, workspaceFolders: folders } = vscode.workspace;
  if (workspaceFile !== undefined) return workspaceFile;
  return folders?.[0] && vscode.Uri.joinPath(folders[0].uri, ".vscode", "settings.json");
}
