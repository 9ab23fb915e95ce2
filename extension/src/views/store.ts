// What the views show: servers, tools, tasks, modes, as the daemon has them
// now. It asks again when the daemon says that something changed, and only for
// that.

import { type Disposable, Emitter } from "vscode-jsonrpc";
import type { Daemon } from "../daemon/client";
import {
  CatalogDidChange,
  CatalogList,
  type ConsentQuestion,
  type FileFault,
  ModeList,
  type ModeListResult,
  type ServerInfo,
  type TaskRow,
  TaskRows,
  type ToolInfo,
} from "../protocol.gen";
import { coalesce } from "./coalesce";
import { serverId } from "./servers/rows";

/** Names a server in one of the lists that the daemon has. */
export interface ServerKey {
  /** The host's tool list; empty for the daemon's own servers. */
  source: string;
  name: string;
}

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
  /** The servers of each list that is shown. */
  readonly #servers = new Map<string, readonly ServerInfo[]>();
  /** Tools that were asked for, by server; dropped when the server changes. */
  readonly #tools = new Map<string, Promise<ToolInfo[]>>();
  /** The servers that the daemon named as changed and that nobody was told of yet. */
  readonly #named = new Map<string, ServerKey>();
  #consents: readonly ConsentQuestion[] = [];
  #faults: readonly FileFault[] = [];
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
        for (const name of servers) {
          this.#tools.delete(serverId(source, name));
          this.#named.set(serverId(source, name), { source, name });
        }
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

  /** The daemon's own servers, then those of the host, then those that it has not started. */
  get servers(): readonly ServerInfo[] {
    const known = [...this.#servers.values()].flat();
    if (!this.#loaded) return known;
    const names = new Set(known.map(({ name }) => name));
    const more = (this.#host?.serverNames() ?? []).filter((name) => !names.has(name));
    return [...known, ...more.map(notStarted)];
  }

  /** What the user is to be asked before it starts, and what was declined. */
  get consents(): readonly ConsentQuestion[] {
    return this.#consents;
  }

  /** What is written in the configuration files and is not in effect. */
  get faults(): readonly FileFault[] {
    return this.#faults;
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

  /** The tools of a server, in the daemon's order. */
  tools({ source, name }: ServerKey): Promise<ToolInfo[]> {
    const id = serverId(source, name);
    const known = this.#tools.get(id);
    if (known !== undefined) return known;
    const asked = this.#daemon.request(CatalogList, { source, server: name }).then(({ tools }) => tools);
    this.#tools.set(id, asked);
    asked.catch(() => {
      // The next call asks again; one that has asked since keeps its answer.
      if (this.#tools.get(id) === asked) this.#tools.delete(id);
    });
    return asked;
  }

  /** Asks for a server again, and tells of it also when it is as before: what shows it may have changed by itself. */
  refreshServer({ source, name }: ServerKey): void {
    this.#tools.delete(serverId(source, name));
    this.#named.set(serverId(source, name), { source, name });
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
    this.#servers.clear();
    this.#consents = [];
    this.#faults = [];
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
   * The lists that are shown: the daemon's own, and all that the host has; where it does not tell, the one that the
   * latest task with one used, from which the host may have left tools out.
   */
  #sources(): string[] {
    const host = this.#hostList === "" ? this.#latestSource : this.#hostList;
    return host === undefined ? [""] : ["", host];
  }

  async #loadServers(): Promise<void> {
    const before = new Map(
      this.servers.map((server) => [serverId(server.source, server.name), JSON.stringify(server)]),
    );
    this.#hostList = (await this.#host?.everyServer()) ?? "";
    const sources = this.#sources();
    const lists = await Promise.all(
      sources.map((source) => this.#daemon.request(CatalogList, { source, serversOnly: true })),
    );
    if (this.#stopped) return;
    this.#servers.clear();
    for (const [i, { servers }] of lists.entries()) this.#servers.set(sources[i] ?? "", servers);
    this.#consents = lists[0]?.consents ?? [];
    const faults = lists[0]?.faults ?? [];
    const otherFaults = JSON.stringify(faults) !== JSON.stringify(this.#faults);
    this.#faults = faults;
    this.#forgetTools();
    const first = !this.#loaded;
    this.#loaded = true;
    this.#tellServers(before, first || otherFaults);
  }

  /** Forgets the tools of servers that are not shown: the host's list is another one whenever a tool of it changes. */
  #forgetTools(): void {
    const shown = new Set(this.servers.map(({ source, name }) => serverId(source, name)));
    for (const id of this.#tools.keys()) if (!shown.has(id)) this.#tools.delete(id);
  }

  /** Tells of the servers that are not as before, or of the list when that is another one, or is asked for. */
  #tellServers(before: ReadonlyMap<string, string>, all: boolean): void {
    const changed = new Map(this.#named);
    this.#named.clear();
    const now = new Set<string>();
    for (const server of this.servers) {
      const id = serverId(server.source, server.name);
      now.add(id);
      if (before.get(id) !== JSON.stringify(server)) changed.set(id, server);
    }
    const sameList = now.size === before.size && [...before.keys()].every((id) => now.has(id));
    if (all || !sameList) this.#serversChanged.fire(undefined);
    else if (changed.size > 0) this.#serversChanged.fire([...changed.values()]);
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
      this.#tools.clear(); // a mode decides which tools are on
      for (const { source, name } of this.servers) this.#named.set(serverId(source, name), { source, name });
      this.#refreshServers();
      this.#modesChanged.fire();
    }
    // The host has other tools: it tells of them with its requests only.
    if (this.#latestSource !== source) this.#refreshServers();
  }
}

/** A server of the host's of which only the name is known. */
function notStarted(name: string): ServerInfo {
  return { name, source: "", state: "host", tools: 0, tokens: 0, inScope: 0, scopeTokens: 0 };
}
