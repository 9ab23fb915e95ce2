// What the views show: servers, tools, tasks, modes, as the daemon has them
// now. It asks again when the daemon says that something changed, and only for
// that.

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

/** Names a server in one of the lists that the daemon has. */
export interface ServerKey {
  /** The host's tool list; empty for the daemon's own servers. */
  source: string;
  name: string;
}

/** Identifies a server among those of all lists. */
export function serverId({ source, name }: ServerKey): string {
  return `server ${JSON.stringify([source, name])}`;
}

/** Nothing is known, or nobody runs the servers. */
const noServers: CatalogRowsResult = { description: "", servers: [] };

/** The servers that the host runs, as far as it tells. */
export interface HostServers {
  /** Names the list of their tools that the daemon has; empty where there is none. */
  everyServer(): Promise<string>;
  /** All of them, started or not. */
  serverNames(): readonly string[];
}

/** The store of the views. */
export class Store implements Disposable {
  readonly #daemon: Daemon;
  readonly #host: HostServers | undefined;
  /** The list of all that the host has; empty where it does not tell. */
  #hostList = "";
  readonly #owned: Disposable[] = [];
  /** The servers that are shown. */
  #catalog = noServers;
  #sort: CatalogSort = "name";
  /** Tools that were asked for, by server; dropped when the server changes. */
  readonly #tools = new Map<string, Promise<ToolRow[]>>();
  /** The servers that the daemon named as changed and that nobody was told of yet. */
  readonly #named = new Map<string, ServerKey>();
  #tasks: readonly TaskRow[] = [];
  #week = "";
  #modes: ModeListResult = { modes: [], current: "" };
  #loaded = false;

  readonly #serversChanged = new Emitter<readonly ServerKey[] | undefined>();
  readonly #tasksChanged = new Emitter<void>();
  readonly #modesChanged = new Emitter<void>();
  /** Fires with the servers that changed; undefined when the list did. */
  readonly onDidChangeServers = this.#serversChanged.event;
  /** Fires when a task was opened, changed or closed. */
  readonly onDidChangeTasks = this.#tasksChanged.event;
  /** Fires when the modes or the current one changed. */
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
        this.#refreshSession(); // modes come from the same files, and tasks see the new tools
      }),
    );
    if (daemon.state.kind === "ready") this.refresh();
  }

  /** Whether the daemon has answered, and not stopped since. */
  get loaded(): boolean {
    return this.#loaded;
  }

  /** The servers in the order in which they are shown: the daemon's own, and those of the host, started or not. */
  get servers(): readonly ServerRow[] {
    return this.#catalog.servers;
  }

  /** The servers, with what stands over their list. */
  get catalog(): CatalogRowsResult {
    return this.#catalog;
  }

  /** What the user is to be asked before it starts, and what was declined. */
  get consents(): readonly ConsentQuestion[] {
    return this.#catalog.consents ?? [];
  }

  /** What is written in the configuration files and is not in effect. */
  get faults(): readonly FaultRow[] {
    return this.#catalog.faults ?? [];
  }

  /** Orders the servers, and the tools of each. */
  set sort(sort: CatalogSort) {
    this.#sort = sort;
    if (this.#daemon.state.kind === "ready") this.#renewServers();
  }

  /** Asks for the servers and their tools that match a filter. */
  find(filter: string): Promise<CatalogRowsResult> {
    return this.#daemon.request(CatalogRows, { ...this.#shown(), filter, sort: this.#sort });
  }

  /**
   * Asks what the status bar says.
   *
   * @param facts what only the window knows
   */
  status(facts: Pick<StatusParams, "models" | "rest" | "restricted">): Promise<StatusResult> {
    return this.#daemon.request(StatusShow, { ...this.#shown(), ...facts });
  }

  /** Names the host's list of tools that is shown; empty for none. */
  get source(): string {
    return this.#shown().source;
  }

  /** The open tasks, the one that was used last at the end. */
  get tasks(): readonly TaskRow[] {
    return this.#tasks;
  }

  /** Says what was saved this week; empty before there is anything to sum up. */
  get week(): string {
    return this.#week;
  }

  get modes(): ModeListResult {
    return this.#modes;
  }

  /** The tools of a server, in the order in which they are shown. */
  tools(server: ServerKey): Promise<ToolRow[]> {
    const id = serverId(server);
    const known = this.#tools.get(id);
    if (known !== undefined) return known;
    const { source, name } = server;
    const asked = this.#daemon.request(ToolRows, { source, server: name, sort: this.#sort }).then(({ tools }) => tools);
    this.#tools.set(id, asked);
    asked.catch(() => {
      // The next call asks again; one that has asked since keeps its answer.
      if (this.#tools.get(id) === asked) this.#tools.delete(id);
    });
    return asked;
  }

  /** What the row of a server says when somebody looks at it, with the memory that it holds then. */
  async serverTooltip(server: ServerKey): Promise<string | undefined> {
    const { servers } = await this.#daemon.request(CatalogRows, { ...this.#shown(), memory: true });
    return servers.find((each) => serverId(each) === serverId(server))?.row.tooltip;
  }

  /** What the row of a tool says when somebody looks at it. */
  async tooltip({ source, server, tool }: ToolRow): Promise<string | undefined> {
    const { tools } = await this.#daemon.request(ToolRows, { source, server, tool });
    return tools[0]?.row.tooltip;
  }

  /** Asks for a server again, and tells of it also when it is as before: what shows it may have changed by itself. */
  refreshServer(server: ServerKey): void {
    this.#forget(server);
    this.#refreshServers();
  }

  /** Asks for everything again. */
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

  /** Forgets everything: nobody runs the servers, and no task goes on. A restart by itself keeps what is shown. */
  #clear(): void {
    this.#loaded = false;
    this.#catalog = noServers;
    this.#tools.clear();
    this.#tasks = [];
    this.#serversChanged.fire(undefined);
    this.#tasksChanged.fire();
  }

  /** Whether nothing is to be shown: an answer may come as the last word of a daemon that is told to stop. */
  get #stopped(): boolean {
    return this.#daemon.state.kind === "stopped";
  }

  /** The host's list that the latest task with one used. */
  get #latestSource(): string | undefined {
    return this.#tasks.findLast(({ source }) => source !== "")?.source;
  }

  /**
   * The lists of tools that are shown: the daemon's own, and the host's full list. Where the host reports none, the list
   * of the latest task that had one stands in for it; that one may lack tools.
   */
  #sources(): string[] {
    const host = this.#hostList === "" ? this.#latestSource : this.#hostList;
    return host === undefined ? [""] : ["", host];
  }

  /** What of the host is shown. */
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
    // The tools of servers that are not shown are not kept: the host's list is another one whenever a tool of it changes.
    const shown = new Set(now.servers.map(serverId));
    for (const id of this.#tools.keys()) if (!shown.has(id)) this.#tools.delete(id);
    this.#tellServers(before, now, first);
  }

  /** Tells of the servers that are not as before, or of the list when that is another one, or is asked for. */
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

  /** Notes that a server is to be asked for and told of. */
  #forget({ source, name }: ServerKey): void {
    const id = serverId({ source, name });
    this.#tools.delete(id);
    this.#named.set(id, { source, name });
  }

  /** Asks for all servers again, and tells of each. */
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
      this.#renewServers(); // a mode decides which tools are on
      this.#modesChanged.fire();
    }
    // The host has other tools: it tells of them with its requests only.
    if (this.#latestSource !== source) this.#refreshServers();
  }
}
