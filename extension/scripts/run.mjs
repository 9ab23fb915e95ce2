// Running other programs. Node's own modules only: this file works before
// `npm ci` has run.
import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { constants, setPriority } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** The root of the checkout. */
export const root = path.join(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

/** A program that ended with something else than 0, or could not be started. */
export class RunError extends Error {}

/** A step that can't run on this machine, with the reason as its message. */
export class Skipped extends Error {}

/** What is written by the programs that work in the background has started. */
const background = /** @type {AsyncLocalStorage<string[]>} */ (new AsyncLocalStorage());

/**
 * Does work whose programs get the processors that no other program wants. What
 * they write with run is kept in written, for when the work is done.
 *
 * @param {string[]} written
 * @param {() => Promise<void>} work
 * @returns {Promise<void>}
 */
export function inBackground(written, work) {
  return background.run(written, work);
}

/**
 * Runs a program in the checkout, its output where ours goes, and resolves when
 * it has ended well.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, stdoutToStderr?: boolean }} [options]
 *   cwd is another folder than the root; env is added to our own;
 *   stdoutToStderr keeps our stdout free for a result.
 * @returns {Promise<void>}
 */
export function run(command, args, options = {}) {
  const written = background.getStore();
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio:
        written === undefined
          ? ["ignore", options.stdoutToStderr ? 2 : "inherit", "inherit"]
          : ["ignore", "pipe", "pipe"],
    });
    if (written !== undefined && child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk) => written?.push(String(chunk)));
    child.on("error", (err) => {
      reject(new RunError(`start ${command}: ${err.message}`));
    });
    child.on("close", (code, signal) => {
      if (code === 0) resolve();
      else reject(new RunError(`${command} ${args.join(" ")}: ${signal ?? `exit code ${String(code)}`}`));
    });
  });
}

/**
 * Runs a program in the checkout and resolves with what it wrote to stdout. An
 * error has that too.
 *
 * @param {string} command
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, stderrToStdout?: boolean }} [options] as those of run;
 *   stderrToStdout: what it wrote to stderr as well, in its place
 * @returns {Promise<string>}
 */
export function capture(command, args, options = {}) {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      cwd: options.cwd ?? root,
      env: { ...process.env, ...options.env },
      stdio: ["ignore", "pipe", options.stderrToStdout ? "pipe" : "inherit"],
    });
    let out = "";
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding("utf8").on("data", (chunk) => (out += String(chunk)));
    child.on("error", (err) => {
      reject(new RunError(`start ${command}: ${err.message}`));
    });
    child.on("close", (code) => {
      if (code === 0) resolve(out);
      else reject(new RunError(`${command} ${args.join(" ")}: exit code ${String(code)}\n${out}`));
    });
  });
}
