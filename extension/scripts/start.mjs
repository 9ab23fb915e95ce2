// npm start: installs and builds what the demo needs, runs it with our
// arguments, and then opens an editor on it. Everything but the demo's own
// output goes to stderr.
import { spawn } from "node:child_process";
import path from "node:path";
import { buildDaemon } from "./build.mjs";
import { installDependencies } from "./dependencies.mjs";
import { RunError, root } from "./run.mjs";

/** Prepares the demo and returns the folder of its programs. */
async function prepare() {
  await installDependencies();
  console.error("building winnowd");
  await buildDaemon({ stdoutToStderr: true });
  const { bundle } = await import("./bundle.mjs");
  await bundle(["extension/demo/main.ts", "extension/demo/editor.ts"], "out");
  return path.join(root, "out", "demo");
}

/**
 * Runs one of the demo's programs and resolves with its exit code. A Ctrl-C or
 * a closed terminal reaches it by itself; we only wait until it has cleaned up.
 *
 * @param {string} file
 * @param {string[]} args
 * @returns {Promise<number>}
 */
function program(file, args) {
  const child = spawn(process.execPath, ["--enable-source-maps", file, ...args], { stdio: "inherit" });
  const end = () => child.kill("SIGTERM");
  process.on("SIGTERM", end);
  return new Promise((resolve) => {
    child.on("close", (code) => {
      process.off("SIGTERM", end);
      resolve(code ?? 1);
    });
  });
}

/**
 * Whether there is a person who may want to look at the editor.
 *
 * @param {string[]} args
 */
function wantsEditor(args) {
  const silent = ["--no-editor", "--json", "--help", "-h"].some((arg) => args.includes(arg));
  return !silent && process.stdin.isTTY && process.stdout.isTTY && process.env["CI"] === undefined;
}

/** @param {string} dir */
async function editor(dir) {
  const { prepareEditor } = await import("../demo/prepare.mjs");
  const prepared = await prepareEditor();
  if (typeof prepared !== "string") return program(path.join(dir, "editor.mjs"), [JSON.stringify(prepared)]);
  console.error(`no editor is opened: ${prepared}`);
  return 0;
}

for (const signal of ["SIGINT", "SIGHUP"]) process.on(signal, () => undefined);
try {
  const dir = await prepare();
  const args = process.argv.slice(2);
  process.exitCode = await program(path.join(dir, "main.mjs"), args);
  if (process.exitCode === 0 && wantsEditor(args)) process.exitCode = await editor(dir);
} catch (err) {
  if (!(err instanceof RunError)) throw err;
  console.error(`npm start: ${err.message}`);
  process.exitCode = 1;
}
