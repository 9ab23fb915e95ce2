import type { CancellationToken } from "vscode-jsonrpc";
import { type CallPart, type Message, type Part, callsOf, text } from "../chat/message";

/** The environment of a loop. */
export interface Conversation {
  /**
   * Sends a request to the model, reports the parts of its response, and resolves with the number of requests made.
   *
   * @throws what the model throws
   */
  readonly ask: (messages: readonly Message[], report: (part: Part) => void) => Promise<number>;
  /**
   * Makes a call. Errors are results for the model.
   *
   * @throws Error only if the user has cancelled
   */
  readonly call: (call: CallPart, token: CancellationToken) => Promise<Part[]>;
  /** The messages so far, the new message last. The loop appends to them. */
  readonly messages: Message[];
  /** The most requests to the model. */
  readonly maxRounds: number;
  /** Receives the model's text as it streams. */
  readonly say: (text: string) => void;
  readonly token: CancellationToken;
}

/** How a loop ended. */
export interface Ended {
  /** The model made no more calls, there were too many rounds, or the user cancelled. */
  ending: "answered" | "rounds" | "cancelled";
  /** The id of the call that the user cancelled while it ran. */
  interrupted?: string;
}

/**
 * Runs the model on the last message: sends a request, makes the calls, and repeats until there are no more calls. Calls
 * of the last response that were not made have no result in the messages.
 *
 * @throws what the model throws
 */
export async function converse(conversation: Conversation): Promise<Ended> {
  const { messages, maxRounds, call: make, token } = conversation;
  for (let rounds = 0; ;) {
    const { calls, asked } = await answerOf(conversation);
    rounds += asked;
    if (isCancelled(token)) return { ending: "cancelled" };
    if (calls.length === 0) return { ending: "answered" };
    if (rounds >= maxRounds) return { ending: "rounds" };
    const results: Part[] = [];
    messages.push({ role: "user", parts: results });
    for (const call of calls) {
      const { callId } = call;
      try {
        results.push({ kind: "result", callId, content: await make(call, token) });
      } catch (err) {
        if (!isCancelled(token)) throw err;
        return { ending: "cancelled", interrupted: callId };
      }
      if (isCancelled(token)) return { ending: "cancelled" };
    }
  }
}

/** Sends one request, appends the response to the messages, and returns its calls. */
async function answerOf({ ask, messages, say, token }: Conversation): Promise<{ calls: CallPart[]; asked: number }> {
  const parts: Part[] = [];
  let asked = 1;
  try {
    asked = await ask([...messages], (part) => {
      add(parts, part);
      if (part.kind === "text") say(part.text);
    });
  } catch (err) {
    if (!isCancelled(token)) throw err;
  }
  // Some models refuse a message without text.
  if (parts.some(({ kind }) => kind !== "other")) messages.push({ role: "assistant", parts });
  return { calls: callsOf(parts), asked };
}

/** Appends a part; streamed text becomes one part. */
function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.kind === "text" && last?.kind === "text") last.text += part.text;
  else if (part.kind !== "text" || part.text !== "") parts.push(part.kind === "text" ? text(part.text) : part);
}

/** Reads the token again: an earlier value may be outdated after an await. */
function isCancelled(token: CancellationToken): boolean {
  return token.isCancellationRequested;
}
