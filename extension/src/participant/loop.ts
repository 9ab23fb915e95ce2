import type { CancellationToken } from "vscode-jsonrpc";
import { type CallPart, type Message, type Part, type Tool, callsOf, text, textResult } from "../models/message";

/** The model that answers. */
export interface Model {
  /** Sends one request and streams the answer. */
  send(messages: readonly Message[], tools: readonly Tool[], token: CancellationToken): AsyncIterable<Part>;
}

/** The tools of a conversation. */
export interface Toolbox {
  /** What the next request offers. A call may change it. */
  list(): Tool[];
  /**
   * Makes a call. What goes wrong with it is a result for the model.
   *
   * @throws Error only when the user has cancelled
   */
  call(call: CallPart, token: CancellationToken): Promise<Part[]>;
}

/** What a loop works with. */
export interface Conversation {
  readonly model: Model;
  readonly tools: Toolbox;
  /** What was said so far, the new message last. What happens is added to it. */
  readonly messages: Message[];
  /** Most requests to the model. */
  readonly maxRounds: number;
  /** Receives the model's text as it streams. */
  readonly say: (text: string) => void;
  readonly token: CancellationToken;
}

/** How a loop ended: the model had no more calls, there were too many rounds, or the user cancelled. */
export type Ending = "answered" | "rounds" | "cancelled";

/** What the model is told of a call that was not made. */
const notMade = {
  rounds: "This call was not made: the limit of rounds for one message of the user was reached.",
  cancelled: "This call was not made: the user cancelled.",
};

/**
 * Lets the model work on the last message: asks it, makes its calls, asks it
 * again, until it calls nothing more. Whatever happens, each call in the
 * messages has its result, so that they can be sent again.
 *
 * @throws what the model throws
 */
export async function converse(conversation: Conversation): Promise<Ending> {
  const { messages, maxRounds, tools, token } = conversation;
  for (let round = 1; ; round++) {
    const calls = await ask(conversation);
    if (isCancelled(token)) return refuse(messages, calls, "cancelled");
    if (calls.length === 0) return "answered";
    if (round >= maxRounds) return refuse(messages, calls, "rounds");
    const results: Part[] = [];
    messages.push({ role: "user", parts: results });
    for (const call of calls) {
      const content = await made(tools, call, token);
      results.push({ kind: "result", callId: call.callId, content });
    }
    if (isCancelled(token)) return "cancelled";
  }
}

/** Asks the model once, adds its answer to the messages, and returns the calls in it. */
async function ask({ model, tools, messages, say, token }: Conversation): Promise<CallPart[]> {
  const parts: Part[] = [];
  const message: Message = { role: "assistant", parts };
  try {
    for await (const part of model.send([...messages], tools.list(), token)) {
      add(parts, part);
      if (part.kind === "text") say(part.text);
    }
  } catch (err) {
    if (!isCancelled(token)) throw err;
  }
  // An empty message is refused by some models.
  if (parts.length > 0) messages.push(message);
  return callsOf(parts);
}

/** Adds a part; text that streams in pieces is one part. */
function add(parts: Part[], part: Part): void {
  const last = parts.at(-1);
  if (part.kind === "text" && last?.kind === "text") last.text += part.text;
  else parts.push(part.kind === "text" ? text(part.text) : part);
}

async function made(tools: Toolbox, call: CallPart, token: CancellationToken): Promise<Part[]> {
  if (isCancelled(token)) return [text(notMade.cancelled)];
  try {
    return await tools.call(call, token);
  } catch (err) {
    if (!isCancelled(token)) throw err;
    return [text("The user cancelled this call. It may have done its work, or a part of it.")];
  }
}

/** Answers calls that are not made. */
function refuse(messages: Message[], calls: CallPart[], why: keyof typeof notMade): Ending {
  const parts = calls.map(({ callId }) => textResult(callId, notMade[why]));
  if (parts.length > 0) messages.push({ role: "user", parts });
  return why;
}

/** Reads the token now: what was read before an await may not hold after it. */
function isCancelled(token: CancellationToken): boolean {
  return token.isCancellationRequested;
}
