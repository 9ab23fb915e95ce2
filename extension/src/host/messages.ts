import * as vscode from "vscode";
import type { ShowMessageParams } from "../protocol/protocol.gen";
import { openFile, openSetting } from "../window/open";
import { offer } from "../window/run";

/** Shows what the daemon has to tell, with what the user can do about it. */
export class Messages {
  readonly #log: vscode.LogOutputChannel;
  /** What is on the screen now: a file that is saved ten times is told once. */
  readonly #shown = new Set<string>();

  constructor(log: vscode.LogOutputChannel) {
    this.#log = log;
  }

  /** Takes window/showMessage. */
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

/** Begins with a capital letter: the daemon's texts also stand behind a place, or in parentheses. A name stays as it is. */
function sentence(text: string): string {
  return /^[a-z]+[ ,]/.test(text) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}

/** Says where, as in "notes/.vscode/winnow.json:3:10: "; empty when the message is about no file. */
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
