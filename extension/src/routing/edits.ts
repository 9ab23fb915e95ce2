// Applies the daemon's edits to the messages of a request.

import type { CallAnswer, EditMessage, MessageEdit } from "../protocol/protocol.gen";
import { type Message, type Part, textResult } from "../chat/message";
import { type Revive, messageFromJson, partsFromJson } from "../chat/partjson";

/** Returns the messages with the edits. */
export function edited(messages: readonly Message[], edits: readonly MessageEdit[], revive: Revive): Message[] {
  const byMessage = new Map(edits.map((edit) => [edit.message, edit]));
  const written = (message: EditMessage) => messageFromJson(message, revive);
  return messages.flatMap((message, i) => {
    const { before = [], after = [], drop = false, parts } = byMessage.get(i) ?? {};
    const own = parts?.flatMap(({ keep, part }): readonly Part[] =>
      part === undefined ? message.parts.slice(keep, keep + 1) : partsFromJson([part], revive),
    );
    const kept = own === undefined ? message : { ...message, parts: own };
    return [...before.map(written), ...(drop ? [] : [kept]), ...after.map(written)];
  });
}

/** Returns the results of the calls that Winnow answered, one message each. */
export function answerMessages(answers: readonly CallAnswer[]): Message[] {
  return answers.map(({ call, text }) => ({ role: "user", parts: [textResult(call, text)] }));
}
