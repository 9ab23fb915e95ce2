// Turns routing off and on, and shadow mode, where the user's settings say so.

import * as vscode from "vscode";
import type { Winnow } from "../winnow";
import { type Level, type Values, levels, turnOff, turnOn } from "./switch";

const targets: Record<Level, vscode.ConfigurationTarget> = {
  workspace: vscode.ConfigurationTarget.Workspace,
  global: vscode.ConfigurationTarget.Global,
};

/** Where the value that 0 took the place of is remembered. */
const beforeKey = "winnow.searchTurns.before";

function configuration(): vscode.WorkspaceConfiguration {
  return vscode.workspace.getConfiguration("winnow");
}

/** Whether the user has turned routing off. */
export function isRoutingOff(): boolean {
  return configuration().get<number>("searchTurns") === 0;
}

/** Whether the user only watches. */
export function isShadow(): boolean {
  return configuration().get<boolean>("shadow") === true;
}

/** Turns routing off or on; on gives back the value that was there before. */
export async function setRouting({ context }: Winnow, on: boolean): Promise<void> {
  const values = valuesOf<number>("searchTurns");
  const memory = (level: Level) => (level === "global" ? context.globalState : context.workspaceState);
  const key = (level: Level) => `${beforeKey}.${level}`;
  if (!on) {
    const { write, before } = turnOff(values);
    await memory(write.level).update(key(write.level), before);
    await configuration().update("searchTurns", write.value, targets[write.level]);
    return;
  }
  const before: Values = {};
  for (const level of levels) {
    const value = memory(level).get<number>(key(level));
    if (value !== undefined) before[level] = value;
  }
  for (const { level, value } of turnOn(values, before)) {
    await configuration().update("searchTurns", value, targets[level]);
    await memory(level).update(key(level), undefined);
  }
}

/** Turns shadow mode on or off, where it is set, else for the user. */
export async function setShadow(on: boolean): Promise<void> {
  const values = valuesOf<boolean>("shadow");
  const level = levels.find((place) => values[place] !== undefined) ?? "global";
  await configuration().update("shadow", on, targets[level]);
}

/** What a setting has at each place. */
function valuesOf<T>(setting: string): Partial<Record<Level, T>> {
  const found = configuration().inspect<T>(setting);
  return {
    ...(found?.workspaceValue !== undefined && { workspace: found.workspaceValue }),
    ...(found?.globalValue !== undefined && { global: found.globalValue }),
  };
}
