// What VS Code would send of MCP's tools by itself: the ones that it shows, and
// its groups. What Winnow saves is told against that.

import { createHash } from "node:crypto";
import { keepLatest } from "../base/latest";
import type { ClientTools } from "../protocol/protocol.gen";
import { digestsOf } from "./digests";
import { type SortedTools, isGroup, lastWords } from "./hosttools";
import { type Message, callsOf } from "./message";

/** How many chats are remembered; of any other the daemon remembers it with the task. */
const maxChats = 64;

/**
 * Names the chat of a request that has no name of its own, for as long as it is
 * about the same words of the user: by all that was said until then.
 */
export function chatKey(messages: readonly Message[]): string {
  const said = digestsOf(messages.slice(0, lastWords(messages) + 1));
  const hash = createHash("sha256");
  for (const { digest } of said) hash.update(digest);
  return `#${hash.digest("base64url")}`;
}

/** What VS Code would send, by chat. */
export class ClientLists {
  readonly #chats = new Map<string, ClientTools>();

  /**
   * Notes what a request offers. Where Winnow has opened groups in the chat, VS
   * Code shows more than it would, and what it showed before counts.
   *
   * @param chat names the chat, or what is there of one that has no name of its own; see {@link chatKey}
   * @param opens whether Winnow opens groups in this chat
   */
  see(chat: string, messages: readonly Message[], { mcp, groups }: SortedTools, opens: boolean): void {
    if (opens && messages.some(({ parts }) => callsOf(parts).some(({ name }) => isGroup(name)))) return;
    keepLatest(this.#chats, chat, { visible: mcp.map(({ name }) => name), groups }, maxChats);
  }

  /**
   * What VS Code would send in a chat; undefined where that is not known here.
   *
   * @param opened the names of the tools behind groups, as far as they were opened since the user's last words
   */
  of(chat: string, opened: ReadonlyMap<string, readonly string[]>): ClientTools | undefined {
    const known = this.#chats.get(chat);
    if (known === undefined) return undefined;
    const groups = (known.groups ?? []).map((group) => {
      const hides = opened.get(group.name);
      return hides === undefined ? group : { ...group, hides: [...hides] };
    });
    const now = { ...known, groups };
    this.#chats.set(chat, now);
    return now;
  }
}
