// npm test: runs every step, also after one has failed, and sums up. The last
// line is "N passed, N failed". `npm test -- tsc eslint` runs only those steps,
// --list names them, --all adds the slow ones, as CI=true does.
import { RunError } from "./run.mjs";
import { steps } from "./steps.mjs";

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("--"));
const unknown = [
  ...names.filter((name) => !steps.some((step) => step.name === name)),
  ...args.filter((arg) => arg.startsWith("--") && !["--all", "--list"].includes(arg)),
];

if (unknown.length > 0) {
  console.error(`npm test: unknown: ${unknown.join(", ")}. Steps: ${steps.map((step) => step.name).join(", ")}`);
  process.exitCode = 2;
} else if (args.includes("--list")) {
  for (const step of steps) console.log(step.slow ? `${step.name} (slow)` : step.name);
} else {
  await runSteps(steps.filter(wanted));
}

/** @param {import("./steps.mjs").Step} step */
function wanted(step) {
  if (names.length > 0) return step.always === true || names.includes(step.name);
  return !step.slow || args.includes("--all") || process.env["CI"] === "true";
}

/** @param {import("./steps.mjs").Step[]} chosen */
async function runSteps(chosen) {
  /** @type {string[]} */
  const summary = [];
  let failed = 0;
  for (const step of chosen) {
    console.log(`\n=== ${step.name}`);
    const begin = performance.now();
    const err = await attempt(step);
    if (err !== undefined) {
      failed++;
      console.log(err);
    }
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    summary.push(`${err === undefined ? "ok  " : "FAIL"}  ${step.name.padEnd(15)} ${seconds.padStart(6)} s`);
    console.log(summary.at(-1));
  }
  console.log(`\n${summary.join("\n")}\n\n${chosen.length - failed} passed, ${failed} failed`);
  process.exitCode = failed === 0 ? 0 : 1;
}

/**
 * Runs a step and returns why it failed, if it did.
 *
 * @param {import("./steps.mjs").Step} step
 * @returns {Promise<string | undefined>}
 */
async function attempt(step) {
  try {
    await step.run();
    return undefined;
  } catch (err) {
    if (err instanceof RunError) return err.message;
    return err instanceof Error ? err.stack : String(err);
  }
}
