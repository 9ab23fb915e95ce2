// Finds what the user typed in the messages of VS Code's agent, which wraps it
// in context: the date, open files, attachments, reminders. And the custom
// agent that they typed it to.

import { type Message, resultsOf, textOf } from "./message";

/** The tag around the user's own words: user_query for the Grok family, prompt in Ask mode. */
const request = /<(userRequest|user_query|prompt)>\n?([\s\S]*?)\n?<\/\1>\s*$/;

/** The last block before the user's words. */
const lastReminder = "</reminderInstructions>";

/** Blocks that the agent writes around the words, where it did not tag these. */
const blocks =
  /<(attachments|context|editorContext|reminderInstructions|environment_info|workspace_info|userMemory|sessionMemory|repoMemory|conversation-summary)>[\s\S]*?<\/\1>/g;

/**
 * Returns the user's own words of the newest message that is no tool result;
 * empty when there are none, as after /compact.
 */
export function userWords(messages: readonly Message[]): string {
  const newest = messages.findLast((message) => message.role === "user" && resultsOf(message.parts).length === 0);
  return newest === undefined ? "" : unwrap(textOf(newest.parts));
}

/** Returns the user's own words of one message's text. */
export function unwrap(text: string): string {
  const reminder = text.lastIndexOf(lastReminder);
  const tail = reminder < 0 ? text : text.slice(reminder + lastReminder.length);
  const tagged = request.exec(tail) ?? request.exec(text);
  return (tagged?.[2] ?? tail.replace(blocks, "")).trim();
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
