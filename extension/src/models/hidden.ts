// Remembers what a model did that VS Code never saw, such as calls of mcp_load,
// and puts it back into later requests: the model remembers what it loaded, and
// the prompt's beginning stays the same for its cache.

import { keepLatest } from "../latest";
import { type CallPart, type Message, type Part, type ResultPart, callsOf, textOf } from "./message";

/** What was hidden from VS Code in one request. */
export interface HiddenRounds {
  /** Whole rounds before the answer that VS Code got: an assistant's message, then the results. */
  rounds: readonly Message[];
  /** Calls in the last message, beside those that VS Code got, with their results. */
  calls: readonly CallPart[];
  results: readonly ResultPart[];
}

/** Where the answer is found again. */
export interface Anchor {
  /** The digest of the request's messages. */
  chain: string;
  /** The ids of the calls that VS Code got. */
  callIds: readonly string[];
}

/** What was hidden in one answer, and where it belongs. */
export interface HiddenEntry extends HiddenRounds {
  readonly anchor: Anchor;
}

/** How many answers of a conversation, and how many conversations, are kept. Those used longest ago give way. */
const maxEntries = 64;
const maxConversations = 32;

/** VS Code's agent adds this and a number to the ids of calls that it keeps. */
const idSuffix = /__vscode-\d+$/;

/** The hidden rounds of all conversations. */
export class HiddenMemory {
  readonly #tasks = new Map<string, readonly HiddenEntry[]>();

  /** Notes what was hidden in the answer to one request of a task. */
  keep(task: string, anchor: Anchor, hidden: HiddenRounds): void {
    if (hidden.rounds.length === 0 && hidden.calls.length === 0) return;
    const entries = this.entries(task).filter((entry) => entry.anchor.chain !== anchor.chain);
    this.take(task, [...entries, { ...hidden, anchor }].slice(-maxEntries));
  }

  /** All that was hidden in a task, oldest first. It is never changed, only replaced. */
  entries(task: string): readonly HiddenEntry[] {
    return this.#tasks.get(task) ?? [];
  }

  /** Takes what was hidden in a task, such as that of an earlier window. */
  take(task: string, entries: readonly HiddenEntry[]): void {
    keepLatest(this.#tasks, task, entries, maxConversations);
  }

  /**
   * Returns the messages of a later request with what was hidden.
   *
   * @param chain the digest of the messages up to each, as chainOf makes it
   */
  restore(task: string, messages: readonly Message[], chain: readonly string[]): Message[] {
    const entries = this.entries(task);
    if (entries.length === 0) return [...messages];
    return messages.flatMap((message, i) => {
      if (message.role !== "assistant") return [message];
      const entry = find(entries, message, chain[i - 1]);
      return entry === undefined ? [message] : withHidden(message, entry);
    });
  }
}

/** Finds what was hidden before an assistant's message: by its calls, or for a mere text by its place. */
function find(entries: readonly HiddenEntry[], message: Message, before: string | undefined): HiddenEntry | undefined {
  const ids = callsOf(message.parts).map((call) => plainId(call.callId));
  if (ids.length === 0) {
    return entries.find(({ anchor }) => anchor.callIds.length === 0 && anchor.chain === before);
  }
  return entries.find(({ anchor }) => anchor.callIds.some((id) => ids.includes(plainId(id))));
}

function plainId(id: string): string {
  return id.replace(idSuffix, "");
}

/** VS Code has put the texts of all rounds into one message; each goes back to its own. */
function withHidden(message: Message, entry: HiddenEntry): Message[] {
  const said = entry.rounds.filter(({ role }) => role === "assistant").flatMap(({ parts }) => parts);
  const parts = withoutThinking(withoutText(message.parts, textOf(said)), said);
  // What VS Code cut or changed is not said twice.
  const whole = parts !== undefined;
  const rounds = whole ? entry.rounds : entry.rounds.map(withoutWords);
  const last = { ...message, parts: [...(parts ?? message.parts), ...entry.calls] };
  const results = entry.results.map((result): Message => ({ role: "user", parts: [result] }));
  return [...rounds, last, ...results];
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

/** Takes away the thinking that stands in a hidden round already. */
function withoutThinking(parts: Part[] | undefined, said: readonly Part[]): Part[] | undefined {
  const thought = new Set(said.map((part) => (part.kind === "other" ? part.text : "")));
  return parts?.filter((part) => part.kind !== "other" || part.text === "" || !thought.has(part.text));
}

function withoutWords(message: Message): Message {
  return { ...message, parts: message.parts.filter((part) => part.kind !== "text") };
}
