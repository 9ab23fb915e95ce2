// Follows the files that name servers.

import type { Disposable } from "vscode-jsonrpc";
import { labelsIn } from "./labels";

/** How files are reached. */
export interface FileAccess {
  /** Reads a file; rejects when there is none. */
  read(file: string): Promise<string>;
  /** Calls changed after each change of a file, until it is disposed. */
  watch(file: string, changed: () => void): Disposable;
}

/** The labels in files, read again whenever one changes. */
export class LabelFiles implements Disposable {
  readonly #files: FileAccess;
  readonly #changed: () => void;
  readonly #followed = new Map<string, { watcher: Disposable; labels: readonly string[] }>();

  /** @param changed is called after each reading */
  constructor(files: FileAccess, changed: () => void) {
    this.#files = files;
    this.#changed = changed;
  }

  /** The labels in all files. */
  get labels(): string[] {
    return [...this.#followed.values()].flatMap(({ labels }) => labels);
  }

  /** Reads a file now and whenever it changes. */
  follow(file: string): void {
    if (this.#followed.has(file)) return;
    const read = () => void this.#read(file);
    this.#followed.set(file, { watcher: this.#files.watch(file, read), labels: [] });
    read();
  }

  /** Forgets a file and what it said. */
  unfollow(file: string): void {
    this.#followed.get(file)?.watcher.dispose();
    if (this.#followed.delete(file)) this.#changed();
  }

  dispose(): void {
    for (const file of [...this.#followed.keys()]) this.unfollow(file);
  }

  async #read(file: string): Promise<void> {
    const labels = await this.#files.read(file).then(labelsIn, () => []);
    const followed = this.#followed.get(file);
    if (followed === undefined) return; // it was forgotten meanwhile
    followed.labels = labels;
    this.#changed();
  }
}
