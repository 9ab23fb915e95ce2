// The names of the servers in VS Code's mcp.json files. VS Code lists a tool's server in lower case without spaces; the
// user's policies use the name in the file.

import { parse } from "../jsonc/jsonc";

/** Returns the names of the servers in one file; none if it is malformed, which VS Code reports. */
export function labelsIn(text: string): string[] {
  const file: unknown = parse(text, [], { allowTrailingComma: true });
  if (typeof file !== "object" || file === null || !("servers" in file)) return [];
  const { servers } = file;
  return typeof servers === "object" && servers !== null ? Object.keys(servers) : [];
}
