// Runs in the extension host, where VS Code calls run(): every suite beside
// this file, by Mocha. What Mocha says goes to the file WINNOW_TEST_OUTPUT, as
// the extension host's own output is full of VS Code's.
import Mocha from "mocha";
import { appendFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { format } from "node:util";

/** How long one test may take, in milliseconds: it bounds a failing test. */
const timeout = 90_000;

/** @throws Error when a test failed; VS Code tells run.ts so */
export function run(): Promise<void> {
  const output = process.env["WINNOW_TEST_OUTPUT"] ?? "";
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => appendFileSync(output, `${format(...args)}\n`);
  const mocha = new Mocha({ ui: "tdd", color: false, timeout, forbidOnly: true });
  const grep = process.env["WINNOW_TEST_GREP"];
  if (grep !== undefined) mocha.grep(new RegExp(grep));
  const suites = readdirSync(__dirname).filter((file) => file.endsWith(".suite.js"));
  for (const file of suites.sort()) mocha.addFile(path.join(__dirname, file));
  return new Promise((resolve, reject) => {
    mocha.run((failures) => {
      if (failures === 0) resolve();
      else reject(new Error(`${failures} tests failed`));
    });
  });
}
