// Keeps what is moved from others than those who may read it now: it may be a
// secret. No VS Code, whose own file system knows no permissions.

import { chmod, mkdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";

/** For its user only. */
const privateMode = 0o600;

/**
 * Makes a file that only its user may read.
 *
 * @throws Error when it is there already
 */
export async function createPrivate(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, text, { mode: privateMode, flag: "wx" });
}

/** Takes permissions from a file that another one does not give; nothing where one of them is not there. */
export async function restrict(file: string, like: string): Promise<void> {
  const [mode, most] = await Promise.all([modeOf(file), modeOf(like)]);
  if (mode === undefined || most === undefined) return;
  if ((mode & most) !== mode) await chmod(file, mode & most);
}

async function modeOf(file: string): Promise<number | undefined> {
  return stat(file).then(
    ({ mode }) => mode & 0o777,
    () => undefined,
  );
}
