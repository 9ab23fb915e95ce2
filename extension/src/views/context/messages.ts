// What the panel and the extension say to each other.

import type { PanelState } from "./model";

/** To the panel. */
export interface ToPanel {
  type: "state";
  state: PanelState;
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
