import { mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { homedir } from "node:os";
import path from "node:path";
import * as vscode from "vscode";

/** The folder that is open. */
export const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";

/** The servers of the workspace's .vscode/mcp.json, by name. */
export type Servers = Record<string, object>;

/**
 * Writes the user's own winnow.json, whose servers start without a question, and returns a function that deletes it.
 *
 * @param make makes its content of the servers that VS Code runs for the other suites: give them names of their own
 */
export async function winnowFile(make: (servers: Servers) => object): Promise<() => Promise<void>> {
  const config = process.env["XDG_CONFIG_HOME"] ?? path.join(homedir(), ".config");
  const file = path.join(config, "winnow", "winnow.json");
  const mcp = await readFile(path.join(folder, ".vscode", "mcp.json"), "utf8");
  const { servers } = JSON.parse(mcp) as { servers: Servers };
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, JSON.stringify(make(servers)));
  return () => rm(file, { force: true });
}
