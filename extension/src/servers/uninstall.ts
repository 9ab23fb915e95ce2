// VS Code runs it when the extension is uninstalled: servers that were moved
// behind Winnow go back to the files they came from.

import { homedir } from "node:os";
import { Moves, userConfigDir } from "./moves";

const moves = new Moves(userConfigDir({ platform: process.platform, env: process.env, home: homedir() }));

/** Undoes every move, the newest first. One that fails hinders no other; its backup stays. */
async function undoAll(): Promise<void> {
  const { records, broken } = await moves.list();
  for (const { dir, reason } of broken) process.stderr.write(`${dir}: ${reason}\n`);
  for (const record of records) {
    await moves.undo(record).catch((err: unknown) => {
      process.stderr.write(`${record.source.path}: ${String(err)}\n`);
    });
  }
}

void undoAll();
