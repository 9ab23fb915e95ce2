// Where other clients keep their servers, as seen from this window.

import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { type Candidate, candidatesIn } from "./clientfiles";
import { userConfigDir } from "./moves";

/** The user's folder for Winnow. */
export function userDir(): string {
  return userConfigDir({ platform: process.platform, env: process.env, home: homedir() });
}

/** Finds the files of other clients that have servers. */
export function findCandidates({ globalStorageUri }: vscode.ExtensionContext): Promise<Candidate[]> {
  const folders = (vscode.workspace.workspaceFolders ?? []).filter(({ uri }) => uri.scheme === "file");
  return candidatesIn({
    folders: folders.map(({ uri }) => uri.fsPath),
    home: homedir(),
    storages: path.dirname(globalStorageUri.fsPath),
    userDir: userDir(),
  });
}
