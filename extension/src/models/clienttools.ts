// What VS Code would send of MCP's tools by itself: the ones that it shows, and
// its groups. What Winnow saves is told against that.

import { keepLatest } from "../latest";
import type { ClientTools } from "../protocol.gen";
import { type SortedTools, isGroup } from "./hosttools";
import { type Message, callsOf } from "./message";

/** How many chats are remembered; of any other the daemon remembers it with the task. */
const maxChats = 64;

/** What VS Code would send, by chat. */
export class ClientLists {
  readonly #chats = new Map<string, ClientTools>();

  /**
   * Notes what a request offers. Where Winnow has opened groups in the chat, VS
   * Code shows more than it would, and what it showed before counts.
   *
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
