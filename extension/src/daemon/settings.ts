/** A value set by the user, with the setting's name without `winnow.`. */
export interface SetValue {
  name: string;
  /** undefined when the setting has its default. */
  value: unknown;
}

/**
 * Makes the object of the wire out of settings: dotted names become nested
 * objects.
 *
 * @param reset null for every setting that has its default, as
 *   settings/didChange wants it; initialize leaves them out.
 */
export function wireSettings(values: SetValue[], reset = false): Record<string, unknown> {
  const out: Record<string, unknown> = {};
  for (const { name, value } of values) {
    if (value === undefined && !reset) continue;
    const path = name.split(".");
    const last = path.pop() ?? name;
    let into = out;
    for (const key of path) into = section(into, key);
    into[last] = value ?? null;
  }
  return out;
}

/** The object under a key, which is made when there is none. */
function section(of: Record<string, unknown>, key: string): Record<string, unknown> {
  const existing = of[key];
  if (isRecord(existing)) return existing;
  const made: Record<string, unknown> = {};
  of[key] = made;
  return made;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/**
 * The dotted names of the values in a settings object that are not known.
 *
 * @param known the settings' names; what is under one is its value
 */
export function unknownNames(values: Record<string, unknown>, known: string[], prefix = ""): string[] {
  return Object.entries(values).flatMap(([key, value]) => {
    const name = prefix + key;
    if (known.includes(name)) return [];
    const isSection = known.some((other) => other.startsWith(`${name}.`));
    return isSection && isRecord(value) ? unknownNames(value, known, `${name}.`) : [name];
  });
}
