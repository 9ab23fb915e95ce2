// Where other clients keep their servers.

import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";
import { read, userConfigDir } from "./moves";
import { type ClientFile, serversIn } from "./plan";

/** A file with servers that can be moved. */
export interface Candidate {
  file: ClientFile;
  path: string;
  text: string;
  names: string[];
  /** Winnow's own file that they go to. */
  target: string;
}

/** VS Code's own file. */
export const vscodeFile: ClientFile = { client: "VS Code", root: "servers" };
const cursor: ClientFile = { client: "Cursor", root: "mcpServers" };
const claude: ClientFile = { client: "Claude Code", root: "mcpServers", milliseconds: true };
const roo: ClientFile = { client: "Roo Code", root: "mcpServers" };
const zoo: ClientFile = { client: "Zoo Code", root: "mcpServers" };

/** The user's folder for Winnow. */
export function userDir(): string {
  return userConfigDir({ platform: process.platform, env: process.env, home: homedir() });
}

/** Finds the files of other clients that have servers. */
export async function findCandidates({ globalStorageUri }: vscode.ExtensionContext): Promise<Candidate[]> {
  const home = homedir();
  const storages = path.dirname(globalStorageUri.fsPath);
  const own = path.join(userDir(), "winnow.json");
  const places: [ClientFile, string, string][] = (vscode.workspace.workspaceFolders ?? [])
    .filter(({ uri }) => uri.scheme === "file")
    .flatMap(({ uri: { fsPath } }): [ClientFile, string, string][] => {
      const target = path.join(fsPath, ".vscode", "winnow.json");
      return [
        [vscodeFile, path.join(fsPath, ".vscode", "mcp.json"), target],
        [claude, path.join(fsPath, ".mcp.json"), target],
        [cursor, path.join(fsPath, ".cursor", "mcp.json"), target],
        [roo, path.join(fsPath, ".roo", "mcp.json"), target],
        [zoo, path.join(fsPath, ".zoo", "mcp.json"), target],
      ];
    });
  places.push(
    // The profile's, beside its storage of extensions.
    [vscodeFile, path.join(path.dirname(storages), "mcp.json"), own],
    [claude, path.join(home, ".claude.json"), own],
    [cursor, path.join(home, ".cursor", "mcp.json"), own],
    [roo, path.join(storages, "rooveterinaryinc.roo-cline", "settings", "mcp_settings.json"), own],
    [zoo, path.join(storages, "zoocodeorganization.zoo-code", "settings", "mcp_settings.json"), own],
  );
  const found = await Promise.all(
    places.map(async ([file, place, target]): Promise<Candidate | undefined> => {
      const text = await read(place);
      const names = text === undefined ? [] : serversIn(text, file);
      return text === undefined || names.length === 0 ? undefined : { file, path: place, text, names, target };
    }),
  );
  return found.filter((candidate) => candidate !== undefined);
}
