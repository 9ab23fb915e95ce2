// The daemon, as the routed models ask it.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import { type ConversationRouteParams, SetHostTools } from "../protocol/protocol.gen";
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

/** The daemon, as the routed models ask it. */
export class RoutingDaemon {
  readonly #daemon: Requester;
  /** What the daemon has, or is about to have. */
  #sent: { listing: Listing; sending: Promise<unknown> } | undefined;

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

  /** Finds out what becomes of a request. A list that the daemon has lost is handed over once more. */
  async route(
    listing: Listing,
    params: Omit<ConversationRouteParams, "source">,
    token: CancellationToken,
  ): Promise<RoutedRequest> {
    await this.everyServer(listing);
    try {
      return await RoutedRequest.route(this.#daemon, { ...params, source }, token);
    } catch (err) {
      if (!(err instanceof DaemonError) || err.data?.kind !== "unknownSource") throw err;
    }
    this.#sent = undefined;
    await this.everyServer(listing);
    return RoutedRequest.route(this.#daemon, { ...params, source }, token);
  }
}
