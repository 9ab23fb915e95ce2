// Reads what VS Code's agent tells in its messages: what the user asks, a
// summary, and the custom agent that is asked. Which of the text is the user's
// own words, the daemon says.

import { type Message, resultsOf, textOf } from "./message";

/** The text of the newest message that is no tool result, as VS Code's agent wrote it; empty when there is none. */
export function newestText(messages: readonly Message[]): string {
  const newest = messages.findLast((message) => message.role === "user" && resultsOf(message.parts).length === 0);
  return newest === undefined ? "" : textOf(newest.parts);
}

/** What /compact, and a full window, leave in place of the messages before. */
const summary = "<conversation-summary>";

/** Whether VS Code has put a message in place of others. */
export function isSummary({ role, parts }: Message): boolean {
  return role === "user" && textOf(parts).includes(summary);
}

/** How the agent tells the model that the user works with a custom agent, or another mode than the built-in ones. */
const custom = /<modeInstructions>\s*You are currently running in "(.+?)" mode\./;

/**
 * Returns the name of the custom agent that the user works with, as VS Code's
 * agent writes it into the system prompt: no API tells it. Undefined where it
 * writes none, and where a later VS Code writes it otherwise.
 */
export function customAgent(messages: readonly Message[]): string | undefined {
  for (const { role, parts } of messages) {
    const found = role === "system" ? custom.exec(textOf(parts)) : null;
    if (found !== null) return found[1];
  }
  return undefined;
}
