// What the suites about routed models share: the twin, and what there is to
// say of a request that the model behind it got.
import assert from "node:assert/strict";
import type { ModelRequest } from "./api";

/** The model behind the twin, and the twin. */
export const bare = { vendor: "scripted", id: "scripted-one" };
export const twin = { vendor: "winnow", id: "scripted/scripted-one" };

/** Tools of the test servers, as VS Code names them: what they say, and that they ask nobody before they run. */
export const harmless: Record<string, { input: object; says: RegExp }> = {
  "mcp_everything_re_get-sum": { input: { a: 4, b: 5 }, says: /\b9\b/ },
  mcp_everything_re_echo: { input: { message: "parrot" }, says: /parrot/ },
  "mcp_everything_re_get-structured-content": { input: { location: "Chicago" }, says: /temperature/ },
  "mcp_everything_re_get-tiny-image": { input: {}, says: /image/ },
  "mcp_memory-server_read_graph": { input: {}, says: /entities/ },
  "mcp_secure-filesy_list_allowed_directories": { input: {}, says: /Allowed/ },
};

/** The names of the tools that a request offers. */
export const names = (request: ModelRequest | undefined) => request?.tools.map(({ name }) => name) ?? [];

/** MCP's tools of a request. */
export const attached = (request: ModelRequest | undefined) =>
  names(request).filter((name) => name.startsWith("mcp_") && !/^mcp_(load|search|call|result)$/.test(name));

/** A harmless tool that is not among some names: which these are depends on what was used before. */
export function missing(among: readonly string[]): string {
  const found = Object.keys(harmless).find((name) => !among.includes(name));
  assert.ok(found !== undefined, among.join(" "));
  return found;
}
