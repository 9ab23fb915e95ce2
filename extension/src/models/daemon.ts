// The daemon, as the routed models ask it.

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
import type { Tool } from "./message";
import { RoutedRequest } from "./routedrequest";

/** A tool as VS Code lists it, in `lm.tools`. */
export interface ListedTool extends Tool {
  tags: readonly string[];
  /** Server and tool. VS Code tells it to every extension, but its stable API does not promise it. */
  fullReferenceName?: string | undefined;
}

/** The host's tools, and the names of the servers in its files. It is another object when anything of it changes. */
export interface Listing {
  tools: readonly ListedTool[];
  servers: readonly string[];
}

/** The tag of MCP's tools in `lm.tools`. */
export const mcpTag = "mcp";

/** Names the list of the host's tools. */
const source = "vscode:listing";

/** What is asked about a request: all but the list that VS Code has. */
export type RouteParams = Omit<ConversationRouteParams, "source" | "toolsId">;

/** The daemon, as the routed models ask it. */
export class RoutingDaemon {
  readonly #daemon: Requester;
  /** What the daemon has, or is about to have. */
  #sent: { listing: Listing; sending: Promise<unknown> } | undefined;

  /** The names of the lists of tools that requests have handed over. */
  readonly #lists = new Set<string>();

  constructor(daemon: Requester) {
    this.#daemon = daemon;
  }

  /** Hands the host's tools over, with the daemon's own servers', unless the daemon has them, and names the list. */
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

  /** Finds out what becomes of a request. Lists that the daemon does not know, or has lost, are handed over. */
  route(listing: Listing, { tools, ...params }: RouteParams, token: CancellationToken): Promise<RoutedRequest> {
    const toolsId = createHash("sha256").update(JSON.stringify(tools)).digest("base64");
    // First what the daemon may not know any more, then with the tools, then with the listing too.
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
