// The steps of npm test that run in a real VS Code. Import it only when the
// dependencies are installed.
import { readdir, rm } from "node:fs/promises";
import { availableParallelism } from "node:os";
import path from "node:path";
import { whyNoHost } from "../test/host/install.mjs";
import { prepare } from "../test/host/prepare.mjs";
import { buildDaemon } from "./build.mjs";
import { bundle, bundleForVSCode } from "./bundle.mjs";
import { RunError, Skipped, capture, root, run } from "./run.mjs";

/** @type {ReturnType<typeof prepare> | undefined} */
let preparing;

/**
 * The environment that tells the tests what to start; prepared once for all steps.
 *
 * @throws {Skipped} on a machine that code-server does not run on
 */
async function environment() {
  const why = whyNoHost();
  if (why !== undefined) throw new Skipped(why);
  preparing ??= prepare();
  return { WINNOW_PREPARED: JSON.stringify(await preparing) };
}

/** The suites that Mocha runs inside the extension host. */
export async function extensionHostTests() {
  const env = await environment();
  const suites = await suitesIn("extension/test/exthost", ".suite.ts");
  // Inside the scripted model's folder: VS Code gives a module the rights of the extension that it lies in.
  await rm(path.join(root, "out", "scripted-model", "tests"), { recursive: true, force: true });
  await bundleForVSCode(["extension/test/exthost/index.ts", ...suites], "out/scripted-model/tests");
  await bundle(["extension/test/exthost/run.ts"], "out");
  const suite = () => run(process.execPath, ["--enable-source-maps", "out/test/exthost/run.mjs"], { env });
  const { ok, out } = await outcome(suite().then(() => ""));
  if (ok) return;
  console.log(`\n${out}`);
  if (!(await passesAgain("exthost", suite))) throw new RunError("failed: the suites in the extension host");
}

/** The suites that use the editor as a person does. */
export async function uiTests() {
  const env = await environment();
  // One suite compares with a daemon of its own.
  await buildDaemon();
  const suites = await suitesIn("extension/test/ui", ".ui.ts");
  await bundle(suites, "out");
  const flags = ["--enable-source-maps", "--test", "--test-reporter=spec"];
  const only = process.env["WINNOW_TEST_GREP"];
  if (only !== undefined) flags.push(`--test-name-pattern=${only}`);
  /** @param {string} suite */
  const program = (suite) => [...flags, suite.replace(/^extension/, "out").replace(/\.ts$/, ".mjs")];
  // Each has a VS Code and a browser of its own, and waits for them more than it
  // computes: as many at a time as there are processors, two at most.
  const queue = suites.values();
  const again = /** @type {string[]} */ ([]);
  const drain = async () => {
    for (const suite of queue) {
      const begin = performance.now();
      const { ok, out } = await outcome(capture(process.execPath, program(suite), { env, stderrToStdout: true }));
      const seconds = ((performance.now() - begin) / 1000).toFixed(0);
      console.log(`${out}\n--- ${ok ? "ok" : "FAIL"} ${suite} ${seconds} s`);
      if (!ok) again.push(suite);
    }
  };
  await Promise.all(Array.from({ length: Math.min(2, availableParallelism()) }, drain));
  const failed = [];
  for (const suite of again) {
    if (!(await passesAgain(suite, () => run(process.execPath, program(suite), { env })))) failed.push(suite);
  }
  if (failed.length > 0) throw new RunError(`failed: ${failed.join(", ")}`);
}

/**
 * What a program has written, and whether it ended well.
 *
 * @param {Promise<string>} captured
 * @returns {Promise<{ ok: boolean, out: string }>}
 */
async function outcome(captured) {
  try {
    return { ok: true, out: await captured };
  } catch (error) {
    if (!(error instanceof RunError)) throw error;
    return { ok: false, out: error.message };
  }
}

/**
 * Runs tests in an editor that have failed once more, alone and in a new editor, and
 * says whether they pass; in CI only. Hovers, notifications and menus live by the
 * second there: what passes then is named as flaky.
 *
 * @param {string} what is named
 * @param {() => Promise<void>} suite
 */
async function passesAgain(what, suite) {
  if (process.env["CI"] === undefined) return false;
  if (!(await outcome(suite().then(() => ""))).ok) return false;
  console.log(`\nflaky: ${what} passed the second time only`);
  return true;
}

/**
 * The suites in a folder, from the root; only those that WINNOW_TEST_SUITE names when it does.
 *
 * @param {string} dir from the root
 * @param {string} ending
 */
async function suitesIn(dir, ending) {
  const only = process.env["WINNOW_TEST_SUITE"];
  const files = (await readdir(path.join(root, dir))).filter((file) => file.endsWith(ending)).sort();
  const chosen = files.filter((file) => only === undefined || file === `${only}${ending}`);
  if (chosen.length === 0) {
    // Without a file Node would run whatever looks like a test, npm test too.
    const names = files.map((file) => file.slice(0, -ending.length));
    throw new RunError(`WINNOW_TEST_SUITE names no suite of ${dir}: ${only ?? ""}. There are: ${names.join(", ")}`);
  }
  return chosen.map((file) => path.posix.join(dir, file));
}
