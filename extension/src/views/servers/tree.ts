import * as vscode from "vscode";
import type { FaultRow, ServerRow, ToolRow, Row as WireRow } from "../../protocol/protocol.gen";
import { type Store, serverId } from "../store";
import { markdown, treeItem } from "../treeitem";

/** A node that the commands of the view Servers act on. */
export type ServersNode = ServerNode | ToolNode;

/** A node of the view Servers. */
export type ServersItem = ServersNode | FaultNode;

/** An entry of a configuration file that is not in effect. */
export interface FaultNode {
  kind: "fault";
  fault: FaultRow;
  row: WireRow;
}

/** A server. */
export interface ServerNode {
  kind: "server";
  server: ServerRow;
  /** The tools that match the filter; undefined without one. */
  tools?: readonly ToolRow[];
}

/** A tool of a server. */
export interface ToolNode {
  kind: "tool";
  tool: ToolRow;
  parent: ServerNode;
}

/** The tree of servers and their tools. A server's tools are requested when it is expanded. */
export class ServersTree implements vscode.TreeDataProvider<ServersItem>, vscode.Disposable {
  readonly #store: Store;
  readonly #onError: (err: unknown) => void;
  readonly #changes = new vscode.EventEmitter<ServersItem | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;
  readonly #subscription;
  /** The shown nodes by id, for refreshes of one. */
  readonly #nodes = new Map<string, ServerNode>();
  /** The expanded servers by id: VS Code forgets those that a filter hides. */
  readonly #open = new Set<string>();
  #filter = "";
  #isEmpty = true;
  readonly #emptied = new vscode.EventEmitter<void>();
  /** Fires when the view becomes empty or non-empty. */
  readonly onDidChangeEmpty = this.#emptied.event;

  /** @param onError receives failed requests, for which VS Code would show an error */
  constructor(store: Store, onError: (err: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
    this.#subscription = store.onDidChangeServers((changed) => {
      const nodes = changed?.map((server) => this.#nodes.get(serverId(server)));
      // With a filter a server may appear or disappear because of its tools.
      if (this.#filter !== "" || nodes === undefined) this.#changes.fire(undefined);
      else for (const node of nodes) if (node !== undefined) this.#changes.fire(this.#renew(node));
    });
  }

  /** The first row; undefined if there is none, or a filter is set. */
  get first(): ServersNode | undefined {
    const [server] = this.#store.servers;
    return server === undefined || this.#filter !== "" ? undefined : { kind: "server", server };
  }

  /** The filter of tools and servers; empty shows all. */
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

  /** Records that the user expanded or collapsed a server. With a filter all are expanded. */
  opened(node: ServersItem, open: boolean): void {
    if (node.kind !== "server" || this.#filter !== "") return;
    const id = serverId(node.server);
    if (open) this.#open.add(id);
    else this.#open.delete(id);
  }

  getTreeItem(node: ServersItem): vscode.TreeItem {
    if (node.kind === "fault") return faultItem(node);
    if (node.kind === "tool") {
      const { source, server, tool, row } = node.tool;
      return treeItem({ ...row, id: `tool ${JSON.stringify([source, server, tool])}`, expandable: "never" });
    }
    const { row, tools } = node.server;
    const id = serverId(node.server);
    const open = this.#filter !== "" || this.#open.has(id);
    const item = treeItem({
      ...row,
      // A filter changes the id: it expands collapsed servers, and removing it restores them; #open restores the rest.
      id: this.#filter === "" ? id : `${id} ${this.#filter}`,
      expandable: tools === 0 ? "never" : open ? "expanded" : "collapsed",
    });
    item.tooltip = undefined; // resolved on demand
    const click = clickOf(node);
    if (click !== undefined) item.command = click;
    return item;
  }

  /** Resolves the tooltip on demand. */
  async resolveTreeItem(item: vscode.TreeItem, node: ServersItem): Promise<vscode.TreeItem> {
    if (node.kind === "fault") return item;
    const { kind } = node;
    const tooltip = await this.#answer(
      kind === "tool" ? this.#store.tooltip(node.tool) : this.#store.serverTooltip(node.server),
    );
    if (tooltip !== undefined) item.tooltip = markdown(tooltip);
    return item;
  }

  async getChildren(node?: ServersItem): Promise<ServersItem[]> {
    if (node?.kind === "tool" || node?.kind === "fault") return [];
    if (node !== undefined) {
      const tools = node.tools ?? (await this.#answer(this.#store.tools(node.server))) ?? [];
      return tools.map((tool) => ({ kind: "tool", tool, parent: node }));
    }
    const nodes = this.#filter === "" ? this.#store.servers.map(serverNode) : await this.#found();
    this.#nodes.clear();
    for (const shown of nodes) this.#nodes.set(serverId(shown.server), shown);
    const items = [...this.#faults(), ...nodes];
    if (this.#isEmpty !== (items.length === 0)) {
      this.#isEmpty = items.length === 0;
      this.#emptied.fire();
    }
    return items;
  }

  #faults(): FaultNode[] {
    if (this.#filter !== "") return [];
    return this.#store.faults.flatMap((fault) =>
      fault.row === undefined ? [] : [{ kind: "fault", fault, row: fault.row }],
    );
  }

  getParent(node: ServersItem): ServersItem | undefined {
    return node.kind === "tool" ? node.parent : undefined;
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#changes.dispose();
    this.#emptied.dispose();
  }

  /** Updates a node. It stays the same object, by which VS Code identifies it. */
  #renew(node: ServerNode): ServerNode {
    const id = serverId(node.server);
    node.server = this.#store.servers.find((server) => serverId(server) === id) ?? node.server;
    return node;
  }

  /** Returns the matches of the filter. */
  async #found(): Promise<ServerNode[]> {
    const { servers = [], tools = [] } = (await this.#answer(this.#store.find(this.#filter))) ?? {};
    return servers.map((server) => ({
      kind: "server",
      server,
      tools: tools.filter((tool) => tool.server === server.name && tool.source === server.source),
    }));
  }

  /** Returns a response, or undefined on an error, for which VS Code would show a message. */
  async #answer<T>(asked: Promise<T>): Promise<T | undefined> {
    try {
      return await asked;
    } catch (err) {
      this.#onError(err);
      return undefined;
    }
  }
}

function faultItem(node: FaultNode): vscode.TreeItem {
  const { file, line = 1, column = 1 } = node.fault;
  const item = treeItem({ ...node.row, id: `fault ${file}:${line}:${column}`, expandable: "never" });
  const click = clickOf(node);
  if (click !== undefined) item.command = click;
  return item;
}

/** Returns the command of a click: a fault opens its place, a failed server shows its remedies. */
export function clickOf(node: ServersItem): vscode.Command | undefined {
  if (node.kind === "fault") {
    const { file, line = 1, column = 1 } = node.fault;
    const at = new vscode.Position(line - 1, column - 1);
    const place = [vscode.Uri.file(file), { selection: new vscode.Range(at, at) }];
    return { command: "vscode.open", title: "Open", arguments: place };
  }
  if (node.kind === "tool" || node.server.remedies === undefined) return undefined;
  return { command: "winnow.mendServer", title: "What Mends It", arguments: [node] };
}

function serverNode(server: ServerRow): ServerNode {
  return { kind: "server", server };
}
