import * as vscode from "vscode";
import type { ServerInfo, ToolInfo } from "../../protocol.gen";
import { prefixOf } from "../names";
import type { Store } from "../store";
import { markdown, treeItem } from "../treeitem";
import {
  type SortBy,
  matchesFilter,
  matchesServer,
  serverId,
  serverRow,
  sortServers,
  sortTools,
  toolRow,
  toolTooltip,
  withoutDoubles,
} from "./rows";

/** A node of the view Servers. */
export type ServersNode = ServerNode | ToolNode;

/** A server. */
export interface ServerNode {
  kind: "server";
  server: ServerInfo;
}

/** A tool of a server. */
export interface ToolNode {
  kind: "tool";
  source: string;
  tool: ToolInfo;
  /** What VS Code has put before the names of the server's tools. */
  prefix: string;
  parent: ServerNode;
}

/** The tree of servers and their tools. The tools of a server are asked for when it is opened. */
export class ServersTree implements vscode.TreeDataProvider<ServersNode>, vscode.Disposable {
  readonly #store: Store;
  readonly #onError: (err: unknown) => void;
  readonly #changes = new vscode.EventEmitter<ServersNode | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;
  readonly #subscription;
  /** The nodes that are shown, so that one of them can be refreshed. */
  readonly #nodes = new Map<string, ServerNode>();
  /** The servers that a person has opened, by id: VS Code forgets it of those that a filter takes away. */
  readonly #open = new Set<string>();
  #filter = "";
  #sort: SortBy = "name";
  #isEmpty = true;
  readonly #emptied = new vscode.EventEmitter<void>();
  /** Fires when the view has become empty, or has something to show again. */
  readonly onDidChangeEmpty = this.#emptied.event;

  /** @param onError takes why the tools of a server could not be listed: VS Code would make an error message of it */
  constructor(store: Store, onError: (err: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
    this.#subscription = store.onDidChangeServers((changed) => {
      const nodes = changed?.map(({ source, name }) => this.#nodes.get(serverId(source, name)));
      // With a filter a server may come or go by its tools, and with attention its place changes.
      if (this.#filter !== "" || nodes === undefined || this.#reordered()) this.#changes.fire(undefined);
      else for (const node of nodes) if (node !== undefined) this.#changes.fire(this.#renew(node));
    });
  }

  /** The first row; undefined where there is none, or where a filter decides. */
  get first(): ServersNode | undefined {
    const [server] = this.#sorted();
    return server === undefined || this.#filter !== "" ? undefined : { kind: "server", server };
  }

  /** Shows only tools and servers that match; empty shows all. */
  get filter(): string {
    return this.#filter;
  }

  set filter(filter: string) {
    this.#filter = filter.trim();
    this.#changes.fire(undefined);
  }

  /** Whether the view shows nothing. */
  get isEmpty(): boolean {
    return this.#isEmpty;
  }

  get sort(): SortBy {
    return this.#sort;
  }

  set sort(sort: SortBy) {
    this.#sort = sort;
    this.#changes.fire(undefined);
  }

  /** Notes that a person has opened or closed a server. With a filter all are open, which says nothing. */
  opened(node: ServersNode, open: boolean): void {
    if (node.kind !== "server" || this.#filter !== "") return;
    const id = serverId(node.server.source, node.server.name);
    if (open) this.#open.add(id);
    else this.#open.delete(id);
  }

  async getTreeItem(node: ServersNode): Promise<vscode.TreeItem> {
    if (node.kind === "tool") {
      const byServer = node.parent.server.alwaysLoad === true;
      return treeItem(toolRow(node.source, node.tool, { prefix: node.prefix, byServer }));
    }
    if (this.#filter === "") {
      const { source, name } = node.server;
      return treeItem(serverRow(node.server, { expanded: this.#open.has(serverId(source, name)) }));
    }
    const row = serverRow(node.server, { expanded: true, matches: (await this.#matching(node.server)).length });
    // Another id, so that a filter opens what a person has closed, and gives it back closed; #open gives the rest back.
    return treeItem({ ...row, id: `${row.id} ${this.#filter}` });
  }

  /** The tooltip is made when a person asks for it. */
  resolveTreeItem(item: vscode.TreeItem, node: ServersNode): vscode.TreeItem {
    if (node.kind === "tool") item.tooltip = markdown(toolTooltip(node.tool));
    return item;
  }

  async getChildren(node?: ServersNode): Promise<ServersNode[]> {
    if (node?.kind === "tool") return [];
    if (node !== undefined) {
      const prefix = prefixOf((await this.#tools(node.server)).map(({ tool }) => tool));
      const tools = sortTools(await this.#matching(node.server), this.#sort);
      return tools.map((tool) => ({ kind: "tool", source: node.server.source, tool, prefix, parent: node }));
    }
    const servers = this.#sorted();
    const shown = await Promise.all(servers.map((server) => this.#isShown(server)));
    this.#nodes.clear();
    const nodes = servers.filter((_, i) => shown[i]).map((server) => this.#node(server));
    if (this.#isEmpty !== (nodes.length === 0)) {
      this.#isEmpty = nodes.length === 0;
      this.#emptied.fire();
    }
    return nodes;
  }

  getParent(node: ServersNode): ServersNode | undefined {
    return node.kind === "tool" ? node.parent : undefined;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
    this.#emptied.dispose();
  }

  /** The servers that have a row, in the order in which they are shown. */
  #sorted(): ServerInfo[] {
    return sortServers(withoutDoubles(this.#store.servers), this.#sort);
  }

  #node(server: ServerInfo): ServerNode {
    const node: ServerNode = { kind: "server", server };
    this.#nodes.set(serverId(server.source, server.name), node);
    return node;
  }

  /** Gives a node what the daemon says now. It stays the same object, by which VS Code knows it. */
  #renew(node: ServerNode): ServerNode {
    const { source, name } = node.server;
    node.server = this.#store.servers.find((server) => server.source === source && server.name === name) ?? node.server;
    return node;
  }

  /** Whether the servers are in another order than they are shown. */
  #reordered(): boolean {
    const order = this.#sorted().map(({ source, name }) => serverId(source, name));
    const shown = [...this.#nodes.keys()];
    return order.length !== shown.length || order.some((id, i) => id !== shown[i]);
  }

  async #isShown(server: ServerInfo): Promise<boolean> {
    if (this.#filter === "" || matchesServer(this.#filter, server.name)) return true;
    return server.tools > 0 && (await this.#matching(server)).length > 0;
  }

  async #tools(server: ServerInfo): Promise<readonly ToolInfo[]> {
    try {
      return await this.#store.tools(server);
    } catch (err) {
      this.#onError(err);
      return [];
    }
  }

  async #matching(server: ServerInfo): Promise<readonly ToolInfo[]> {
    const tools = await this.#tools(server);
    if (this.#filter === "" || matchesServer(this.#filter, server.name)) return tools;
    return tools.filter((tool) => matchesFilter(this.#filter, tool));
  }
}
