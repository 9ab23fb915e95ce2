// The content of a tree's row, without VS Code, for tests.

import type { Icon, Row as WireRow } from "../protocol/protocol.gen";

/** A row. treeItem makes a vscode.TreeItem of it. */
export interface Row extends WireRow {
  /** Stable, so that a refresh keeps expansion and selection. */
  id: string;
  expandable: "never" | "collapsed" | "expanded";
}

/** A product icon and a theme colour. */
export type RowIcon = Icon;
