import type { Prepared } from "./prepare.mjs";

export type { Prepared };

/**
 * Returns what prepare.mjs made.
 *
 * @throws Error when the tests were not started by their step of npm test
 */
export function prepared(): Prepared {
  const json = process.env["WINNOW_PREPARED"];
  if (json === undefined) {
    throw new Error("these tests need a VS Code that their step prepares; run: npm test -- exthost ui");
  }
  return JSON.parse(json) as Prepared;
}
