// The files in which conversations outlive a reload of the window: one for
// each, named by a digest.

import { createHash } from "node:crypto";
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { type Kept, type Revive, keptText, readKept } from "./kept";

/** The name of the folder that holds them. */
export const conversationsName = "conversations";

/** How many conversations are kept, of all workspaces. Those written longest ago give way. */
export const maxFiles = 128;

/** The most bytes of one file. A conversation that is longer is not kept: after a reload it begins as a new task. */
const maxBytes = 4_000_000;

/** Begins the names of files that are being written. */
const unfinished = ".";

/** Where conversations are kept. */
export class ConversationFiles {
  readonly #folder: string;
  readonly #workspace: string;
  readonly #revive: Revive;
  readonly #onError: (err: unknown) => void;
  /** What is to be written, by file; undefined deletes it. */
  readonly #waiting = new Map<string, Kept | undefined>();
  #writing: Promise<void> | undefined;

  /**
   * @param workspace names the workspace whose conversations these are
   * @param onError takes why a file could not be read or written: the chat goes on without
   */
  constructor(folder: string, workspace: string, revive: Revive, onError: (err: unknown) => void) {
    this.#folder = folder;
    this.#workspace = workspace;
    this.#revive = revive;
    this.#onError = onError;
  }

  /** Reads what was kept under a key; undefined where there is nothing that can be read. */
  async read(key: string): Promise<Kept | undefined> {
    try {
      return readKept(await readFile(path.join(this.#folder, this.#fileName(key)), "utf8"), this.#revive);
    } catch (err) {
      if (!isAbsent(err)) this.#onError(err);
      return undefined;
    }
  }

  /** Writes soon, in the order of the calls; of two writes to one file that wait, the later one counts. */
  write(key: string, kept: Kept): void {
    this.#put(key, kept);
  }

  /** Forgets what was kept under a key. */
  forget(key: string): void {
    this.#put(key, undefined);
  }

  /** Resolves when nothing waits to be written. */
  async written(): Promise<void> {
    await this.#writing;
  }

  #put(key: string, kept: Kept | undefined): void {
    this.#waiting.set(this.#fileName(key), kept);
    this.#writing ??= this.#writeAll().finally(() => (this.#writing = undefined));
  }

  /** A key may hold anything, and need not be read again. */
  #fileName(key: string): string {
    const digest = createHash("sha256")
      .update(JSON.stringify([this.#workspace, key]))
      .digest("hex");
    return `${digest.slice(0, 32)}.json`;
  }

  async #writeAll(): Promise<void> {
    for (let [next] = this.#waiting; next !== undefined; [next] = this.#waiting) {
      const [file, kept] = next;
      this.#waiting.delete(file);
      try {
        await this.#writeOne(path.join(this.#folder, file), kept === undefined ? "" : keptText(kept));
      } catch (err) {
        this.#onError(err);
      }
    }
  }

  /** Writes a file in one step. An empty text, or one that is too long, deletes it. */
  async #writeOne(file: string, text: string): Promise<void> {
    if (text === "" || Buffer.byteLength(text) > maxBytes) {
      await rm(file, { force: true });
      return;
    }
    await mkdir(this.#folder, { recursive: true });
    const temporary = path.join(this.#folder, `${unfinished}${path.basename(file)}`);
    await writeFile(temporary, text, { mode: 0o600 });
    await rename(temporary, file);
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const names = (await readdir(this.#folder)).filter((name) => !name.startsWith(unfinished));
    if (names.length <= maxFiles) return;
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(this.#folder, name);
        return { file, at: (await stat(file)).mtimeMs };
      }),
    );
    files.sort((a, b) => a.at - b.at);
    for (const { file } of files.slice(0, files.length - maxFiles)) await rm(file, { force: true });
  }
}

function isAbsent(err: unknown): boolean {
  return err instanceof Error && "code" in err && err.code === "ENOENT";
}
