import * as vscode from "vscode";
import type { ShowMessageParams } from "../protocol/protocol.gen";
import { openFile, openSetting } from "../window/open";
import { offer } from "../window/run";

/** Shows the daemon's messages with their next steps. */
export class Messages {
  readonly #log: vscode.LogOutputChannel;
  /** The messages on the screen: a file that is saved ten times causes one. */
  readonly #shown = new Set<string>();

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Handles window/showMessage. */
  async show(params: ShowMessageParams): Promise<void> {
    const where = place(params);
    const said = where === "" ? sentence(params.message) : `${where}${params.message}`;
    const text = params.next === undefined ? said : `${said}. ${sentence(params.next)}`;
    this.#log.info(text);
    if (this.#shown.has(text)) return;
    this.#shown.add(text);
    try {
      await offer(showers[params.type], text, this.#actions(params));
    } finally {
      this.#shown.delete(text);
    }
  }

  #actions({ type, file, line, column, setting, command }: ShowMessageParams): Record<string, () => unknown> {
    return {
      ...(file !== undefined && { "Open File": () => openFile(file, line, column) }),
      ...(setting !== undefined && { "Open Setting": () => openSetting(setting) }),
      ...(command !== undefined && { "Copy Command": () => vscode.env.clipboard.writeText(command) }),
      ...(type !== "info" && { "Show Log": () => this.#log.show() }),
    };
  }
}

/** Capitalizes a text: the daemon's texts may also follow a place or stand in parentheses. A name is unchanged. */
function sentence(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Returns the place, such as "notes/.vscode/winnow.json:3:10: "; empty if the message has no file. */
function place({ file, line, column }: ShowMessageParams): string {
  if (file === undefined) return "";
  const at = [line, column].filter((number) => number !== undefined).map((number) => `:${number}`);
  return `${vscode.workspace.asRelativePath(file)}${at.join("")}: `;
}

const showers: Record<ShowMessageParams["type"], (text: string, ...actions: string[]) => Thenable<string | undefined>> =
  {
    error: vscode.window.showErrorMessage,
    warning: vscode.window.showWarningMessage,
    info: vscode.window.showInformationMessage,
  };
