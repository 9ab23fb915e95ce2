// Turns routing off and on, and shadow mode, where the user's settings say so.

import * as vscode from "vscode";

/** The places of a setting of the window, the strongest first, with what VS Code calls its value there. */
const places = [
  { target: vscode.ConfigurationTarget.Workspace, key: "workspaceValue" },
  { target: vscode.ConfigurationTarget.Global, key: "globalValue" },
] as const;

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("winnow");
}

/** Whether the user has turned routing off. */
export function isRoutingOff(): boolean {
  return configuration().get<boolean>("enabled") === false || configuration().get("searchTurns") === 0;
}

/** Whether the user only watches. */
export function isShadow(): boolean {
  return configuration().get<boolean>("shadow") === true;
}

/** Turns routing off or on, where it is set, else for the user. */
export async function setRouting(on: boolean): Promise<void> {
  await set("enabled", on);
  if (!on) return;
  // That was the way to turn it off before, and still is one.
  const turns = configuration().inspect<number>("searchTurns");
  for (const { target, key } of places) {
    if (turns?.[key] === 0) await configuration().update("searchTurns", undefined, target);
  }
}

/** Turns shadow mode on or off, where it is set, else for the user. */
export async function setShadow(on: boolean): Promise<void> {
  await set("shadow", on);
}

/** Writes a switch at the strongest place that has it. What says the same as the default is not left behind for the user. */
async function set(name: string, value: boolean): Promise<void> {
  const found = configuration().inspect<boolean>(name);
  const place = places.find(({ key }) => found?.[key] !== undefined);
  const isUsers = place?.key !== "workspaceValue";
  const written = isUsers && value === found?.defaultValue ? undefined : value;
  await configuration().update(name, written, place?.target ?? vscode.ConfigurationTarget.Global);
}
