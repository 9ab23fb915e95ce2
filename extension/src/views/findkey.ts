/** A place in a text; both count from 1. */
export interface TextPlace {
  line: number;
  column: number;
}

/**
 * Finds a key in JSON or YAML.
 *
 * @param from the first line to search, from 1
 * @returns the place of the key, or the beginning of line `from` if there is none
 */
export function findKey(text: string, from: number, key: string): TextPlace {
  const name = key.replace(/[^\w-]/g, "");
  const pattern = new RegExp(`"${name}"\\s*:|^\\s*-?\\s*${name}\\s*:`);
  const lines = text.split(/\r?\n/);
  for (const [i, line] of lines.entries()) {
    if (i < from - 1) continue;
    const found = pattern.exec(line);
    if (found !== null) return { line: i + 1, column: found.index + found[0].search(/["\w]/) + 1 };
  }
  return { line: from, column: 1 };
}
