// Chats stored by earlier versions of the extension. The daemon stores them now.

import { readdir, rm } from "node:fs/promises";
import path from "node:path";

/** Deletes them: their format is outdated, so those chats begin as new tasks. */
export async function deleteEarlierChats(
  globalStorage: string,
  log: { info(text: string): void; warn(text: string): void },
): Promise<void> {
  const folder = path.join(globalStorage, "conversations");
  try {
    const files = await readdir(folder).catch(() => []);
    await rm(folder, { recursive: true, force: true });
    if (files.length > 0) {
      log.info(`${files.length} chats that an earlier version of Winnow kept for a reload begin as new tasks`);
    }
  } catch (err) {
    log.warn(`what an earlier version of Winnow kept of chats cannot be deleted: ${String(err)}`);
  }
}
