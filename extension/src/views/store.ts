// The state that the views show: servers, tools, tasks and modes of the daemon. It is requested again after the
// daemon reports a change, and only the changed part.

import { type Disposable, Emitter } from "vscode-jsonrpc";
import { coalesce } from "../base/coalesce";
import type { Daemon } from "../daemon/client";
import {
  CatalogDidChange,
  CatalogRows,
  type CatalogRowsResult,
  type CatalogSort,
  type ConsentQuestion,
  type FaultRow,
  ModeList,
  type ModeListResult,
  type ServerRow,
  type StatusParams,
  StatusShow,
  type StatusResult,
  type TaskRow,
  TaskRows,
  type ToolRow,
  ToolRows,
} from "../protocol/protocol.gen";

/** Identifies a server in one of the daemon's lists. */
export interface ServerKey {
  /** The host's tool list; empty for the daemon's own servers. */
  source: string;
  name: string;
}

/** Returns an id that is unique over all lists. */
export function serverId({ source, name }: ServerKey): string {
  return `server ${JSON.stringify([source, name])}`;
}

/** No servers: before the first response, and when the daemon is stopped. */
const noServers: CatalogRowsResult = { description: "", servers: [] };

/** The servers that the host runs, as far as it reports them. */
export interface HostServers {
  /** Returns the name of the daemon's list of their tools; empty if there is none. */
  everyServer(): Promise<string>;
  /** The names of all of them, started or not. */
  serverNames(): readonly string[];
}

/** The store of the views. */
export class Store implements Disposable {
  readonly #daemon: Daemon;
  readonly #host: HostServers | undefined;
  /** The name of the host's full list; empty if there is none. */
  #hostList = "";
  readonly #owned: Disposable[] = [];
  /** The servers shown. */
  #catalog = noServers;
  #sort: CatalogSort = "name";
  /** Requested tools, by server; dropped when the server changes. */
  readonly #tools = new Map<string, Promise<ToolRow[]>>();
  /** Changed servers of which the listeners were not notified yet. */
  readonly #named = new Map<string, ServerKey>();
  #tasks: readonly TaskRow[] = [];
  #week = "";
  #modes: ModeListResult = { modes: [], current: "" };
  #loaded = false;

  readonly #serversChanged = new Emitter<readonly ServerKey[] | undefined>();
  readonly #tasksChanged = new Emitter<void>();
  readonly #modesChanged = new Emitter<void>();
  /** Fires with the changed servers; undefined if the list changed. */
  readonly onDidChangeServers = this.#serversChanged.event;
  /** Fires when a task is opened, changed or closed. */
  readonly onDidChangeTasks = this.#tasksChanged.event;
  /** Fires when the modes or the current mode change. */
  readonly onDidChangeModes = this.#modesChanged.event;

  readonly #refreshServers: () => void;
  readonly #refreshSession: () => void;

