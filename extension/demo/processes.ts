import { readFile, readdir } from "node:fs/promises";

/** The command lines of running processes that name a text. Linux only. */
export async function commandsWith(text: string): Promise<string[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const commands = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "")));
  return commands.filter((command) => command.includes(text));
}
