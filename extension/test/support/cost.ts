// What a request costs, counted again from what the model was sent.
import { formatNumber } from "../../src/base/format";
import type { DaemonClient } from "../../src/daemon/client";
import { CatalogList, ConversationRoute, type MessagePart, SetHostTools } from "../../src/protocol/protocol.gen";
import type { ModelPart, ModelRequest, ModelTool } from "../scripted-model/script";

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

/** Whether a tool is MCP's, or Winnow's own. */
export const isMcp = ({ name }: ModelTool) => /^(?:mcp|activate)_/.test(name);

/** What a request holds besides the tools of MCP, by section: as a daemon counts it that is handed what the model was sent. */
export async function sentSections(
  daemon: DaemonClient,
  { messages, tools }: ModelRequest,
): Promise<Map<string, number>> {
  const own = tools.filter((tool) => !isMcp(tool));
  const any = { name: "mcp_any_tool", description: "Makes the request one of a task." };
  await daemon.request(SetHostTools, {
    source: "sent:listing",
    tools: [{ server: "", ...any, tags: ["mcp"] }],
    listing: { servers: ["any"] },
  });
  const { sections = [] } = await daemon.request(ConversationRoute, {
    source: "sent:listing",
    conversation: "sent",
    initiator: "github.copilot-chat",
    // The system prompt comes first, and as a user's message: only VS Code's own extensions may send it as one.
    messages: messages.map(({ role, parts }, i) => ({ role: i === 0 ? "system" : role, parts: parts.map(digestPart) })),
    tools: [...own, any],
  });
  return new Map(sections.map(({ name, tokens }) => [name, tokens]));
}

function digestPart(part: ModelPart): MessagePart {
  switch (part.kind) {
    case "text":
    case "call":
      return part;
    case "result":
      return { kind: "result", callId: part.callId, content: part.parts.map(digestPart) };
    case "data":
      return { kind: "data", mimeType: part.mimeType, length: Buffer.from(part.base64, "base64").length };
    case "other":
      return { kind: "other" };
  }
}

/** What the status bar's tooltip says of a request with so many tokens of MCP tools and of Winnow's own. */
export const carried = (mcp: number, own: number): string =>
  `carry ${formatNumber(mcp)} tokens of MCP tools${own === 0 ? "" : ` and ${formatNumber(own)} of Winnow's own`}.`;
