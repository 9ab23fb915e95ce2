// VS Code puts a prefix before the name of each MCP tool, of at most 18
// characters: mcp_github_create_issue. Where the server stands beside the tool,
// the prefix only takes the place of what a person looks for.

/** The longest prefix that VS Code gives, the last underscore included. */
const longest = 18;

/**
 * Finds the prefix that VS Code gave to the tools of one server.
 *
 * @param names the names of all its tools; the more, the surer
 * @returns the prefix; empty where the names have none
 */
export function prefixOf(names: readonly string[]): string {
  const [first, ...others] = names;
  if (first?.startsWith("mcp_") !== true) return "";
  let shared = first.slice(0, longest);
  for (const name of others) while (!name.startsWith(shared)) shared = shared.slice(0, -1);
  const end = shared.lastIndexOf("_") + 1;
  return end > "mcp_".length && names.every(({ length }) => length > end) ? shared.slice(0, end) : "";
}

/** What VS Code has put before the names of each server's tools. */
export function prefixesOf(tools: readonly { server: string; name: string }[]): Map<string, string> {
  const names = new Map<string, string[]>();
  for (const { server, name } of tools) {
    const known = names.get(server);
    if (known === undefined) names.set(server, [name]);
    else known.push(name);
  }
  return new Map([...names].map(([server, its]) => [server, prefixOf(its)]));
}

/** The part of a tool's name that a person looks for. */
export function shortName(name: string, prefix: string): string {
  return name.startsWith(prefix) ? name.slice(prefix.length) : name;
}
