// Where the daemon keeps what it knows of a workspace. No VS Code: tests call it.

import { createHash } from "node:crypto";
import path from "node:path";

/**
 * Names what VS Code adds to the folder of a workspace's storages that another
 * extension host has locked: a number, up to 9. A remote window that is reloaded
 * while its old extension host still runs is given such a folder.
 */
const lockedOut = /-[1-9](?=[\\/][^\\/]+[\\/]?$)/;

/** A workspace's storage as it is called when nothing has it locked. */
export function unlocked(storage: string): string {
  return storage.replace(lockedOut, "");
}

/**
 * Returns the daemon's storage of a workspace, the same after each reload.
 *
 * @param global VS Code's storage for Winnow, of all workspaces
 * @param name tells this workspace from others, also after a reload; empty without one
 */
export function daemonStorage(global: string, name: string): string {
  if (name === "") return path.join(global, "no-workspace");
  return path.join(global, "workspaces", createHash("sha256").update(name).digest("hex").slice(0, 32));
}
