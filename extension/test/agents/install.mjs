// Installs the agents that the step `agents` runs, about 1 GB, from npm.
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { npm } from "../../scripts/dependencies.mjs";
import { Skipped, root, run } from "../../scripts/run.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

/**
 * Installs the agents unless they are there already: in .tmp/agents, or in the
 * folder that WINNOW_AGENTS names. Progress goes to stderr.
 *
 * @returns {Promise<string>} their node_modules
 * @throws {Skipped} on a machine that not all of them run on
 */
export async function installAgents() {
  if (process.platform !== "linux" || process.arch !== "x64") {
    throw new Skipped(`the agents are run on Linux x64 only, this is ${process.platform} ${process.arch}`);
  }
  const dir = path.resolve(root, process.env["WINNOW_AGENTS"] ?? path.join(".tmp", "agents"));
  const lock = await readFile(path.join(here, "package-lock.json"));
  const want = createHash("sha256").update(lock).digest("hex");
  if ((await readFile(path.join(dir, "stamp"), "utf8").catch(() => "")) !== want) await install(dir, want);
  return path.join(dir, "node_modules");
}

/**
 * Installs beside dir and then takes its place, so that a folder with a stamp
 * is whole, whoever was interrupted.
 *
 * @param {string} dir
 * @param {string} stamp
 */
async function install(dir, stamp) {
  const draft = `${dir}.${process.pid}`;
  try {
    await mkdir(draft, { recursive: true });
    for (const file of ["package.json", "package-lock.json"]) await cp(path.join(here, file), path.join(draft, file));
    console.error(`installing agents for the tests into ${dir}: about 1 GB, once`);
    // Not ci: it wants the binaries of all platforms in the lock file, which a registry need not have.
    const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
    await run(...npm("install", ...quiet), { cwd: draft, stdoutToStderr: true });
    await writeFile(path.join(draft, "stamp"), stamp);
    await rm(dir, { recursive: true, force: true });
    await rename(draft, dir);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
