import type { Row as WordedRow } from "../protocol.gen";

/** A row of a tree: what it says, and what VS Code has to know of it. */
export interface Row extends WordedRow {
  /** Stable, so that a refresh keeps what is open and selected. */
  id: string;
  expandable: "never" | "collapsed" | "expanded";
}

export type { Icon as RowIcon } from "../protocol.gen";
