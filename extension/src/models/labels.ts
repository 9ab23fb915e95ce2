// The names of the servers in VS Code's mcp.json files. VS Code tells a tool's
// server in lower case and without spaces; the user's policies name it as the
// file does.

import { parse } from "../jsonc/jsonc";

/** The names of the servers in one file; none when it is broken, which VS Code tells its user. */
export function labelsIn(text: string): string[] {
  const file: unknown = parse(text, [], { allowTrailingComma: true });
  if (typeof file !== "object" || file === null || !("servers" in file)) return [];
  const { servers } = file;
  return typeof servers === "object" && servers !== null ? Object.keys(servers) : [];
}
