// Stands in for messages towards the daemon, which finds a request's task by
// comparing digests and never needs the text.

import { createHash, type Hash } from "node:crypto";
import type { MessageDigest } from "../protocol/protocol.gen";
import { unwrapped } from "./history";
import { type Message, type Part, callsOf, resultsOf, text, textOf } from "./message";
import { customAgent, isSummary } from "./prompt";

/** Bytes of a digest on the wire, in base64 characters: enough that two messages of one chat never share it. */
const digestLength = 22;

/** What VS Code writes into a result beside an image, and from the next turn on in its place. */
const shownImage = /\n?\[Image (?:URI:|was previously shown)[^\]]*\]/g;

/** VS Code's agent adds this and a number to the ids of calls that it keeps. */
const idSuffix = /__vscode-\d+$/;

/** The id of a call as the model gave it. */
export function plainId(id: string): string {
  return id.replace(idSuffix, "");
}

/** Returns the digest and the role of each message of a request, and its calls as the model made them. */
export function digestsOf(messages: readonly Message[]): MessageDigest[] {
  return messages.map((message) => {
    const calls = callsOf(message.parts.map(unwrapped)).map(({ callId, name }) => ({ id: plainId(callId), name }));
    return {
      role: roleOf(message),
      digest: message.digest ?? digestOf(message),
      ...(isSummary(message) && { summary: true }),
      ...(calls.length > 0 && { calls }),
    };
  });
}

function digestOf(message: Message): string {
  const hash = createHash("sha256");
  const steady = message.role === "system" ? [text(steadyPart(textOf(message.parts)))] : message.parts;
  for (const part of steady) addPart(hash, part);
  return hash.digest("base64url").slice(0, digestLength);
}

/** A tool result comes in a user's message, and begins no turn. */
function roleOf(message: Message): string {
  return message.role === "user" && resultsOf(message.parts).length > 0 ? "tool" : message.role;
}

/** Adds what stays the same of a part when the chat goes on. */
function addPart(hash: Hash, part: Part): void {
  switch (part.kind) {
    case "text":
      hash.update(`t${part.text.length} `).update(part.text);
      break;
    case "call":
      hash.update(`c${part.callId} ${part.name} ${JSON.stringify(part.input)}`);
      break;
    case "result":
      // VS Code drops the images after their turn, and makes one text of what is left.
      hash.update(`r${part.callId} `).update(textOf(part.content).replace(shownImage, ""));
      break;
    case "data":
      if (part.mimeType !== "stateful_marker") hash.update(`d${part.mimeType} `).update(part.data);
      break;
    case "other":
      break; // thinking comes and goes
  }
}

/**
 * The part of a system prompt that stays the same in a chat: the agent's own words up to its first section. VS Code's
 * agent says in the sections which skills, instruction files and servers it has found by then, and in all of them what
 * holds of the tools that are there: the terminal's, say, come a moment after a reload.
 */
function steadyPart(prompt: string): string {
  const [begin = ""] = prompt.split("<", 1);
  return (begin.trim() === "" ? prompt : begin).replace(/\s+/g, " ");
}

/** What of the system prompt differs between models, and between windows, that run the same agent. */
const variable = /^.*(?:VSCODE_|you are using).*$/gm;

/**
 * Returns the daemon's id of a conversation: VS Code's own, and a digest of the agent, because a subagent shares the id.
 * The subagent that has no name of its own is the same agent: the daemon tells it from its chat by what it is asked.
 */
export function conversationOf(id: string, messages: readonly Message[]): string {
  const hash = createHash("sha256");
  for (const message of messages) {
    if (message.role === "system") hash.update(steadyPart(textOf(message.parts).replace(variable, "")));
  }
  hash.update(customAgent(messages) ?? "");
  return `${id}#${hash.digest("base64url").slice(0, digestLength)}`;
}
