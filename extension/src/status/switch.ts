// Turning routing off and on again: winnow.searchTurns becomes 0 where it is
// set, and goes back to what it was. Pure; routing.ts carries it out.

/** The places of a setting of the window, the strongest first. */
export const levels = ["workspace", "global"] as const;

/** A place of a setting. */
export type Level = (typeof levels)[number];

/** What a setting has at each place; a place without a value is left out. */
export type Values = Partial<Record<Level, number>>;

/** A value to write; undefined takes it away. */
export interface Write {
  level: Level;
  value: number | undefined;
}

/**
 * Decides where to write 0: at the strongest place that has a value, else for
 * the user.
 *
 * @returns the write, and what to remember of the place for later
 */
export function turnOff(values: Values): { write: Write; before: number | undefined } {
  const level = levels.find((place) => values[place] !== undefined) ?? "global";
  return { write: { level, value: 0 }, before: values[level] };
}

/**
 * Decides what to write so that routing is on: each place that says 0 goes back
 * to what it was, or to nothing.
 *
 * @param before what was remembered of each place
 */
export function turnOn(values: Values, before: Values): Write[] {
  return levels
    .filter((level) => values[level] === 0)
    .map((level) => ({ level, value: before[level] === 0 ? undefined : before[level] }));
}
