// Installs node_modules when it is missing or does not fit package-lock.json.
import { createHash } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { root, run } from "./run.mjs";

/** Holds the hash of the lock file that node_modules was installed from. */
const stamp = path.join(root, "node_modules", ".winnow-lock");

/**
 * Runs `npm ci` unless node_modules is what package-lock.json says. npm's own
 * words go to stderr, since our stdout may be a program's result.
 *
 * @returns {Promise<void>}
 */
export async function installDependencies() {
  const lock = await readFile(path.join(root, "package-lock.json"));
  const want = createHash("sha256").update(lock).digest("hex");
  if ((await readFile(stamp, "utf8").catch(() => "")) === want) return;
  console.error("installing the npm packages of package-lock.json (minutes, the first time)");
  await run(...npm("ci", "--no-audit", "--no-fund", "--loglevel=error"), { stdoutToStderr: true });
  await writeFile(stamp, want);
}

/**
 * The command that runs npm: the npm that runs us when there is one, so that
 * no shell has to find npm.cmd on Windows.
 *
 * @param {...string} args
 * @returns {[string, string[]]}
 */
export function npm(...args) {
  const cli = process.env["npm_execpath"];
  return cli?.endsWith(".js") ? [process.execPath, [cli, ...args]] : ["npm", args];
}
