// Asks by a notification, which does not take the focus.

import * as vscode from "vscode";
import { plainMessage } from "../base/format";
import { answerTo } from "../base/question";

/** Fires with each question of the daemon that is shown as a notification, so that its chat can mention it. */
export const messageWaits = new vscode.EventEmitter<string>();

/**
 * Asks, with Skip as the first button. A notification cannot be removed: a click after the question has ended does
 * nothing, and a message says so.
 *
 * @returns the label of the button; undefined for Skip, after a timeout, and if token is cancelled
 */
export async function askAside(
  text: string,
  buttons: readonly string[],
  token: vscode.CancellationToken,
): Promise<string | undefined> {
  const shown = vscode.window.showWarningMessage(plainMessage(text), "Skip", ...buttons);
  const answer = await answerTo(shown, token);
  if (answer === undefined) {
    void shown.then((late) => {
      if (late !== undefined && late !== "Skip")
        void vscode.window.showInformationMessage(
          "This question was over already: its request was stopped, or it stood too long. Nothing was run by this answer.",
        );
    });
  }
  return answer !== undefined && buttons.includes(answer) ? answer : undefined;
}
