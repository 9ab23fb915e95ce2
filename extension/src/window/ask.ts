// Asks by a notification, which takes no focus: whoever types goes on typing.

import * as vscode from "vscode";
import { plainMessage } from "../base/format";
import { answerTo } from "../base/question";

/** Fires with each question of the daemon's for which a message waits, so that its chat can say so. */
export const messageWaits = new vscode.EventEmitter<string>();

/**
 * Asks, with Skip as the first button. A notification cannot be taken away: a click that comes when the question is over
 * does nothing, and says so.
 *
 * @returns the words of the button; undefined for Skip, for no answer in time, and when token is cancelled
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
