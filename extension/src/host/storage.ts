// The daemon's storage of a workspace. Without VS Code, for tests.

import { createHash } from "node:crypto";
import path from "node:path";

/**
 * Matches the suffix, a number up to 9, that VS Code adds to the storage folder of a workspace while another
 * extension host has it locked, as after a reload of a remote window.
 */
const lockedOut = /-[1-9](?=[\\/][^\\/]+[\\/]?$)/;

/** Returns a workspace's storage without that suffix. */
export function unlocked(storage: string): string {
  return storage.replace(lockedOut, "");
}

/**
 * Returns the daemon's storage of a workspace, which is stable over reloads.
 *
 * @param global VS Code's storage for Winnow, of all workspaces
 * @param name identifies the workspace, also after a reload; empty without one
 */
export function daemonStorage(global: string, name: string): string {
  if (name === "") return path.join(global, "no-workspace");
  return path.join(global, "workspaces", createHash("sha256").update(name).digest("hex").slice(0, 32));
}
