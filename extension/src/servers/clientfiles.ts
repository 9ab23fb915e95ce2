// Which files of other clients have servers, and where they are.

import path from "node:path";
import { read } from "./moves";
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

/** Where clients keep their files, as absolute paths. */
export interface Homes {
  /** The open folders. */
  folders: readonly string[];
  home: string;
  /** The folder of all extensions' global storages. */
  storages: string;
  /** The user's folder for Winnow. */
  userDir: string;
}

/** Finds the files that have servers: those of the open folders first, then the user's. */
export async function candidatesIn({ folders, home, storages, userDir }: Homes): Promise<Candidate[]> {
  const places = folders.flatMap((folder): [ClientFile, string, string][] => {
    const target = path.join(folder, ".vscode", "winnow.json");
    return [
      [vscodeFile, path.join(folder, ".vscode", "mcp.json"), target],
      [claude, path.join(folder, ".mcp.json"), target],
      [cursor, path.join(folder, ".cursor", "mcp.json"), target],
      [roo, path.join(folder, ".roo", "mcp.json"), target],
      [zoo, path.join(folder, ".zoo", "mcp.json"), target],
    ];
  });
  const own = path.join(userDir, "winnow.json");
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
