// The daemon's requests for routed models.

import { createHash } from "node:crypto";
import type { CancellationToken } from "vscode-jsonrpc";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import {
  ConversationRoute,
  type ConversationRouteParams,
  type ConversationRouteResult,
  SetHostTools,
} from "../protocol/protocol.gen";
import type { Tool } from "../chat/message";
import { RoutedRequest } from "./routedrequest";

/** A tool listed by VS Code, in `lm.tools`. */
export interface ListedTool extends Tool {
  tags: readonly string[];
  /** Server and tool. VS Code exposes it to every extension, but not in its stable API. */
  fullReferenceName?: string | undefined;
}

/** The host's tools and the names of the servers in its files. A change makes another object. */
export interface Listing {
  tools: readonly ListedTool[];
  servers: readonly string[];
}

/** The tag of MCP tools in `lm.tools`. */
export const mcpTag = "mcp";

/** The name of the list of the host's tools. */
const source = "vscode:listing";

/** The params of a request without VS Code's list. */
export type RouteParams = Omit<ConversationRouteParams, "source" | "toolsId">;

/** Sends the requests of routed models to the daemon. */
export class RoutingDaemon {
  readonly #daemon: Requester;
  /** The list that the daemon has, or is being sent. */
  #sent: { listing: Listing; sending: Promise<unknown> } | undefined;

  /** The ids of the lists of tools that requests have sent. */
  readonly #lists = new Set<string>();

  constructor(daemon: Requester) {
    this.#daemon = daemon;
  }

  /** Sends the host's tools with the daemon's own, unless the daemon has them, and returns the list's name. */
  async everyServer(listing: Listing): Promise<string> {
    if (this.#sent?.listing !== listing) this.#sent = { listing, sending: this.#send(listing) };
    const sent = this.#sent;
    try {
      await sent.sending;
    } catch (err) {
      if (this.#sent === sent) this.#sent = undefined;
      throw err;
    }
    return source;
  }

  #send({ tools, servers }: Listing): Promise<unknown> {
    const listed = tools.map(({ name, description, inputSchema, tags, fullReferenceName }) => ({
      server: "",
      name,
      description,
      tags: [...tags],
      ...(inputSchema !== undefined && { inputSchema }),
      ...(fullReferenceName !== undefined && { fullReferenceName }),
    }));
    return this.#daemon.request(SetHostTools, {
      source,
      tools: listed,
      withOwn: true,
      listing: { servers: [...servers] },
    });
  }

  /** Routes a request. Lists that the daemon does not have, or has lost, are sent. */
  route(listing: Listing, { tools, ...params }: RouteParams, token: CancellationToken): Promise<RoutedRequest> {
    const toolsId = createHash("sha256").update(JSON.stringify(tools)).digest("base64");
    // First without lists that were sent before, then with the tools, then with the host's list too.
    const send = async (whole = !this.#lists.has(toolsId), last = false): Promise<ConversationRouteResult> => {
      await this.everyServer(listing);
      try {
        const request = { ...params, source, toolsId, ...(whole && { tools }) };
        const routed = await this.#daemon.request(ConversationRoute, request, token);
        this.#lists.add(toolsId);
        return routed;
      } catch (err) {
        if (last || !(err instanceof DaemonError) || err.data?.kind !== "unknownSource") throw err;
        if (whole) this.#sent = undefined;
        return send(true, whole);
      }
    };
    return RoutedRequest.route(this.#daemon, send, token);
  }
}
