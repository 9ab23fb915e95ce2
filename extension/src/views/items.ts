// What a row of a tree shows, without VS Code, so that it can be tested.

import type { Icon, Row as WireRow } from "../protocol/protocol.gen";

/** A row. The thin part makes a vscode.TreeItem of it. */
export interface Row extends WireRow {
  /** Stable, so that a refresh keeps what is open and selected. */
  id: string;
  expandable: "never" | "collapsed" | "expanded";
}

/** A product icon and a theme colour. */
export type RowIcon = Icon;
