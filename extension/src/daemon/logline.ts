import type { LogLevel } from "../protocol/protocol.gen";

/** One line of the daemon's log. */
export interface LogLine {
  level: LogLevel;
  text: string;
}

/**
 * Parses a line of the daemon's stderr. The daemon logs JSON (Go's log/slog); other lines, such as a panic, are
 * returned as errors.
 */
export function parseLogLine(line: string): LogLine {
  let record: unknown;
  try {
    record = JSON.parse(line);
  } catch {
    return { level: "error", text: line };
  }
  if (typeof record !== "object" || record === null || !("msg" in record)) return { level: "error", text: line };
  const attributes = Object.entries(record)
    .filter(([key]) => !["time", "level", "msg"].includes(key))
    .map(([key, value]) => `${key}=${format(value)}`);
  return { level: levelOf("level" in record && record.level), text: [format(record.msg), ...attributes].join(" ") };
}

function format(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Returns the level of slog's name; info for others, such as "INFO+2". */
function levelOf(level: unknown): LogLevel {
  return (["debug", "warn", "error"] as const).find((each) => each.toUpperCase() === level) ?? "info";
}
