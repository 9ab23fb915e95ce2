// What lies in the files of a folder.
import { readFile, readdir } from "node:fs/promises";
import path from "node:path";

/** The files in some folders, and below, that hold a text, such as a secret that should be in none. */
export async function filesWith(text: string, ...dirs: string[]): Promise<string[]> {
  const found: string[] = [];
  for (const dir of dirs) {
    for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      if ((await readFile(file)).includes(text)) found.push(file);
    }
  }
  return found;
}
