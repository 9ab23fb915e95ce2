import type { TaskSummary, TaskUsageResult } from "../../protocol.gen";

/** What the panel exports: the daemon's own numbers, without a word of the user's. */
export interface UsageExport {
  task: TaskSummary;
  model?: string;
  usage: TaskUsageResult;
}

/** Writes an export as it goes into a file. */
export function exportText(data: UsageExport): string {
  return `${JSON.stringify(data, undefined, 2)}\n`;
}
