// The user's decision about a call that may write.

import type { CallConsent } from "../protocol/protocol.gen";

/** A yes with its scope, or no. */
export type Consent = CallConsent | "skip";

/** The buttons for a yes. The first has the narrowest scope. */
export const buttons: Readonly<Record<string, CallConsent>> = {
  Allow: "once",
  "Allow in This Chat": "task",
  "Always Allow": "always",
};

/** VS Code's own question in the chat. It is undocumented and may disappear. */
export const questionTool = "vscode_get_confirmation_with_options";

/**
 * Decodes an answer of {@link questionTool}: the label of a button, or "yes" if the user lets VS Code run everything
 * without a question. Any other answer is no consent.
 */
export function consentOf(answer: string | undefined): Consent {
  if (answer === "yes") return "once";
  return Object.hasOwn(buttons, answer ?? "") ? (buttons[answer ?? ""] ?? "skip") : "skip";
}
