// What a place in winnow.json wants to be completed with. The schema completes
// keys and fixed values; names of servers and tools are known here only.

import { type JSONPath, getLocation } from "../../jsonc/jsonc";

/** What fits at a place. */
export type Wanted =
  /** Names of servers. */
  | { kind: "servers" }
  /** Names of the tools of a server. */
  | { kind: "tools"; server: string };

/** A place to complete, and what of the text a name replaces. */
export interface Completion {
  wanted: Wanted;
  /** The beginning and the end of what is replaced, as offsets. */
  from: number;
  to: number;
  /** A key has a colon and a value after it. */
  key: boolean;
}

const toolLists = ["onlyAllow", "disabledTools", "alwaysLoad", "alwaysAllow"];

const serverLists = ["allowedMcpServers", "blockedMcpServers"];

/** Finds what fits at an offset of a file's text; undefined where the schema knows all. */
export function completionAt(text: string, offset: number): Completion | undefined {
  const { path, previousNode: node, isAtPropertyKey: key } = getLocation(text, offset);
  const wanted = wantedAt(path, key);
  if (wanted === undefined) return undefined;
  const inNode =
    (node?.type === "string" || node?.type === "property") &&
    offset >= node.offset &&
    offset <= node.offset + node.length;
  return inNode
    ? { wanted, from: node.offset, to: node.offset + node.length, key }
    : { wanted, from: offset, to: offset, key };
}

function wantedAt([section, name, field, item]: JSONPath, key: boolean): Wanted | undefined {
  if (section === "servers" && typeof name === "string") {
    if (key && field === undefined) return { kind: "servers" };
    if (typeof field !== "string" || item === undefined) return undefined;
    if (!key && toolLists.includes(field)) return { kind: "tools", server: name };
    if (key && field === "toolDescriptionOverrides") return { kind: "tools", server: name };
  }
  if (section === "modes" && !key && typeof field === "string" && item !== undefined && serverLists.includes(field)) {
    return { kind: "servers" };
  }
  return undefined;
}
