// What a row of a tree shows, without VS Code, so that it can be tested.

/** A row. The thin part makes a vscode.TreeItem of it. */
export interface Row {
  /** Stable, so that a refresh keeps what is open and selected. */
  id: string;
  label: string;
  /** Shown after the label, dimmed. */
  description?: string;
  /** Markdown. */
  tooltip?: string;
  icon?: RowIcon;
  /** For menus: words between dots, as in `server.ready.consent`. */
  context: string;
  /** Present where the row has a checkbox. */
  checked?: boolean;
  /** What the checkbox does, for its tooltip. */
  checkboxTooltip?: string;
  /** What a screen reader says: all that the eye sees, in words. */
  accessibility: string;
  expandable: "never" | "collapsed" | "expanded";
}

/** A product icon and a theme colour. */
export interface RowIcon {
  id: string;
  color?: string;
}
