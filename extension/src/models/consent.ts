// What a person says to a call that may change something.

import type { CallConsent } from "../protocol/protocol.gen";

/** A yes, and how far it reaches; or no. */
export type Consent = CallConsent | "skip";

/** The buttons that say yes. The first is the narrowest. */
export const buttons: Readonly<Record<string, CallConsent>> = {
  Allow: "once",
  "Allow in This Chat": "task",
  "Always Allow": "always",
};

/** VS Code's own question in the chat. It is not documented, and may be gone with any version. */
export const questionTool = "vscode_get_confirmation_with_options";

/**
 * Reads an answer of {@link questionTool}: the words of a button, or "yes" where the person lets VS Code run all without
 * a question. Whatever else it says, in any version, is no consent.
 */
export function consentOf(answer: string | undefined): Consent {
  if (answer === "yes") return "once";
  return Object.hasOwn(buttons, answer ?? "") ? (buttons[answer ?? ""] ?? "skip") : "skip";
}
