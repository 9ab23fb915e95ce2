// Handles one request to a routed model: routes it by the daemon and forwards it.

import { randomUUID } from "node:crypto";
import type { ConversationRouteParams } from "../protocol/protocol.gen";
import { Answer } from "./answer";
import type { ChatHost, ChatRequest, Routing } from "./request";
import { cleaned, isMarker, proxyTool } from "./history";
import type { Tool } from "../chat/message";
import { messagesToJson } from "../chat/partjson";
import type { RoutedRequest } from "./routedrequest";

/** Handles one request. */
export async function respond(routing: Routing, given: ChatRequest, host: ChatHost): Promise<void> {
  const request = { ...given, messages: cleaned(given.messages) };
  const forward = (tools: readonly Tool[]) =>
    passThrough({ ...request, tools: tools.filter(({ name }) => name !== proxyTool) }, host);
  try {
    const routed = request.fromWinnow ? undefined : await attach(routing, request);
    const { keep = [], open = [], pass = false } = routed?.now ?? {};
    const kept = routed === undefined ? request.tools : keep.flatMap((place) => request.tools.slice(place, place + 1));
    if (routed === undefined || pass) {
      await forward(kept);
      return;
    }
    for (const name of open) host.report({ kind: "call", callId: `winnow-${randomUUID()}`, name, input: {} });
    if (open.length === 0) await new Answer(routing, request, host, { kept, routed }).run();
  } catch (err) {
    if (!request.token.isCancellationRequested) throw err; // a cancelled request was ended by VS Code
  }
}

/** Routes a request. Undefined if that fails: the chat continues unrouted. */
async function attach(routing: Routing, request: ChatRequest): Promise<RoutedRequest | undefined> {
  try {
    return await routing.daemon.route(routing.listing(), paramsOf(request), request.token);
  } catch (err) {
    if (request.token.isCancellationRequested) throw err;
    routing.failed(err);
    return undefined;
  }
}

/** Forwards a request unchanged. */
async function passThrough({ messages, tools }: ChatRequest, host: ChatHost): Promise<void> {
  for await (const part of await host.send(messages, tools)) {
    if (!isMarker(part)) host.report(part);
  }
}

function paramsOf(request: ChatRequest): Omit<ConversationRouteParams, "source"> {
  const { messages, tools, model, conversation, initiator, words, wantState, allListed } = request;
  return {
    ...(conversation !== undefined && { conversation }),
    ...(initiator !== undefined && { initiator }),
    ...(words !== undefined && { message: words }),
    ...(wantState === true && { wantState: true }),
    ...(allListed === true && { allListed: true }),
    messages: messagesToJson(messages),
    tools: tools.map(({ name, description, inputSchema }) => ({
      name,
      description,
      ...(inputSchema !== undefined && { inputSchema }),
    })),
    model: { maxTools: model.maxTools, contextTokens: model.maxInputTokens },
    modelName: model.name,
  };
}