  constructor(daemon: Daemon, onError: (err: unknown) => void, host?: HostServers) {
    this.#daemon = daemon;
    this.#host = host;
    this.#refreshServers = coalesce(() => this.#loadServers(), onError);
    this.#refreshSession = coalesce(() => this.#loadSession(), onError);
    this.#owned.push(
      daemon.onDidChangeState(({ kind }) => {
        if (kind === "ready") this.refresh();
        if (kind === "stopped") this.#clear();
      }),
      daemon.onDidChangeSession(() => this.#refreshSession()),
      daemon.onNotification(CatalogDidChange, ({ source, servers }) => {
        if (!this.#sources().includes(source)) return;
        for (const name of servers) this.#forget({ source, name });
        this.#refreshServers();
        this.#refreshSession(); // modes come from the same files, and tasks have the new tools
      }),
    );
    if (daemon.state.kind === "ready") this.refresh();
  }

  /** Whether the daemon has responded and has not stopped since. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** The servers in display order: the daemon's own, and those of the host, started or not. */
  get servers(): readonly ServerRow[] {
    return this.#catalog.servers;
  }

  /** The servers, with the texts above their list. */
  get catalog(): CatalogRowsResult {
    return this.#catalog;
  }

  /** The servers that require the user's consent, and those declined. */
  get consents(): readonly ConsentQuestion[] {
    return this.#catalog.consents ?? [];
  }

  /** The entries of configuration files that are not in effect. */
  get faults(): readonly FaultRow[] {
    return this.#catalog.faults ?? [];
  }

  /** Sets the order of the servers and of the tools of each. */
  set sort(sort: CatalogSort) {
    this.#sort = sort;
    if (this.#daemon.state.kind === "ready") this.#renewServers();
  }

  /** Requests the servers and tools that match a filter. */
  find(filter: string): Promise<CatalogRowsResult> {
    return this.#daemon.request(CatalogRows, { ...this.#shown(), filter, sort: this.#sort });
  }

  /**
   * Requests the content of the status bar.
   *
   * @param facts what only the window knows
   */
  status(facts: Pick<StatusParams, "models" | "rest" | "restricted">): Promise<StatusResult> {
    return this.#daemon.request(StatusShow, { ...this.#shown(), ...facts });
  }

  /** The name of the host's list of tools that is shown; empty for none. */
  get source(): string {
    return this.#shown().source;
  }

  /** The open tasks, the last used one at the end. */
  get tasks(): readonly TaskRow[] {
    return this.#tasks;
  }

  /** The savings of this week as text; empty if there are none yet. */
  get week(): string {
    return this.#week;
  }

  get modes(): ModeListResult {
    return this.#modes;
  }

  /** Returns the tools of a server in display order. */
  tools(server: ServerKey): Promise<ToolRow[]> {
    const id = serverId(server);
    const known = this.#tools.get(id);
    if (known !== undefined) return known;
    const { source, name } = server;
    const asked = this.#daemon.request(ToolRows, { source, server: name, sort: this.#sort }).then(({ tools }) => tools);
    this.#tools.set(id, asked);
    asked.catch(() => {
      // The next call requests them again, unless another request was made since.
      if (this.#tools.get(id) === asked) this.#tools.delete(id);
    });
    return asked;
  }

  /** Requests the tooltip of a server, with its current memory. */
  async serverTooltip(server: ServerKey): Promise<string | undefined> {
    const { servers } = await this.#daemon.request(CatalogRows, { ...this.#shown(), memory: true });
    return servers.find((each) => serverId(each) === serverId(server))?.row.tooltip;
  }

  /** Requests the tooltip of a tool. */
  async tooltip({ source, server, tool }: ToolRow): Promise<string | undefined> {
    const { tools } = await this.#daemon.request(ToolRows, { source, server, tool });
    return tools[0]?.row.tooltip;
  }

  /** Requests a server again, and notifies listeners even if it is unchanged: its row may have changed by itself. */
  refreshServer(server: ServerKey): void {
    this.#forget(server);
    this.#refreshServers();
  }

  /** Requests everything again. */
  refresh(): void {
    this.#tools.clear();
    this.#refreshServers();
    this.#refreshSession();
  }

  dispose(): void {
    for (const owned of this.#owned) owned.dispose();
    this.#serversChanged.dispose();
    this.#tasksChanged.dispose();
    this.#modesChanged.dispose();
  }

  /** Drops everything when the daemon has stopped. A restart after a crash keeps what is shown. */
  #clear(): void {
    this.#loaded = false;
    this.#catalog = noServers;
    this.#tools.clear();
    this.#tasks = [];
    this.#serversChanged.fire(undefined);
    this.#tasksChanged.fire();
  }

  /** Whether the daemon is stopped: a response may still arrive while it stops. */
  get #stopped(): boolean {
    return this.#daemon.state.kind === "stopped";
  }

  /** The host's list of the latest task that has one. */
  get #latestSource(): string | undefined {
    return this.#tasks.findLast(({ source }) => source !== "")?.source;
  }

  /**
   * The lists of tools shown: the daemon's own and the host's full list. If the host reports none, the list of the
   * latest task that has one replaces it; that list may lack tools.
   */
  #sources(): string[] {
    const host = this.#hostList === "" ? this.#latestSource : this.#hostList;
    return host === undefined ? [""] : ["", host];
  }

  /** The host's list and servers for a request. */
  #shown(): { source: string; hostServers: string[] } {
    const [, source = ""] = this.#sources();
    return { source, hostServers: [...(this.#host?.serverNames() ?? [])] };
  }

  async #loadServers(): Promise<void> {
    this.#hostList = (await this.#host?.everyServer()) ?? "";
    const now = await this.find("");
    if (this.#stopped) return;
    const before = this.#catalog;
    this.#catalog = now;
    const first = !this.#loaded;
    this.#loaded = true;
    // Evict tools of servers no longer shown: the host's list gets a new name with each change of its tools.
    const shown = new Set(now.servers.map(serverId));
    for (const id of this.#tools.keys()) if (!shown.has(id)) this.#tools.delete(id);
    this.#tellServers(before, now, first);
  }

  /** Notifies listeners of the changed servers, or of the list if it changed or all is set. */
  #tellServers(before: CatalogRowsResult, now: CatalogRowsResult, all: boolean): void {
    const changed = new Map(this.#named);
    this.#named.clear();
    const old = new Map(before.servers.map((server) => [serverId(server), JSON.stringify(server)]));
    for (const server of now.servers) {
      if (old.get(serverId(server)) !== JSON.stringify(server)) changed.set(serverId(server), server);
    }
    const list = ({ servers, faults }: CatalogRowsResult) => JSON.stringify([servers.map(serverId), faults]);
    if (all || list(before) !== list(now)) this.#serversChanged.fire(undefined);
    else if (changed.size > 0) this.#serversChanged.fire([...changed.values()]);
  }

  /** Evicts a server's tools and marks the server as changed. */
  #forget({ source, name }: ServerKey): void {
    const id = serverId({ source, name });
    this.#tools.delete(id);
    this.#named.set(id, { source, name });
  }

  /** Requests all servers again, and notifies listeners of each. */
  #renewServers(): void {
    for (const server of this.servers) this.#forget(server);
    this.#refreshServers();
  }

  async #loadSession(): Promise<void> {
    const source = this.#latestSource;
    const [{ tasks, week }, modes] = await Promise.all([
      this.#daemon.request(TaskRows, {}),
      this.#daemon.request(ModeList, {}),
    ]);
    if (this.#stopped) return;
    this.#tasks = tasks;
    this.#week = week;
    const modesBefore = JSON.stringify(this.#modes);
    this.#modes = modes;
    this.#tasksChanged.fire();
    if (JSON.stringify(modes) !== modesBefore) {
      this.#renewServers(); // a mode decides which tools are enabled
      this.#modesChanged.fire();
    }
    // The host's tools have changed: it reports them only with its requests.
    if (this.#latestSource !== source) this.#refreshServers();
  }
}
