// Processes by what Linux tells of them in /proc.
import { readFile, readdir } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** A running process. */
export interface Process {
  pid: number;
  parent: number;
  /** Its command line, its arguments separated by spaces. */
  command: string;
}

/** Returns the processes whose environment names a folder: those that an editor with this home started, and theirs. */
export async function processesOf(dir: string): Promise<Process[]> {
  const found: Process[] = [];
  for (const pid of (await readdir("/proc")).filter((name) => /^\d+$/.test(name))) {
    // What ends meanwhile, or is somebody else's, is not ours.
    const environment = await readFile(`/proc/${pid}/environ`, "utf8").catch(() => "");
    if (!environment.includes(dir)) continue;
    const process = await describe(Number(pid));
    if (process !== undefined) found.push(process);
  }
  return found;
}

/** Returns the children of a process. */
export async function childrenOf(parent: number): Promise<Process[]> {
  const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name));
  const all = await Promise.all(pids.map((pid) => describe(Number(pid))));
  return all.filter((process) => process?.parent === parent).filter((process) => process !== undefined);
}

async function describe(pid: number): Promise<Process | undefined> {
  try {
    const command = (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim();
    // "pid (name) state parent …"; the name may hold anything, even a parenthesis.
    const [state, parent] = (await readFile(`/proc/${pid}/stat`, "utf8")).replace(/^.*\) /s, "").split(" ");
    return state === "Z" ? undefined : { pid, parent: Number(parent), command };
  } catch {
    return undefined; // ended meanwhile
  }
}

/**
 * Polls a condition until it holds, that is, is neither undefined nor false.
 *
 * @param what is named in the error
 * @param timeoutMs generous: it bounds a failing test, not a good one
 * @throws Error with the condition's last error, if it threw
 */
export async function until<T>(
  what: string,
  condition: () => T | Promise<T>,
  timeoutMs = 60_000,
): Promise<Exclude<T, undefined | false>> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    let last: unknown;
    try {
      const value = await condition();
      if (value !== undefined && value !== false) return value as Exclude<T, undefined | false>;
    } catch (err) {
      last = err;
    }
    if (Date.now() > end) throw new Error(`waited ${timeoutMs / 1000} s for ${what}`, { cause: last });
    await delay(50);
  }
}
