// Finds what the user typed in the messages of VS Code's agent, which wraps it
// in context: the date, open files, attachments, reminders.

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
