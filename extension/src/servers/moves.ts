// Makes and undoes moves of servers on the disk. No VS Code: the uninstall
// script runs it too.

import { mkdir, readFile, readdir, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import writeAtomically from "write-file-atomic";
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

/** A move whose record cannot be read. What the files held is kept beside it. */
export interface BrokenRecord {
  /** The folder of its backups. */
  dir: string;
  /** Why it cannot be read. */
  reason: string;
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
    await put(path.join(dir, recordFile), JSON.stringify(record, undefined, 2));
    // Winnow's first: with a failure in between a server is in both files, and not in none. What moves may be a
    // secret, so nobody else may read it there who may not read it here.
    await put(target.path, target.after, (await modeOf(target.path)) & (await modeOf(source.path)));
    await put(source.path, source.after);
    return record;
  }

  /** The moves that can be undone, and those that would be if their records could be read; the newest first. */
  async list(): Promise<{ records: ImportRecord[]; broken: BrokenRecord[] }> {
    const ids = await readdir(this.#dir).catch(() => []);
    const records: ImportRecord[] = [];
    const broken: BrokenRecord[] = [];
    for (const id of ids.sort().reverse()) {
      const dir = path.join(this.#dir, id);
      try {
        const text = await read(path.join(dir, recordFile));
        if (text !== undefined) records.push(recordIn(text));
      } catch (err) {
        broken.push({ dir, reason: err instanceof Error ? err.message : String(err) });
      }
    }
    return { records, broken };
  }

  /** What undoing a move changes. */
  async plan(record: ImportRecord): Promise<UndoPlan> {
    return planUndo(record, { source: await read(record.source.path), target: await read(record.target.path) });
  }

  /** Undoes a move, and forgets its backup; changes nothing and returns undefined where that was done already. */
  async undo(record: ImportRecord): Promise<UndoPlan | undefined> {
    const dir = path.join(this.#dir, record.id);
    if ((await read(path.join(dir, recordFile))) === undefined) return undefined;
    const plan = await this.plan(record);
    await put(plan.source.path, plan.source.after);
    if (plan.target.after === undefined) await rm(plan.target.path, { force: true });
    else await put(plan.target.path, plan.target.after);
    await rm(dir, { recursive: true, force: true });
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

/** In the folder of each move, beside the backups. */
const recordFile = "record.json";

/** @throws Error when the text is none that this version of Winnow wrote whole */
function recordIn(text: string): ImportRecord {
  const record = JSON.parse(text) as Partial<ImportRecord> | null;
  if (record?.version !== 1) throw new Error("it is no record of version 1, the only one that this Winnow knows");
  const { id, client, source, target, servers, inputs } = record;
  if ([id, client, source, target, servers, inputs].includes(undefined)) throw new Error("something is missing in it");
  return record as ImportRecord;
}

/** The mode of a file that is new: for its user only. */
const privateMode = 0o600;

async function modeOf(file: string): Promise<number> {
  const { mode } = await stat(file).catch(() => ({ mode: privateMode }));
  return mode & 0o777;
}

/** Writes a file at once, also one behind a link: whoever reads it sees the old or the new one. */
async function put(file: string, text: string, mode?: number): Promise<void> {
  await mkdir(path.dirname(file), { recursive: true });
  await writeAtomically(file, text, { mode: mode ?? (await modeOf(file)) });
}
