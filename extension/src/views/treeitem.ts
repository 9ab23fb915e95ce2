import * as vscode from "vscode";
import type { Row, RowIcon } from "./items";

const states = {
  never: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
};

/** Returns the tree item of a row. */
export function treeItem(row: Row): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, states[row.expandable]);
  item.id = row.id;
  if (row.context !== undefined) item.contextValue = row.context;
  if (row.description !== undefined) item.description = row.description;
  if (row.icon !== undefined) item.iconPath = themeIcon(row.icon);
  if (row.tooltip !== undefined) item.tooltip = markdown(row.tooltip);
  if (row.checked !== undefined) {
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
    item.checkboxState = {
      state: row.checked ? Checked : Unchecked,
      ...(row.checkboxTooltip !== undefined && { tooltip: row.checkboxTooltip }),
      accessibilityInformation: { label: `${row.name ?? row.label}, ${row.checked ? "on" : "off"}` },
    };
  }
  item.accessibilityInformation = { label: row.accessibility };
  return item;
}

/** Returns a tooltip. It is not trusted, because servers write parts of it. */
export function markdown(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(text, true);
}

/** Returns a product icon in a theme colour. */
export function themeIcon({ id, color }: RowIcon): vscode.ThemeIcon {
  return new vscode.ThemeIcon(id, color === undefined ? undefined : new vscode.ThemeColor(color));
}
