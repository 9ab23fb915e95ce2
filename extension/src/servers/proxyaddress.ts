// What can be said of the proxy's models without VS Code: whether an address is
// one of the proxy's, and which entries of VS Code's file are ours.
import { type Node, parseTree } from "../jsonc/jsonc";

/** The vendor, as the extension of VS Code's agent calls it. */
export const vendor = "customendpoint";

/** How the groups of models that we have written are called. */
export const groupName = "Winnow proxy";

/** Why an address can't be the proxy's; undefined when it can. */
export function wrongAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return "Write an address, as in http://127.0.0.1:4711/openai/v1/chat/completions.";
  const { protocol, hostname, pathname } = new URL(text);
  if (protocol !== "http:" || !["127.0.0.1", "localhost", "[::1]"].includes(hostname))
    return "The proxy serves http:// on this machine only, such as 127.0.0.1.";
  return pathname.includes("/NAME/")
    ? "Put an endpoint's name from your winnow/winnow.json in place of NAME."
    : undefined;
}

/** Where a proxy tells what it has sent and saved, from an address of a model behind it. */
export function statsAddress(url: string): string {
  const { origin, pathname } = new URL(url);
  // A proxy with a token serves only paths that begin with it.
  return `${origin}${/^\/t\/[^/]+/.exec(pathname)?.[0] ?? ""}/winnow/stats`;
}

/** The file without our entries, and how many there were; all else stays as it is written. */
export function withoutOurs(text: string): { text: string; removed: number } {
  for (let removed = 0; ; removed++) {
    const entries = parseTree(text)?.children ?? [];
    const at = entries.findLastIndex(isOurs);
    const entry = entries[at];
    if (entry === undefined) return { text, removed };
    const [before, after] = [entries[at - 1], entries[at + 1]];
    const end = entry.offset + entry.length;
    // One comma goes with it: that behind it, or before the last one.
    if (after !== undefined) text = text.slice(0, entry.offset) + text.slice(after.offset);
    else text = text.slice(0, before === undefined ? entry.offset : before.offset + before.length) + text.slice(end);
  }
}

function isOurs(entry: Node): boolean {
  const name = member(entry, "name");
  return member(entry, "vendor") === vendor && typeof name === "string" && name.startsWith(`${groupName}: `);
}

function member(entry: Node, name: string): unknown {
  return entry.children?.find(({ children }) => children?.[0]?.value === name)?.children?.[1]?.value;
}
