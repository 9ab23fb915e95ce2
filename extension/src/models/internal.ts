// Puts back into the messages of a request what the model did that VS Code
// never saw. The daemon remembers it, and says where it belongs.

import type { CallAnswer, InternalRounds } from "../protocol/protocol.gen";
import { type Message, type Part, textOf, textResult } from "./message";
import { type Revive, partsFromJson } from "./partjson";

/** Returns the messages of a request with what its history lacks. */
export function withInternal(
  messages: readonly Message[],
  internal: readonly InternalRounds[],
  revive: Revive,
): Message[] {
  const byMessage = new Map(internal.map((entry) => [entry.message, entry]));
  return messages.flatMap((message, i) => {
    const entry = byMessage.get(i);
    return entry === undefined ? [message] : restored(message, entry, revive);
  });
}

/** The results of calls that Winnow answered, a message each. */
export function answerMessages(answers: readonly CallAnswer[]): Message[] {
  return answers.map(({ call, text }) => ({ role: "user", parts: [textResult(call, text)] }));
}

/** VS Code has put the texts of all rounds into one message; each goes back to its own. */
function restored(
  message: Message,
  { rounds = [], calls = [], answers = [] }: InternalRounds,
  revive: Revive,
): Message[] {
  const before = rounds.map((round) => ({ parts: partsFromJson(round.parts, revive), answers: round.answers }));
  const said = before.flatMap(({ parts }) => parts);
  const own = withoutThinking(withoutText(message.parts, textOf(said)), said);
  const last = { ...message, parts: [...(own ?? message.parts), ...partsFromJson(calls, revive)] };
  return [
    ...before.flatMap((round): Message[] => {
      // What VS Code cut or changed is not said twice.
      const parts = own === undefined ? round.parts.filter(({ kind }) => kind !== "text") : round.parts;
      return [{ role: "assistant", parts }, ...answerMessages(round.answers)];
    }),
    last,
    ...answerMessages(answers),
  ];
}

/** Takes words from the beginning of the text among the parts; undefined when it does not begin with them. */
function withoutText(parts: readonly Part[], words: string): Part[] | undefined {
  if (words === "") return [...parts];
  if (!textOf(parts).startsWith(words)) return undefined;
  let rest = words.length;
  return parts.flatMap((part): Part[] => {
    if (part.kind !== "text" || rest === 0) return [part];
    const cut = Math.min(rest, part.text.length);
    rest -= cut;
    return cut === part.text.length ? [] : [{ kind: "text", text: part.text.slice(cut) }];
  });
}

/** Takes away the thinking that stands in an internal round already. */
function withoutThinking(parts: Part[] | undefined, said: readonly Part[]): Part[] | undefined {
  const thought = new Set(said.map((part) => (part.kind === "other" ? part.text : "")));
  return parts?.filter((part) => part.kind !== "other" || part.text === "" || !thought.has(part.text));
}
