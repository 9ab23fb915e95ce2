import type { AttachReason } from "../protocol.gen";

/** Says for people why a tool was attached. */
export const reasonWords: Record<AttachReason, string> = {
  all: "every tool is attached",
  pinned: "always loaded",
  called: "called before",
  ranked: "ranked for the message",
  fill: "filled a free place",
  loaded: "loaded by the model",
  earlyCall: "called before it was attached",
};

/** Why a person is asked before a call. */
export function whyAsked(readOnly = false): string {
  return readOnly
    ? "Its server says that it only reads. Once you have let it run, that is believed."
    : "It may change something: its server does not say that it only reads.";
}
