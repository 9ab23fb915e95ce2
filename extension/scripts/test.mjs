// npm test: runs every step, also after one has failed, and sums up. The last
// line is "N passed, N failed", and ", N skipped" where a step can't run here.
// `npm test -- tsc eslint` runs only those steps, --list names them, --nightly runs
// those of the night. `npm test -- quick` is for daily work.
import { RunError, Skipped, inBackground } from "./run.mjs";
import { steps } from "./steps.mjs";

const args = process.argv.slice(2);
const names = args.filter((arg) => !arg.startsWith("--"));
const unknown = [
  ...names.filter((name) => !steps.some((step) => step.name === name)),
  ...args.filter((arg) => arg.startsWith("--") && !["--nightly", "--list"].includes(arg)),
];

if (unknown.length > 0) {
  console.error(`npm test: unknown: ${unknown.join(", ")}. Steps: ${steps.map((step) => step.name).join(", ")}`);
  process.exitCode = 2;
} else if (args.includes("--list")) {
  for (const step of steps)
    console.log(`${step.name}${step.nightly ? " (nightly)" : ""}${step.named ? " (only by name)" : ""}`);
} else {
  await runSteps(steps.filter(wanted));
}

/** @param {import("./steps.mjs").Step} step */
function wanted(step) {
  if (names.length > 0) return step.always === true || names.includes(step.name);
  if (step.named === true) return false;
  return step.always === true || (step.nightly ?? false) === args.includes("--nightly");
}

/** @param {import("./steps.mjs").Step[]} chosen */
async function runSteps(chosen) {
  /** @type {string[]} */
  const summary = [];
  const counts = { "ok  ": 0, FAIL: 0, skip: 0 };

  /**
   * @param {import("./steps.mjs").Step} step
   * @param {string[]} [written] where its output goes until it has ended, for one in the background
   */
  const runStep = async (step, written) => {
    if (written === undefined) console.log(`\n=== ${step.name}`);
    const begin = performance.now();
    const { outcome, why } = await attempt(step, written);
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    counts[outcome]++;
    const line = `${outcome}  ${step.name.padEnd(15)} ${seconds.padStart(6)} s`;
    summary.push(line);
    if (written !== undefined) console.log(`\n=== ${step.name}, in the background\n${written.join("").trimEnd()}`);
    if (why !== undefined) console.log(why);
    console.log(line);
  };

  const all = names.length === 0;
  const first = chosen.filter((step) => step.always);
  const beside = chosen.filter((step) => all && step.beside);
  for (const step of first) await runStep(step);
  await Promise.all([
    (async () => {
      for (const step of chosen) if (!first.includes(step) && !beside.includes(step)) await runStep(step);
    })(),
    (async () => {
      for (const step of beside) await runStep(step, []);
    })(),
  ]);
  const skipped = counts.skip === 0 ? "" : `, ${counts.skip} skipped`;
  console.log(`\n${summary.join("\n")}\n\n${counts["ok  "]} passed, ${counts.FAIL} failed${skipped}`);
  process.exitCode = counts.FAIL === 0 ? 0 : 1;
}

/**
 * Runs a step and returns how it ended, and why when it was not well.
 *
 * @param {import("./steps.mjs").Step} step
 * @param {string[]} [written] its output, for one in the background
 * @returns {Promise<{ outcome: "ok  " | "FAIL" | "skip", why?: string | undefined }>}
 */
async function attempt(step, written) {
  try {
    await (written === undefined ? step.run() : inBackground(written, step.run));
    return { outcome: "ok  " };
  } catch (err) {
    if (err instanceof Skipped) return { outcome: "skip", why: err.message };
    if (err instanceof RunError) return { outcome: "FAIL", why: err.message };
    return { outcome: "FAIL", why: err instanceof Error ? err.stack : String(err) };
  }
}
