import * as vscode from "vscode";
import type { Row } from "./items";

const states = {
  never: vscode.TreeItemCollapsibleState.None,
  collapsed: vscode.TreeItemCollapsibleState.Collapsed,
  expanded: vscode.TreeItemCollapsibleState.Expanded,
};

/** Makes the item of a row. */
export function treeItem(row: Row): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label, states[row.expandable]);
  item.id = row.id;
  item.contextValue = row.context;
  if (row.description !== undefined) item.description = row.description;
  if (row.icon !== undefined) {
    item.iconPath = new vscode.ThemeIcon(
      row.icon.id,
      row.icon.color === undefined ? undefined : new vscode.ThemeColor(row.icon.color),
    );
  }
  if (row.tooltip !== undefined) item.tooltip = markdown(row.tooltip);
  if (row.checked !== undefined) {
    const { Checked, Unchecked } = vscode.TreeItemCheckboxState;
    item.checkboxState = {
      state: row.checked ? Checked : Unchecked,
      ...(row.checkboxTooltip !== undefined && { tooltip: row.checkboxTooltip }),
      accessibilityInformation: { label: `${row.label}, ${row.checked ? "on" : "off"}` },
    };
  }
  item.accessibilityInformation = { label: row.accessibility };
  return item;
}

/** Makes a tooltip. Its links are not followed: servers write into it. */
export function markdown(text: string): vscode.MarkdownString {
  return new vscode.MarkdownString(text, true);
}
