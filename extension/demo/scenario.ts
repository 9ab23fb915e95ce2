import path from "node:path";
import { pathToFileURL } from "node:url";
import {
  type AttachedTool,
  type Attachment,
  CatalogDidChange,
  CatalogList,
  type CatalogListResult,
  Initialize,
  Initialized,
  PROTOCOL_VERSION,
  type ServerInfo,
  TaskCall,
  TaskExplain,
  TaskLoad,
  TaskOpen,
  TaskTurn,
} from "../src/protocol/protocol.gen";
import type { Daemon } from "./daemon";
import { DemoError } from "./errors";
import type { AttachedRow, DemoEvent } from "./events";
import type { Options } from "./options";
import { type Workspace, notes } from "./workspace";

/** The states in which a server is still coming up. */
const comingUp: readonly string[] = ["configured", "known", "starting"];

/** Drives the daemon as an editor would, and tells what happens as it happens. */
export async function* scenario(daemon: Daemon, workspace: Workspace, options: Options): AsyncGenerator<DemoEvent> {
  if (!(options.read in notes)) {
    throw new DemoError(`there is no note ${options.read}; there are ${Object.keys(notes).join(", ")}`);
  }
  const changes = watchCatalog(daemon);
  yield await initialize(daemon, workspace);
  yield* serversComeUp(daemon, changes);

  const opened = await daemon.request(TaskOpen, { message: options.message });
  yield await turn(daemon, options.message, opened, []);
  yield await readNote(daemon, opened, path.join(workspace.notes, options.read));
  const grown = await daemon.request(TaskTurn, { task: opened.task, message: options.then });
  yield await turn(daemon, options.then, grown, opened.tools);

  const { loaded, text, attachment } = await daemon.request(TaskLoad, { task: opened.task, query: options.load });
  yield { kind: "load", query: options.load, loaded, text, counts: attachment.counts, tokens: attachment.tokens };
}

/** Opens the session with the demo's folders only. */
async function initialize(daemon: Daemon, workspace: Workspace): Promise<DemoEvent> {
  const begin = performance.now();
  const { server } = await daemon.request(Initialize, {
    client: { name: "winnow-demo" },
    protocolVersion: PROTOCOL_VERSION,
    workspaceFolders: [{ uri: pathToFileURL(workspace.folder).href, name: "demo" }],
    storagePath: workspace.storage,
    trusted: true,
    userConfigDir: workspace.home,
    homeDir: workspace.home,
  });
  await daemon.notify(Initialized, {});
  return { kind: "daemon", ...server, workspace: workspace.folder, startMs: performance.now() - begin };
}

/** Waits for a newer catalogue than the one of a version. */
type CatalogWatch = (version: number) => Promise<void>;

function watchCatalog(daemon: Daemon): CatalogWatch {
  let newest = 0;
  let wake: () => void = () => undefined;
  daemon.on(CatalogDidChange, ({ version }) => {
    newest = version;
    wake();
  });
  return async (version) => {
    while (newest <= version) {
      await daemon.until(new Promise<void>((resolve) => (wake = resolve)));
    }
  };
}

/** Tells of each server when it is up, and then of the whole catalogue. */
async function* serversComeUp(daemon: Daemon, newer: CatalogWatch): AsyncGenerator<DemoEvent> {
  const told = new Set<string>();
  for (;;) {
    const catalog = await daemon.request(CatalogList, {});
    for (const server of catalog.servers) {
      if (comingUp.includes(server.state) || told.has(server.name)) continue;
      told.add(server.name);
      yield { kind: "server", server: ready(server) };
    }
    if (told.size === catalog.servers.length && told.size > 0) {
      yield sum(catalog);
      return;
    }
    const servers = catalog.servers.map(({ name }) => name).filter((name) => !told.has(name));
    yield { kind: "waiting", servers };
    await newer(catalog.version);
  }
}

/** Insists that a server works. */
function ready(server: ServerInfo): ServerInfo {
  if (server.state === "ready") return server;
  throw new DemoError(`server ${server.name} is ${server.state}: ${server.error ?? "no reason given"}`);
}

function sum({ servers, tools }: CatalogListResult): DemoEvent {
  const tokens = tools.reduce((total, tool) => total + tool.tokens, 0);
  return { kind: "catalog", servers: servers.length, tools: tools.length, tokens };
}

/** Asks why each tool that a turn added is there. */
async function turn(
  daemon: Daemon,
  message: string,
  attachment: Attachment,
  before: AttachedTool[],
): Promise<DemoEvent> {
  const { tools } = await daemon.request(TaskExplain, { task: attachment.task });
  const why = new Map(tools.map((tool) => [identity(tool), tool]));
  const known = new Set(before.map(identity));
  const rows = attachment.tools
    .filter((tool) => !known.has(identity(tool)))
    .map((tool): AttachedRow => {
      const { name, server, tokens, reason } = tool;
      const { rank = 0, score = 0, parts = [] } = why.get(identity(tool)) ?? {};
      return { name, server, tool: tool.tool, tokens, reason, rank, score, why: parts };
    });
  const { turn, counts, tokens } = attachment;
  return { kind: "turn", turn, message, rows, counts, tokens };
}

function identity(tool: { server: string; tool: string }): string {
  return JSON.stringify([tool.server, tool.tool]);
}

/** Reads a note by a real call of the filesystem server. */
async function readNote(daemon: Daemon, attachment: Attachment, file: string): Promise<DemoEvent> {
  const wanted = { server: "filesystem", tool: "read_text_file" };
  const args = { path: file };
  const attached = attachment.tools.find((tool) => identity(tool) === identity(wanted));
  const begin = performance.now();
  const result = await daemon.request(TaskCall, {
    task: attachment.task,
    // Not attached, it is called all the same, as a model that knows it would.
    name: attached?.name ?? wanted.tool,
    arguments: args,
  });
  const text = result.content.map(textOf).join("\n");
  if (result.isError) throw new DemoError(`${wanted.server}/${wanted.tool} failed: ${text}`);
  return { kind: "call", ...wanted, arguments: args, text, ms: performance.now() - begin };
}

/** The text of one block of MCP content; what is no text is named. */
function textOf(block: unknown): string {
  const { type, text } = block as { type: string; text?: string };
  return text ?? `[${type}]`;
}
