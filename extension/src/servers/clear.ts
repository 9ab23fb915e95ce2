// Clears data that can be obtained again. Without VS Code; the test runs a daemon.

import type { Memento } from "vscode";
import type { Daemon } from "../daemon/client";
import { LearnedClear } from "../protocol/protocol.gen";

/** The prefix of the keys of one-time notices. */
export const noticePrefix = "winnow.notice.";

/** The places of the data. */
export interface Kept {
  daemon: Pick<Daemon, "request" | "restart">;
  globalState: Memento;
}

/**
 * Clears the data on disk, then in memory.
 *
 * @throws Error if something cannot be deleted; the rest is deleted
 */
export async function clearAll({ daemon, globalState }: Kept): Promise<void> {
  const [cleared] = await Promise.allSettled([daemon.request(LearnedClear, {})]);
  await daemon.restart(); // its memory holds what was on disk
  const told = globalState.keys().filter((key) => key.startsWith(noticePrefix));
  for (const key of told) await globalState.update(key, undefined);
  if (cleared.status === "rejected") throw cleared.reason;
}
