// Makes and undoes moves of servers on the disk. No VS Code: the uninstall
// script runs it too.

import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { type ImportPlan, type ImportRecord, type UndoPlan, planUndo } from "./plan";

/** The user's folder for Winnow, as the daemon finds it: Go's os.UserConfigDir, and winnow in it. */
export function userConfigDir({
  platform,
  env,
  home,
}: {
  platform: string;
  env: Record<string, string | undefined>;
  home: string;
}): string {
  const dir =
    platform === "win32"
      ? (env["APPDATA"] ?? path.join(home, "AppData", "Roaming"))
      : platform === "darwin"
        ? path.join(home, "Library", "Application Support")
        : env["XDG_CONFIG_HOME"] !== undefined && env["XDG_CONFIG_HOME"] !== ""
          ? env["XDG_CONFIG_HOME"]
          : path.join(home, ".config");
  return path.join(dir, "winnow");
}

/** The moves that were made and can be undone. */
export class Moves {
  readonly #dir: string;

  /** @param userDir the user's folder for Winnow; the backups are kept there */
  constructor(userDir: string) {
    this.#dir = path.join(userDir, "imports");
  }

  /**
   * Makes a move: keeps both files first, then writes them.
   *
   * @throws Error when a file has changed since the move was planned, or cannot be written
   */
  async make(plan: ImportPlan, now: Date): Promise<ImportRecord> {
    const { source, target } = plan;
    await unchanged(source);
    await unchanged(target);
    const record: ImportRecord = { ...plan, version: 1, id: now.toISOString().replaceAll(":", "-") };
    const dir = path.join(this.#dir, record.id);
    // They may hold secrets.
    await mkdir(dir, { recursive: true, mode: 0o700 });
    await writeFile(path.join(dir, `backup of ${path.basename(source.path)}`), source.before, { mode: 0o600 });
    if (target.before !== undefined) {
      await writeFile(path.join(dir, `backup of ${path.basename(target.path)}`), target.before, { mode: 0o600 });
    }
    await writeFile(path.join(dir, "record.json"), JSON.stringify(record, undefined, 2), { mode: 0o600 });
    // Winnow's first: with a failure in between a server is in both files, and not in none.
    await put(target.path, target.after);
    await put(source.path, source.after);
    return record;
  }

  /** The moves that can be undone, the newest first. */
  async list(): Promise<ImportRecord[]> {
    const ids = await readdir(this.#dir).catch(() => []);
    const records: ImportRecord[] = [];
    for (const id of ids.sort().reverse()) {
      const text = await readFile(path.join(this.#dir, id, "record.json"), "utf8").catch(() => undefined);
      if (text === undefined) continue;
      const record = JSON.parse(text) as ImportRecord;
      records.push(record);
    }
    return records;
  }

  /** What undoing a move changes. */
  async plan(record: ImportRecord): Promise<UndoPlan> {
    return planUndo(record, { source: await read(record.source.path), target: await read(record.target.path) });
  }

  /** Undoes a move, and forgets its backup. */
  async undo(record: ImportRecord): Promise<UndoPlan> {
    const plan = await this.plan(record);
    await put(plan.source.path, plan.source.after);
    if (plan.target.after === undefined) await rm(plan.target.path, { force: true });
    else await put(plan.target.path, plan.target.after);
    await rm(path.join(this.#dir, record.id), { recursive: true, force: true });
    return plan;
  }
}

/** Reads a file; undefined when it is not there. */
export async function read(file: string): Promise<string | undefined> {
  try {
    return await readFile(file, "utf8");
  } catch (err) {
    if ((err as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw err;
  }
}

async function unchanged({ path: file, before }: { path: string; before: string | undefined }): Promise<void> {
  if ((await read(file)) !== before) throw new Error(`${file} has changed meanwhile; import the servers again`);
}

/** Writes a file at once: whoever reads it sees the old or the new one. */
async function put(file: string, text: string): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  const draft = `${file}.winnow-${process.pid}`;
  await writeFile(draft, text);
  await rename(draft, file);
}
