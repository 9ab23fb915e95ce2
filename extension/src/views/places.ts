// Opens the place where a rule, a server or a mode is defined.

import * as vscode from "vscode";
import type { Cause, ServerInfo } from "../protocol/protocol.gen";
import { openFile, openSetting } from "../window/open";
import { findKey } from "./findkey";
import type { Store } from "./store";

/** Opens the place of a cause: in a mode, in a server's entry, or in a setting. */
export async function openPlace(store: Store, { kind, owner, key = "" }: Cause): Promise<void> {
  if (kind !== "mode" && kind !== "server") return openSetting(key);
  const written =
    kind === "mode"
      ? store.modes.modes.find(({ slug }) => slug === owner)
      : store.servers.find(({ name }) => name === owner);
  return written?.file === undefined ? openWorkspaceFile(key) : openAtKey(written.file, written.line, key);
}

/** Opens the entry of a server. A server run by VS Code has none, unless Winnow's file adds policy to it. */
export async function openDefinition(server: ServerInfo): Promise<void> {
  if (server.file !== undefined) return openFile(server.file, server.line);
  await vscode.commands.executeCommand("workbench.mcp.listServer");
}

/** Opens a file at the first occurrence of a key at or after a line, or else at the line. */
async function openAtKey(file: string, line: number | undefined, key: string): Promise<void> {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.file(file));
  const at = findKey(document.getText(), line ?? 1, key);
  await openFile(file, at.line, at.column);
}

/** Opens .vscode/winnow.json of the folder, or a template for it. With several folders it asks which. */
export async function openWorkspaceFile(key = "servers"): Promise<void> {
  const folder = await pickFolder();
  if (folder === undefined) return;
  const file = vscode.Uri.joinPath(folder.uri, ".vscode", "winnow.json");
  const there = await vscode.workspace.fs.stat(file).then(
    () => true,
    () => false,
  );
  if (there) return openAtKey(file.fsPath, 1, key);
  // Written only when the user saves: an untitled document with the right path.
  const document = await vscode.workspace.openTextDocument(file.with({ scheme: "untitled" }));
  const editor = await vscode.window.showTextDocument(document);
  await editor.insertSnippet(new vscode.SnippetString(template));
}

/** The folder to use. Undefined if there is none, which the user is told, or none was picked. */
async function pickFolder(): Promise<vscode.WorkspaceFolder | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length > 1) return vscode.window.showWorkspaceFolderPick({ placeHolder: "Whose .vscode/winnow.json?" });
  if (folders[0] !== undefined) return folders[0];
  const open = "Open Folder";
  const text = "Winnow's file belongs to a folder, and no folder is open.";
  if ((await vscode.window.showInformationMessage(text, open)) === open) {
    await vscode.commands.executeCommand("workbench.action.files.openFolder");
  }
  return undefined;
}

const template = `{
  // MCP servers, as in other clients' files. Winnow shows you each new one before it starts.
  // There are many at https://github.com/modelcontextprotocol/servers.
  "servers": {
    "\${1:files}": {
      "command": "\${2:npx}",
      "args": [\${3:"-y", "@modelcontextprotocol/server-filesystem", "\\\${workspaceFolder\\}"}]$0
    }
  }
}
`;
