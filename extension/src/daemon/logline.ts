import type { LogLevel } from "../protocol/protocol.gen";

/** One line of the daemon's log. */
export interface LogLine {
  level: LogLevel;
  text: string;
}

/**
 * Reads a line that the daemon wrote to stderr. It logs in JSON (Go's
 * log/slog); whatever else is there, such as a panic, is kept as it is.
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

/** The level that slog writes in capitals; info where it is none of ours, such as "INFO+2". */
function levelOf(level: unknown): LogLevel {
  return (["debug", "warn", "error"] as const).find((each) => each.toUpperCase() === level) ?? "info";
}
