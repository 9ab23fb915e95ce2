// The daemon, as the routed models ask it.

import type { CancellationToken } from "vscode-jsonrpc";
import type { Requester } from "../daemon/client";
import { DaemonError } from "../daemon/errors";
import { type ConversationRouteParams, SetHostTools } from "../protocol/protocol.gen";
import { type HostList, hostList } from "./hosttools";
import { RoutedRequest, SharedRequests } from "./routedrequest";
import type { Listing } from "./servers";

/**
 * How many tool lists the daemon keeps of us. A list that was used longest ago
 * is emptied there, and sent again when it is needed.
 */
const maxSources = 16;

/** The daemon, as the routed models ask it. */
export class RoutingDaemon {
  readonly #daemon: Requester;
  readonly #shared = new SharedRequests();
  /** The lists that the daemon has, by name, the one used last at the end. */
  readonly #sent = new Map<string, Promise<unknown>>();

  constructor(daemon: Requester) {
    this.#daemon = daemon;
  }

  /** Hands a list of tools over, unless the daemon has it. */
  async provide(list: HostList): Promise<void> {
    const known = this.#sent.get(list.source);
    this.#sent.delete(list.source);
    const sending = known ?? this.#daemon.request(SetHostTools, list);
    this.#sent.set(list.source, sending);
    try {
      await sending;
    } catch (err) {
      this.#sent.delete(list.source);
      throw err;
    }
    await this.#forget();
  }

  /** Hands over all of MCP's tools, with the daemon's own servers', and names the list. */
  async everyServer(listing: Listing): Promise<string> {
    const list = hostList(listing.mcpTools(), listing, true);
    await this.provide(list);
    return list.source;
  }

  async #forget(): Promise<void> {
    for (const source of this.#sent.keys()) {
      if (this.#sent.size <= maxSources) return;
      this.#sent.delete(source);
      await this.#daemon.request(SetHostTools, { source, tools: [] });
    }
  }

  /** Finds the task of a request and what to attach. A list that the daemon has lost is handed over once more. */
  async route(list: HostList, params: ConversationRouteParams, token: CancellationToken): Promise<RoutedRequest> {
    await this.provide(list);
    try {
      return await RoutedRequest.route(this.#daemon, this.#shared, params, token);
    } catch (err) {
      if (!(err instanceof DaemonError) || err.data?.kind !== "unknownSource") throw err;
    }
    this.#sent.delete(list.source);
    await this.provide(list);
    return RoutedRequest.route(this.#daemon, this.#shared, params, token);
  }
}
