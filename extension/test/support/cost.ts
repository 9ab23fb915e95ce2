// What a request costs, counted again from what the model was sent.
import type { DaemonClient } from "../../src/daemon/client";
import { CatalogList, SetHostTools } from "../../src/protocol/protocol.gen";
import type { ModelTool } from "../scripted-model/script";

/** Counts tools as a daemon does: by name, in tokens. */
export async function toolCosts(daemon: DaemonClient, tools: readonly ModelTool[]): Promise<Map<string, number>> {
  // Winnow's own name is no server's to use; this one is as many tokens.
  const other = (name: string) => (name === "mcp_load" ? "mcp_open" : name);
  const listed = tools.map(({ name, description, inputSchema }) => ({
    server: "all",
    name: other(name),
    description,
    ...(inputSchema !== undefined && { inputSchema }),
  }));
  await daemon.request(SetHostTools, { source: "sent", tools: listed });
  const counted = await daemon.request(CatalogList, { source: "sent" });
  const tokens = new Map(counted.tools.map((tool) => [tool.name, tool.tokens]));
  return new Map(tools.map(({ name }) => [name, tokens.get(other(name)) ?? 0]));
}

/** The sum of some tools' tokens. */
export async function toolCost(daemon: DaemonClient, tools: readonly ModelTool[]): Promise<number> {
  return [...(await toolCosts(daemon, tools)).values()].reduce((sum, tokens) => sum + tokens, 0);
}

/** Tokens of so many bytes of what is not MCP's: four bytes are one. */
const tokensOf = (bytes: number) => Math.ceil(bytes / 4);

const size = (text: string) => Buffer.byteLength(text);

/** The tokens of tools that are not MCP's, by the size of their JSON. */
export function ownToolsCost(tools: readonly ModelTool[]): number {
  const cost = ({ name, description, inputSchema }: ModelTool) =>
    tokensOf(46 + size(name) + size(description) + (inputSchema === undefined ? 0 : size(JSON.stringify(inputSchema))));
  return tools.reduce((sum, tool) => sum + cost(tool), 0);
}
