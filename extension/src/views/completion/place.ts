// The kind of completion at a place in winnow.json. The schema completes keys and fixed values; names of servers and
// tools are completed here.

import { type JSONPath, getLocation } from "../../jsonc/jsonc";

/** The kind of completion. */
export type Wanted =
  /** Names of servers. */
  | { kind: "servers" }
  /** Names of the tools of a server. */
  | { kind: "tools"; server: string };

/** A place to complete, and the text that a name replaces. */
export interface Completion {
  wanted: Wanted;
  /** The replaced range, as offsets. */
  from: number;
  to: number;
  /** Whether it is a key, which is followed by a colon and a value. */
  key: boolean;
}

const toolLists = ["onlyAllow", "disabledTools", "alwaysLoad", "alwaysAllow"];

const serverLists = ["allowedMcpServers", "blockedMcpServers"];

/** Returns the completion at an offset of a file's text; undefined if the schema suffices. */
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
