import { readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import * as vscode from "vscode";

/** The folder that is open. */
export const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

/** The servers of the workspace's .vscode/mcp.json, by name. */
export type Servers = Record<string, object>;

/**
 * Writes .vscode/winnow.json, and returns a function that deletes it.
 *
 * @param make makes its content of the servers that VS Code runs for the other suites: give them names of their own
 */
export async function winnowFile(make: (servers: Servers) => object): Promise<() => Promise<void>> {
  const file = path.join(folder, ".vscode", "winnow.json");
  const mcp = await readFile(path.join(folder, ".vscode", "mcp.json"), "utf8");
  const { servers } = JSON.parse(mcp) as { servers: Servers };
  await writeFile(file, JSON.stringify(make(servers)));
  return () => rm(file, { force: true });
}
