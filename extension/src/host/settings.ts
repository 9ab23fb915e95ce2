import * as vscode from "vscode";
import { type SetValue, unknownNames } from "../daemon/settings";

/** The section of our settings. */
const section = "winnow";

/**
 * Every setting of ours with the value that the user gave it, and what stands
 * under our section that is none of ours: the daemon tells the user of it.
 */
export function userSettings(context: vscode.ExtensionContext): SetValue[] {
  const { contributes } = context.extension.packageJSON as {
    contributes: { configuration: { properties: Record<string, unknown> } };
  };
  const names = Object.keys(contributes.configuration.properties).map((name) => name.slice(section.length + 1));
  const config = vscode.workspace.getConfiguration(section);
  const known = names.map((name) => ({ name, value: isSet(config, name) ? config.get<unknown>(name) : undefined }));
  const all = vscode.workspace.getConfiguration().get<Record<string, unknown>>(section, {});
  const unknown = unknownNames(all, names).map((name) => ({ name, value: config.get<unknown>(name) }));
  return [...known, ...unknown];
}

function isSet(config: vscode.WorkspaceConfiguration, name: string): boolean {
  const at = config.inspect(name);
  return [at?.globalValue, at?.workspaceValue, at?.workspaceFolderValue].some((value) => value !== undefined);
}
