// What the panel and the extension say to each other.

import type { TaskUsageRowsResult } from "../../protocol/protocol.gen";
import type { ProxyRow } from "./proxy";

/** To the panel. */
export interface ToPanel {
  type: "state";
  /** Where there is nothing to show: what the user can do. */
  state: TaskPanel | string;
  /** The clients of winnowd proxy, which are no tasks of this window. */
  proxy: ProxyRow[];
}

/** The context of one task. */
export interface TaskPanel {
  /** The open tasks, newest first. */
  tasks: { id: string; label: string }[];
  task: string;
  usage: TaskUsageRowsResult;
}

/** From the panel. */
export type FromPanel =
  /** It can draw now. */
  | { type: "ready" }
  /** The person chose a task; the extension follows the newest one until then. */
  | { type: "select"; task: string }
  /** Save what is shown as JSON. */
  | { type: "export" }
  /** Begin the sums of the week anew. */
  | { type: "resetWeek" }
  /** Explain the tools of the task that is shown. */
  | { type: "why" };
