// npm start: installs and builds what the demo needs, then runs it with our
// arguments. Everything but the demo's own output goes to stderr.
import { spawn } from "node:child_process";
import path from "node:path";
import { buildDaemon } from "./build.mjs";
import { installDependencies } from "./dependencies.mjs";
import { RunError, root } from "./run.mjs";

/** Prepares the demo and returns the file to run. */
async function prepare() {
  await installDependencies();
  console.error("building winnowd");
  await buildDaemon({ stdoutToStderr: true });
  const { bundle } = await import("./bundle.mjs");
  await bundle(["extension/demo/main.ts"], "out");
  return path.join(root, "out", "demo", "main.mjs");
}

/**
 * Runs the demo and ends as it ended. A Ctrl-C reaches it from the terminal;
 * we only wait until it has cleaned up.
 *
 * @param {string} file
 */
function demo(file) {
  const child = spawn(process.execPath, ["--enable-source-maps", file, ...process.argv.slice(2)], { stdio: "inherit" });
  process.on("SIGINT", () => undefined);
  process.on("SIGTERM", () => child.kill("SIGTERM"));
  child.on("close", (code) => {
    process.exitCode = code ?? 1;
  });
}

try {
  demo(await prepare());
} catch (err) {
  if (!(err instanceof RunError)) throw err;
  console.error(`npm start: ${err.message}`);
  process.exitCode = 1;
}
