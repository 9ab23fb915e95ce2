import * as vscode from "vscode";
import type { FaultRow, ServerRow, ToolRow, Row as WireRow } from "../../protocol/protocol.gen";
import { type Store, serverId } from "../store";
import { markdown, treeItem } from "../treeitem";

/** What the commands of the view Servers are called on. */
export type ServersNode = ServerNode | ToolNode;

/** A node of the view Servers. */
export type ServersItem = ServersNode | FaultNode;

/** What is written in a configuration file and not in effect. */
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

/** The tree of servers and their tools. The tools of a server are asked for when it is opened. */
export class ServersTree implements vscode.TreeDataProvider<ServersItem>, vscode.Disposable {
  readonly #store: Store;
  readonly #onError: (err: unknown) => void;
  readonly #changes = new vscode.EventEmitter<ServersItem | undefined>();
  readonly onDidChangeTreeData = this.#changes.event;
  readonly #subscription;
  /** The nodes that are shown, so that one of them can be refreshed. */
  readonly #nodes = new Map<string, ServerNode>();
  /** The servers that a person has opened, by id: VS Code forgets it of those that a filter takes away. */
  readonly #open = new Set<string>();
  #filter = "";
  #isEmpty = true;
  readonly #emptied = new vscode.EventEmitter<void>();
  /** Fires when the view has become empty, or has something to show again. */
  readonly onDidChangeEmpty = this.#emptied.event;

  /** @param onError takes what the daemon does not answer: VS Code would make an error message of it */
  constructor(store: Store, onError: (err: unknown) => void) {
    this.#store = store;
    this.#onError = onError;
    this.#subscription = store.onDidChangeServers((changed) => {
      const nodes = changed?.map((server) => this.#nodes.get(serverId(server)));
      // With a filter a server may come or go by its tools.
      if (this.#filter !== "" || nodes === undefined) this.#changes.fire(undefined);
      else for (const node of nodes) if (node !== undefined) this.#changes.fire(this.#renew(node));
    });
  }

  /** The first row; undefined where there is none, or where a filter decides. */
  get first(): ServersNode | undefined {
    const [server] = this.#store.servers;
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

  /** Notes that a person has opened or closed a server. With a filter all are open, which says nothing. */
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
      // Another id, so that a filter opens what a person has closed, and gives it back closed; #open gives the rest back.
      id: this.#filter === "" ? id : `${id} ${this.#filter}`,
      expandable: tools === 0 ? "never" : open ? "expanded" : "collapsed",
    });
    item.tooltip = undefined; // made when it is asked for
    const click = clickOf(node);
    if (click !== undefined) item.command = click;
    return item;
  }

  /** The tooltip is made when a person asks for it. */
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

  /** Gives a node what the daemon says now. It stays the same object, by which VS Code knows it. */
  #renew(node: ServerNode): ServerNode {
    const id = serverId(node.server);
    node.server = this.#store.servers.find((server) => serverId(server) === id) ?? node.server;
    return node;
  }

  /** What matches the filter. */
  async #found(): Promise<ServerNode[]> {
    const { servers = [], tools = [] } = (await this.#answer(this.#store.find(this.#filter))) ?? {};
    return servers.map((server) => ({
      kind: "server",
      server,
      tools: tools.filter((tool) => tool.server === server.name && tool.source === server.source),
    }));
  }

  /** An answer of the daemon's; undefined without one, of which VS Code would make an error message. */
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

/** What a click on a row does: of a mistake it opens the place, of a server in trouble it offers what mends it. */
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
