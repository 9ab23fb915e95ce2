// Forgets what can be had again. No VS Code: the test has a daemon of its own.

import type { Memento } from "vscode";
import type { Daemon } from "../daemon/client";
import { LearnedClear } from "../protocol/protocol.gen";

/** What the keys of all that the user is told once begin with. */
export const noticePrefix = "winnow.notice.";

/** Where things are kept. */
export interface Kept {
  daemon: Pick<Daemon, "request" | "restart">;
  globalState: Memento;
}

/**
 * Forgets it on the disk, then in memory.
 *
 * @throws Error when something cannot be deleted; what can be is gone then
 */
export async function clearAll({ daemon, globalState }: Kept): Promise<void> {
  const [cleared] = await Promise.allSettled([daemon.request(LearnedClear, {})]);
  await daemon.restart(); // it has in memory what was on the disk
  const told = globalState.keys().filter((key) => key.startsWith(noticePrefix));
  for (const key of told) await globalState.update(key, undefined);
  if (cleared.status === "rejected") throw cleared.reason;
}
