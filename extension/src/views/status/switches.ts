// Switches routing and shadow mode in the user's settings.

import * as vscode from "vscode";

/** The scopes of a setting, the strongest first, with VS Code's name of its value there. */
const places = [
  { target: vscode.ConfigurationTarget.Workspace, key: "workspaceValue" },
  { target: vscode.ConfigurationTarget.Global, key: "globalValue" },
] as const;

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("winnow");
}

/** Reports whether routing is off. */
export function isRoutingOff(): boolean {
  return configuration().get<boolean>("enabled") === false || configuration().get("searchTurns") === 0;
}

/** Reports whether shadow mode is on. */
export function isShadow(): boolean {
  return configuration().get<boolean>("shadow") === true;
}

/** Switches routing where the setting is set, or else in the user's settings. */
export async function setRouting(on: boolean): Promise<void> {
  await set("enabled", on);
  if (!on) return;
  // An earlier way to turn it off, which still works.
  const turns = configuration().inspect<number>("searchTurns");
  for (const { target, key } of places) {
    if (turns?.[key] === 0) await configuration().update("searchTurns", undefined, target);
  }
}

/** Switches shadow mode where the setting is set, or else in the user's settings. */
export async function setShadow(on: boolean): Promise<void> {
  await set("shadow", on);
}

/** Writes a switch in the strongest scope that has it. In the user's settings a default value is removed. */
async function set(name: string, value: boolean): Promise<void> {
  const found = configuration().inspect<boolean>(name);
  const place = places.find(({ key }) => found?.[key] !== undefined);
  const isUsers = place?.key !== "workspaceValue";
  const written = isUsers && value === found?.defaultValue ? undefined : value;
  await configuration().update(name, written, place?.target ?? vscode.ConfigurationTarget.Global);
}
