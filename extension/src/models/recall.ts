// Takes up conversations of an earlier window: the daemon gets the state of the
// task, and the hidden rounds are remembered again, so that the prompt's
// beginning is the same as before the reload.

import { keepLatest } from "../latest";
import type { ConversationRouteParams, TaskState } from "../protocol.gen";
import type { ConversationFiles } from "./conversations";
import type { RoutingDaemon } from "./daemon";
import type { HiddenMemory } from "./hidden";

/** How many beginnings of conversations without an id are known, and how many tasks. Those used longest ago give way. */
const maxKnown = 1024;

/** Which conversation a request belongs to. */
export interface Place {
  facts: ConversationRouteParams;
  /** The digest of the messages up to each, as chainOf makes it. */
  chain: readonly string[];
}

/** What outlives the window of a conversation. */
export class Recall {
  readonly #files: ConversationFiles;
  readonly #daemon: RoutingDaemon;
  readonly #memory: HiddenMemory;
  readonly #onError: (err: unknown) => void;
  /** The conversations that this window has seen, and what was found of them: their titles. */
  readonly #seen = new Map<string, Promise<string | undefined>>();
  /** Under which key each task is kept. */
  readonly #keys = new Map<string, string>();

  /** @param onError takes why a conversation could not be taken up: it begins as a new task then */
  constructor(
    { files, daemon, memory }: { files: ConversationFiles; daemon: RoutingDaemon; memory: HiddenMemory },
    onError: (err: unknown) => void,
  ) {
    this.#files = files;
    this.#daemon = daemon;
    this.#memory = memory;
    this.#onError = onError;
  }

  /**
   * Takes up the conversation of a request, unless this window has seen it. The
   * daemon must have the request's list of tools.
   *
   * @returns the title that it had
   */
  async recall({ facts, chain }: Place): Promise<string | undefined> {
    // Without an id it is known by how it begins, the longest beginning first.
    const keys = facts.conversation === undefined ? [...chain].reverse().map(chainKey) : [idKey(facts.conversation)];
    const seen = keys.find((key) => this.#seen.has(key));
    if (seen !== undefined) return this.#seen.get(seen);
    const taking = this.#takeUp(keys, facts.source ?? "");
    const [key] = keys;
    if (key !== undefined) keepLatest(this.#seen, key, taking, maxKnown);
    return taking;
  }

  /** Notes where a conversation is now. */
  keep({ facts, chain }: Place, state: TaskState | null | undefined, title: string | undefined): void {
    if (state === null || state === undefined) return;
    const last = chain.at(-1);
    const key = facts.conversation === undefined ? last && chainKey(last) : idKey(facts.conversation);
    if (key === undefined) return;
    const before = this.#keys.get(state.task);
    if (before !== undefined && before !== key) this.#files.forget(before);
    keepLatest(this.#keys, state.task, key, maxKnown);
    keepLatest(this.#seen, key, Promise.resolve(title), maxKnown);
    const hidden = this.#memory.entries(state.task);
    this.#files.write(key, { ...(title !== undefined && { title }), state, hidden });
  }

  async #takeUp(keys: readonly string[], source: string): Promise<string | undefined> {
    try {
      for (const key of keys) {
        const kept = await this.#files.read(key);
        if (kept === undefined) continue;
        // The list of tools that it was made with is gone with the daemon that had it.
        await this.#daemon.resume({ ...kept.state, source });
        this.#memory.take(kept.state.task, kept.hidden);
        keepLatest(this.#keys, kept.state.task, key, maxKnown);
        return kept.title;
      }
    } catch (err) {
      this.#onError(err);
      // The daemon may not run now: what is kept must not be written over by a task that begins anew.
      const [key] = keys;
      if (key !== undefined) this.#seen.delete(key);
    }
    return undefined;
  }
}

function idKey(conversation: string): string {
  return `id ${conversation}`;
}

function chainKey(digest: string): string {
  return `chain ${digest}`;
}
