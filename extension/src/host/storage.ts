// Where the daemon keeps what it knows of a workspace. No VS Code: tests call it.

import { createHash } from "node:crypto";
import { mkdir, rename, stat } from "node:fs/promises";
import path from "node:path";

/** What VS Code gives an extension to keep its files in, as paths, and what it has open. */
export interface Storages {
  /** Of all workspaces. */
  global: string;
  /** Of this workspace; undefined in a window without one. */
  workspace: string | undefined;
  /** What tells this workspace from another, also after a reload; empty without one. */
  name: string;
}

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
 * Returns the daemon's storage of a workspace, the same after each reload. What
 * an earlier version of Winnow kept in VS Code's storage of the workspace is
 * moved there first.
 *
 * @param onError takes why it could not be moved; it is used where it is then
 */
export async function daemonStorage(
  { global, workspace, name }: Storages,
  onError: (err: unknown) => void,
): Promise<string> {
  if (name === "") return path.join(global, "no-workspace");
  const storage = path.join(global, "workspaces", createHash("sha256").update(name).digest("hex").slice(0, 32));
  if (workspace === undefined || (await exists(storage))) return storage;
  for (const earlier of new Set([unlocked(workspace), workspace])) {
    if (!(await exists(earlier))) continue;
    try {
      await mkdir(path.dirname(storage), { recursive: true });
      await rename(earlier, storage);
    } catch (err) {
      // Another window of the workspace may have done it meanwhile.
      if (await exists(storage)) return storage;
      onError(err);
      return earlier;
    }
    return storage;
  }
  return storage;
}

async function exists(folder: string): Promise<boolean> {
  return stat(folder).then(
    () => true,
    () => false,
  );
}
