// Answers one request to a routed model: decides whether it is one of a task,
// finds out which tools there are, and asks the daemon what to attach.

import { randomUUID } from "node:crypto";
import type { ClientTools, ConversationRouteParams } from "../protocol/protocol.gen";
import { Answer } from "./answer";
import type { ChatHost, ChatRequest, Routing } from "./chat";
import { chatKey } from "./clienttools";
import { digestsOf } from "./digests";
import { cleaned, isMarker } from "./history";
import {
  type HostList,
  type SortedTools,
  behind,
  hiddenTools,
  hostList,
  revealRounds,
  revealedBy,
  sortTools,
} from "./hosttools";
import type { Tool } from "./message";
import { customAgent, newestText } from "./prompt";
import type { RoutedRequest } from "./routedrequest";

/** How often one message asks VS Code what its groups hide; groups may nest. */
const maxRevealRounds = 3;

/** What a message says that asks for a summary, in a request without a conversation. */
const summarize = "Summarize the conversation history";

/** Answers one request. */
export async function respond(routing: Routing, request: ChatRequest, host: ChatHost): Promise<void> {
  const listing = routing.listing();
  const sorted = sortTools(request.tools, listing);
  if (!isRoutable(request, sorted, sorted.proxy && routing.hasOwn())) {
    await passThrough(request, sorted, host);
    return;
  }
  const revealed = revealedBy(request.messages);
  const state = routing.state();
  const reveals = sorted.proxy && state === "on";
  const client = request.conversation ?? chatKey(request.messages);
  routing.clients?.see(client, request.messages, sorted, reveals);
  const unknown = reveals ? sorted.groups.filter((group) => !revealed.has(group.name)) : [];
  if (unknown.length > 0 && revealRounds(request.messages) < maxRevealRounds) {
    for (const { name } of unknown) host.report({ kind: "call", callId: `winnow-${randomUUID()}`, name, input: {} });
    return;
  }
  const always = sorted.mcp.filter(({ name }) => request.always?.has(name) === true);
  const native = [...sorted.native, ...(reveals ? [] : sorted.groups), ...always];
  const hidden = reveals ? hiddenTools(sorted, revealed, listing) : state === "shadow" ? behind(sorted, listing) : [];
  const list = hostList([...sorted.mcp, ...hidden], listing, sorted.proxy);
  const facts = factsOf(request, native, list.source, routing.clients?.of(client, revealed));
  const visible = new Set(request.tools.map((tool) => tool.name));
  try {
    const routed = await attach(routing, request, list, facts);
    if (routed === undefined) await passThrough(request, sorted, host);
    else await new Answer(routing, request, host, { listing, native, visible, routed, keepGroups: !reveals }).run();
  } catch (err) {
    if (!request.token.isCancellationRequested) throw err; // what ends then, ends because VS Code said so
  }
}

/** Asks the daemon what to attach; undefined when it cannot tell, and the chat has to do without. */
async function attach(
  { daemon, failed }: Routing,
  { token }: ChatRequest,
  list: HostList,
  facts: ConversationRouteParams,
): Promise<RoutedRequest | undefined> {
  try {
    return await daemon.route(list, facts, token);
  } catch (err) {
    if (token.isCancellationRequested) throw err;
    failed(err);
    return undefined;
  }
}

/**
 * Tells whether a request is one of a task that is not routed yet: there are
 * MCP's tools for it, and it is no chore of VS Code's agent, which names the conversation
 * in all others.
 */
function isRoutable(request: ChatRequest, { mcp, groups }: SortedTools, hasOwn: boolean): boolean {
  if (request.fromWinnow || (mcp.length + groups.length === 0 && !hasOwn)) return false;
  if (request.conversation !== undefined) return true;
  return !request.fromAgent && !newestText(request.messages).includes(summarize);
}

/** Forwards a request with what it offers, except the tool that only routed requests know how to use. */
async function passThrough(request: ChatRequest, sorted: SortedTools, host: ChatHost): Promise<void> {
  const own = new Set([...sorted.native, ...sorted.groups, ...sorted.mcp].map((tool) => tool.name));
  const tools = request.tools.filter((tool) => own.has(tool.name));
  for await (const part of await host.send(cleaned(request.messages), tools)) {
    if (!isMarker(part)) host.report(part);
  }
}

/** What the daemon needs to know of a request. */
function factsOf(
  request: ChatRequest,
  native: readonly Tool[],
  source: string,
  client: ClientTools | undefined,
): ConversationRouteParams {
  const { messages, model, conversation } = request;
  const agent = request.fromAgent ? customAgent(messages) : undefined;
  return {
    ...(conversation !== undefined && { conversation }),
    ...(client !== undefined && { client }),
    messages: digestsOf(messages),
    ...(request.words === undefined ? { text: newestText(messages) } : { message: request.words }),
    source,
    ...(request.wantState === true && { wantState: true }),
    ...(agent !== undefined && { agent }),
    model: { maxTools: model.maxTools, contextTokens: model.maxInputTokens, nativeTools: native.length },
  };
}
