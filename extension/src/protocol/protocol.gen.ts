// Code generated from package protocol by `go generate ./protocol`. DO NOT EDIT.

import { NotificationType, RequestType } from "vscode-jsonrpc";

/**
 * OwnSource is the source of the servers that the daemon runs; every other one
 * is a list of tools that a host has handed over.
 */
export const PROTOCOL_OWN_SOURCE = "";

/** MaxJournalEntries is how many entries journal/list answers with at most. */
export const PROTOCOL_MAX_JOURNAL_ENTRIES = 1000;

/**
 * Version is the protocol version that this daemon speaks. A daemon refuses an
 * initialize that names another one.
 */
export const PROTOCOL_VERSION = 1;

/** MetaLoad attaches more tools. */
export const PROTOCOL_META_LOAD = "mcp_load";

/** MetaSearch finds tools and attaches none. */
export const PROTOCOL_META_SEARCH = "mcp_search";

/** MetaCall calls a tool by its name. */
export const PROTOCOL_META_CALL = "mcp_call";

/**
 * MetaRead calls a tool by its name that only reads, and of which the user has
 * approved as such: for clients that run what reads, and ask about the rest or
 * refuse it.
 */
export const PROTOCOL_META_READ = "mcp_read";

/** MetaResult reads parts of a result that was cut. */
export const PROTOCOL_META_RESULT = "mcp_result";

/** MetaRun runs a program of calls. */
export const PROTOCOL_META_RUN = "mcp_run";

/**
 * ProxyTool stands, in a host or a library that has to know each tool, for
 * those that it does not list.
 */
export const PROTOCOL_PROXY_TOOL = "winnow_call";

/**
 * RoutedSuffix is what the name of a routed model has behind that of its model. It
 * stands at the end: VS Code preselects the first by name where nothing was chosen.
 */
export const PROTOCOL_ROUTED_SUFFIX = " (Winnow)";

/** GatewayLabel names Winnow's gateway among VS Code's servers. */
export const PROTOCOL_GATEWAY_LABEL = "Winnow Gateway";

/** CallDeclined is the result of a call that the user declined. */
export const PROTOCOL_CALL_DECLINED = "The user declined this call, and it was not made. Do not make it again unless the user asks for it.";

/** CallFailed stands before the content of an error. */
export const PROTOCOL_CALL_FAILED = "The tool failed:\n";

/** CallEmpty stands for a result without content. */
export const PROTOCOL_CALL_EMPTY = "The tool answered nothing.";

/** ApprovalKind is what a user has said yes to. */
export type ApprovalKind =
  /**
   * A tool runs without asking, by `alwaysAllow` of its
   * server's entry in File.
   */
  | "alwaysAllow"
  /**
   * A tool runs without asking in the chat Task, until it is
   * closed or winnowd ends.
   */
  | "chat"
  /**
   * A tool of which its server says that it only reads was let run,
   * and runs without asking as long as it is as it was.
   */
  | "ran"
  /** What the server says of Count things was approved. */
  | "reviewed"
  /** What an entry of File starts may start. */
  | "consent"
  /** The server may redirect to the address To. */
  | "redirect"
  /** What the server answers may go to the server To, in Folder. */
  | "pair"
  /** A server may see messages, by `winnow.gating.servers`. */
  | "gating";

/** Approval is a yes of the user's that is remembered. */
export interface Approval {
  /** ID names it in approvals/revoke. It is the same in each session. */
  id: string;
  kind: ApprovalKind;
  /** Server is the server's name, and Tool the tool's own. */
  server: string;
  tool?: string;
  /** To is the other server of a pair, or the address of a redirect. */
  to?: string;
  /**
   * File is where the yes stands, or the entry that it is about; Folder the
   * workspace folder that it counts in, or whose files define the server. Both are empty where there is
   * none.
   */
  file?: string;
  folder?: string;
  task?: string;
  count?: number;
  /**
   * Since is when it was given, in milliseconds of Unix time; where that is
   * written nowhere, when Winnow first saw it.
   */
  since: number;
  /**
   * Imported is the client that ran the tool unasked by the entry that was imported
   * from it; empty where the yes was given to Winnow.
   */
  imported?: string;
  /** Row shows it; from faces that do. */
  row?: Row;
}

/**
 * ApprovalListResult holds every yes that is remembered, by kind, server and
 * tool: approvals/list.
 */
export interface ApprovalListResult {
  approvals: Approval[];
}

/**
 * ApprovalRevokeParams takes one back: approvals/revoke. One that stands in a
 * setting is the host's to take back; the error names the setting.
 */
export interface ApprovalRevokeParams {
  id: string;
}

/** CatalogListParams asks for the servers and tools: catalog/list. */
export interface CatalogListParams {
  /** Source is a host tool list; empty is the servers the daemon runs. */
  source?: string;
  /**
   * Mode is the slug whose policy decides the scope; empty is the current
   * mode.
   */
  mode?: string;
  /** Server restricts the answer to one server. */
  server?: string;
  /**
   * ServersOnly leaves the list of tools empty; the servers still tell how
   * many they have.
   */
  serversOnly?: boolean;
  /**
   * WithOwn adds to a host's list the servers that the daemon runs, if a task on
   * that list may have their tools.
   */
  withOwn?: boolean;
  /**
   * Memory asks for the memory of each server that runs, which takes some
   * milliseconds.
   */
  memory?: boolean;
}

/**
 * CatalogListResult is one version of the catalogue, servers and tools in a
 * stable order.
 */
export interface CatalogListResult {
  version: number;
  servers: ServerInfo[];
  tools: ToolInfo[];
  /**
   * Consents are what the user is to be asked before it starts, and what was
   * declined; of the servers that the daemon runs.
   */
  consents?: ConsentQuestion[];
  /** Faults are what is wrong in the configuration files. */
  faults?: FileFault[];
}

/** FileFault is a mistake in a configuration file. It quotes no value of it. */
export interface FileFault {
  file: string;
  /**
   * Warning: what is written there is in effect, though hardly as it was meant.
   * Otherwise it is not in effect.
   */
  warning?: boolean;
  /** Line and Column count from 1; absent for a file that cannot be read. */
  line?: number;
  column?: number;
  message: string;
  /** Next says what to do; it may be absent. */
  next?: string;
}

/** ServerInfo describes one server. */
export interface ServerInfo {
  name: string;
  /** Source is the host tool list it came in; empty for the daemon's own. */
  source: string;
  state: ServerState;
  /** Error says why the server does not work, and what to do. */
  error?: string;
  /**
   * Cause says what the server waits for, or of one of the host's that its entry
   * switches it off; absent when it may run.
   */
  cause?: Cause;
  /** Tools counts the server's tools; Tokens is what all of them cost. */
  tools: number;
  tokens: number;
  /**
   * InScope counts the tools that the asked mode admits; ScopeTokens is what
   * these cost.
   */
  inScope: number;
  scopeTokens: number;
  /** AlwaysLoad: `alwaysLoad` of the server is true, for all of its tools. */
  alwaysLoad?: boolean;
  /** File and Line are where the server is defined. */
  file?: string;
  line?: number;
  /** Shadowed lists files that define the name too and lost. */
  shadowed?: string[];
  /**
   * Warnings lists what the server did that Winnow had to mend, such as a
   * name listed twice or a cap that was reached.
   */
  warnings?: string[];
  /** Changes counts what the server changed and the user has not answered. */
  changes?: number;
  /**
   * ResourcesHeld: its resources are neither listed nor read before the user has
   * approved of them.
   */
  resourcesHeld?: boolean;
  /** Held counts the tools that models do not get until the user approves of them. */
  held?: number;
  /**
   * OutOfMode counts the tools that the asked mode takes away; those that another
   * rule keeps out as well are none of them.
   */
  outOfMode?: number;
  /**
   * Content names all that the server says, for an answer about it by
   * lock/approve or lock/keep; absent while the lock is off.
   */
  content?: string;
  /** ProtocolVersion is the MCP version agreed on. */
  protocolVersion?: string;
  /**
   * PID is the process of a local server that runs, and RunsSince is when it was
   * connected, in milliseconds since 1970.
   */
  pid?: number;
  runsSince?: number;
  /**
   * Memory is what the process and its descendants held at MemoryAt, in bytes; what
   * they share counts for each. 0 where that was not asked for, or is not known.
   */
  memory?: number;
  /** MemoryAt is in milliseconds since 1970. */
  memoryAt?: number;
  /**
   * Share says which clients use the process of a local server, and ShareWhy why,
   * in words.
   */
  share?: ServerShare;
  shareWhy?: string;
  /**
   * StartMs is how long the last start took; FirstUseMs how long the first
   * call waited for a lazy start.
   */
  startMs?: number;
  firstUseMs?: number;
}

/** ServerState is where a server is in its life. */
export type ServerState =
  /** Defined, not started yet, tools unknown. */
  | "configured"
  /** Not started, tools known from an earlier run. */
  | "known"
  /** Being started. */
  | "starting"
  /** Connected. */
  | "ready"
  /** Waits for server/signIn. */
  | "signedOut"
  /** Could not start or lost; it is tried again. */
  | "failed"
  /** Switched off by its `disabled`. */
  | "disabled"
  /** Stopped by server/stop. */
  | "stopped"
  /** Defined by a workspace that is not trusted. */
  | "waitingForTrust"
  /**
   * The user has not agreed by server/consent to what
   * it starts, or to something else.
   */
  | "waitingForConsent"
  /** The user declined to run it. */
  | "declined"
  /** Its tools were handed over by the host. */
  | "host";

/** ToolInfo describes one tool in the catalogue. */
export interface ToolInfo {
  server: string;
  tool: string;
  /** Name is the name that a model would get. */
  name: string;
  /** Title and Description are the server's own words. */
  title?: string;
  description?: string;
  /** Override is the description that models get instead. */
  override?: string;
  /** Tokens is what the tool costs in a request. */
  tokens: number;
  inScope: boolean;
  /** Cause says what keeps the tool out of scope. */
  cause?: Cause;
  /** AlwaysLoad: the tool is attached to each task from the start. */
  alwaysLoad?: boolean;
  readOnly?: boolean;
  /** Available is false while its server cannot be called. */
  available: boolean;
  /** Lock is what the lock says of the tool; absent while it is off. */
  lock?: LockState;
  /**
   * Content names what the server says of the tool, for an answer about it by
   * lock/approve; absent while the lock is off.
   */
  content?: string;
  /** Findings are what a person should look at. */
  findings?: Finding[];
}

/**
 * SetHostToolsParams hands over a host tool list: catalog/setHostTools. The
 * list replaces the source's earlier one.
 */
export interface SetHostToolsParams {
  /**
   * Source names the list; it must not be empty. What stands before its last
   * colon names the host: a server of one name is the same one in all lists of
   * a host, and the lock on tools knows it as such.
   */
  source: string;
  tools: HostTool[];
  /**
   * WithOwn adds the servers that the daemon runs, but for those that the list
   * has by the same name: one scope and one ranking for all. Their tools are
   * called by task/call.
   */
  withOwn?: boolean;
  /**
   * Listing: the host is VS Code, and Tools are all that it lists. The tools of
   * MCP servers are told by what is said of them there, and so are the servers.
   */
  listing?: Listing;
}

/** Listing is what VS Code knows besides the tools that it lists. */
export interface Listing {
  /**
   * Servers are the names of the servers in VS Code's own files, as they are
   * written there.
   */
  servers: string[];
}

/** HostTool is a tool that the host runs itself. */
export interface HostTool {
  /** Server is empty in a {@link Listing}. */
  server: string;
  /** Name is the host's own, unique in its source, presented verbatim. */
  name: string;
  /**
   * Tool is the tool's own name on its server, where the host knows it. A
   * policy may name the tool by either.
   */
  tool?: string;
  description?: string;
  inputSchema?: unknown;
  annotations?: unknown;
  /** Tags and FullReferenceName are VS Code's, in a {@link Listing}. */
  tags?: string[];
  fullReferenceName?: string;
  /**
   * BuiltIn: the tool is the host's own, and no server's: rules and the lock are
   * about servers. Not in a {@link Listing}.
   */
  builtIn?: boolean;
}

/** SetHostToolsResult answers catalog/setHostTools. */
export interface SetHostToolsResult {
  version: number;
  count: number;
  /** Warnings names tools that were left out, and why. */
  warnings?: string[];
}

/** CatalogSearchParams asks for the tools that fit some words: catalog/search. */
export interface CatalogSearchParams {
  query: string;
  /** Limit is the most tools to return; default `winnow.searchK`. */
  limit?: number;
  source?: string;
  mode?: string;
  explain?: boolean;
}

/** CatalogSearchResult holds the tools in scope, best first. */
export interface CatalogSearchResult {
  version: number;
  /** Ranker names what ranked. */
  ranker: string;
  tools: FoundTool[];
}

/** FoundTool is a tool found by a search. */
export interface FoundTool {
  server: string;
  tool: string;
  name: string;
  description?: string;
  score: number;
  /** Why holds the parts of the score; they sum to it. */
  why?: ScorePart[];
}

/** ScorePart is one named summand of a score. */
export interface ScorePart {
  name: string;
  value: number;
  detail: string;
}

/** CatalogDidChangeParams tells of a new version: catalog/didChange. */
export interface CatalogDidChangeParams {
  version: number;
  /** Source is the host tool list that changed; empty is the daemon's own. */
  source: string;
  /**
   * Servers names the servers whose state, tools or policy changed; none when
   * only the faults of the files did.
   */
  servers: string[];
}

/**
 * CatalogRowsParams asks for the servers as a list of an editor shows them:
 * catalog/rows.
 */
export interface CatalogRowsParams {
  /**
   * Source is the host tool list that is shown after the servers that the
   * daemon runs; empty is none.
   */
  source?: string;
  /**
   * HostServers are the names of the host's servers; one that is in no list has
   * not been started yet.
   */
  hostServers?: string[];
  /**
   * Filter holds words; a tool is shown that has each of them in its name, its
   * server's or its description, and a server whose name or some tool of which
   * does. Empty shows all.
   */
  filter?: string;
  /** Sort orders the servers; default `name`. */
  sort?: CatalogSort;
  /**
   * Memory asks for the memory of each server that runs, as its tooltip says it. It
   * differs each time.
   */
  memory?: boolean;
}

/** CatalogSort is how servers, or the tools of one, are ordered. */
export type CatalogSort =
  /** By name. */
  | "name"
  /** By what the tools cost, the most first. */
  | "cost";

/**
 * CatalogRowsResult holds the servers in their order: those that wait for the
 * user first, and the host's last. One that the daemon runs is not shown as the
 * host's as well.
 */
export interface CatalogRowsResult {
  /** Description sums up the servers, for the title of the list. */
  description: string;
  /** Badge counts what waits for the user; absent where nothing does. */
  badge?: Badge;
  servers: ServerRow[];
  /**
   * Tools are those that match the filter, as in their servers' lists; none
   * without a filter.
   */
  tools?: ToolRow[];
  /** Consents are as in {@link CatalogListResult}, and so are Faults. */
  consents?: ConsentQuestion[];
  faults?: FaultRow[];
}

/**
 * FaultRow is a mistake in a configuration file. What is not in effect has a row
 * above the servers: some of them may be missing for it.
 */
export interface FaultRow extends FileFault {
  row?: Row;
}

/** Badge is a number on a list: what VS Code's ViewBadge holds. */
export interface Badge {
  value: number;
  tooltip: string;
}

/** ServerRow is a server with its row. */
export interface ServerRow extends ServerInfo {
  row: Row;
  /**
   * Remedies are what a click on the row offers: what mends it first, its definition
   * and its log; absent where nothing is wrong.
   */
  remedies?: MenuEntry[];
}

/**
 * ToolRowsParams asks for the tools of a server as a list of an editor shows
 * them: catalog/toolRows.
 */
export interface ToolRowsParams {
  /** Source is the list that the server is in. */
  source: string;
  server: string;
  /**
   * Tool restricts the answer to one tool, whose row has a tooltip; in a list
   * of all there is none, because it is long.
   */
  tool?: string;
  /** Sort orders the tools; default `name`. */
  sort?: CatalogSort;
}

/** ToolRowsResult holds the tools in their order. */
export interface ToolRowsResult {
  tools: ToolRow[];
}

/** ToolRow is a tool with its row. */
export interface ToolRow extends ToolInfo {
  /** Source is the list that its server is in. */
  source: string;
  row: Row;
}

/**
 * Cause says as data why a server waits, or why a tool is out of scope or not
 * attached: the code that shows it words it, and the code that decides by it compares the
 * kind.
 */
export interface Cause {
  kind: CauseKind;
  /**
   * Owner names what the cause stands in or comes from: a server, a mode's
   * slug, or a file.
   */
  owner?: string;
  /** Key is the member of the owner's entry, or the setting with `winnow.`. */
  key?: string;
  /** Text is what the kinds cannot say: the problem with an entry. */
  text?: string;
}

/** CauseKind is what kind of a {@link Cause} it is. */
export type CauseKind =
  /**
   * Key in the entry of the server Owner keeps the tool out of
   * scope: `disabled`, `onlyAllow` or `disabledTools`.
   */
  | "server"
  /**
   * Key of the mode Owner keeps the server out of scope:
   * `groups`, `allowedMcpServers` or `blockedMcpServers`.
   */
  | "mode"
  /** The user has stopped the server Owner. */
  | "stopped"
  /** The user has switched the tool off for this task. */
  | "task"
  /**
   * The server Owner itself keeps the tool back for this
   * message, by its gating tool.
   */
  | "excluded"
  /** By the setting Key no tool is attached; mcp_call runs it. */
  | "dispatch"
  /** The tool came after the turn began. */
  | "late"
  /**
   * The request holds as many tools as the setting Key or the
   * model allows.
   */
  | "limit"
  /** The tool costs more tokens than the setting Key leaves. */
  | "budget"
  /**
   * By the setting Key no message adds tools now; mcp_load attaches
   * it.
   */
  | "frozen"
  /**
   * The tool is not among as many of the best as the setting Key
   * says.
   */
  | "rank"
  /**
   * The tool is not among as many of the best as the setting Key
   * says, and the model knows its name: mcp_load attaches it.
   */
  | "named"
  /** The server no longer offers the tool. */
  | "gone"
  /**
   * The server Owner says something else of the tool than is
   * locked, and that is not approved.
   */
  | "changed"
  /**
   * The setting Key lets only what is approved or listed in the
   * workspace's lock through, and the tool of the server Owner is neither.
   */
  | "unlisted"
  /** What was locked of the server Owner cannot be read. */
  | "damagedLock"
  /** The server starts when the host takes requests. */
  | "start"
  /** The server waits until the workspace is trusted. */
  | "trust"
  /**
   * The server waits for the user's consent to what the file
   * Owner starts.
   */
  | "consent"
  /**
   * The file Owner starts something else now than the user has
   * consented to.
   */
  | "redefined"
  /** The user declined to run the server of the file Owner. */
  | "declined"
  /** The server is Winnow itself, for other clients. */
  | "itself"
  /** The server's entry cannot be used; Text says why. */
  | "invalid";

/** The words of each kind of a cause, in which {owner}, {key} and {text} stand for its members. */
export const causeTexts: Record<CauseKind, string> = {
  budget: "it costs more tokens than {key} leaves",
  changed: "a change by server \"{owner}\" that waits for your approval",
  consent: "waits for your consent to what {owner} starts",
  damagedLock: "the damaged lock of server \"{owner}\"",
  declined: "you declined to run it from {owner}",
  dispatch: "{key} is dispatch; mcp_call runs it",
  excluded: "server \"{owner}\" excludes it for this message ({key})",
  frozen: "no message adds tools now ({key}); mcp_load attaches it",
  gone: "its server no longer offers it",
  invalid: "{text}",
  itself: "is Winnow itself, for other clients",
  late: "it came after this turn began",
  limit: "{key} or the model's own limit is reached",
  mode: "{key} of mode \"{owner}\"",
  named: "not among the best {key}; the model knows its name, and mcp_load attaches it",
  rank: "not among the best {key}",
  redefined: "waits for your consent: {owner} starts something else now than you agreed to",
  server: "{key} of server \"{owner}\"",
  start: "starts when the host is ready",
  stopped: "server \"{owner}\" is stopped",
  task: "your choice for this task",
  trust: "waits until the workspace is trusted",
  unlisted: "{key} of tools of server \"{owner}\" that nobody has approved",
};

/**
 * InputRequestParams asks the user for the value of an `${input:…}`, or for one
 * that Winnow itself needs: input/request.
 */
export interface InputRequestParams {
  id: string;
  /**
   * Server is the one that needs it, and File the absolute path of the file
   * that defines that server. A host keeps the value for this server of this
   * file only: another file's server of the same name is another program.
   * Both are absent when Winnow itself asks; then the host keeps nothing.
   */
  server?: string;
  file?: string;
  /**
   * Workspace says that File belongs to the workspace. What is kept for it
   * counts in this workspace only.
   */
  workspace?: boolean;
  kind: InputKind;
  description: string;
  password?: boolean;
  default?: string;
  options?: string[];
}

/** InputKind is the kind of box that asks for a value. */
export type InputKind =
  /** Free text. */
  | "promptString"
  /** One of Options. */
  | "pickString";

/** InputRequestResult answers input/request. */
export interface InputRequestResult {
  /** Value is absent when the user dismissed the box. */
  value?: string;
}

/** SecretGetParams reads from the host's secret store: secret/get. */
export interface SecretGetParams {
  key: string;
}

/** SecretGetResult answers secret/get. */
export interface SecretGetResult {
  /** Value is absent when there is none. */
  value?: string;
}

/** SecretSetParams writes to the host's secret store: secret/set. */
export interface SecretSetParams {
  key: string;
  /** Value is absent to delete. */
  value?: string;
}

/** OpenExternalParams opens a page in the user's browser: window/openExternal. */
export interface OpenExternalParams {
  url: string;
  /** Server is the one that wants it. */
  server?: string;
}

/** OpenExternalResult answers window/openExternal. */
export interface OpenExternalResult {
  success: boolean;
}

/**
 * ExternalURLParams asks for the address at which the user's browser reaches an
 * address of this machine's own, such as http://127.0.0.1:4711/callback:
 * window/externalUrl.
 */
export interface ExternalURLParams {
  url: string;
}

/** ExternalURLResult answers window/externalUrl. */
export interface ExternalURLResult {
  /** URL is the same where the browser runs on this machine. */
  url: string;
}

/** ShowMessageParams tells the user something: window/showMessage. */
export interface ShowMessageParams {
  type: MessageType;
  message: string;
  /** File, Line and Column say where; Line and Column count from 1. */
  file?: string;
  line?: number;
  column?: number;
  /** Server is the one concerned. */
  server?: string;
  /** Setting is the one concerned. */
  setting?: string;
  /** Next is what the user can do about it. */
  next?: string;
  /** Command is a line for a terminal that Next speaks of, for the user to copy. */
  command?: string;
}

/** MessageType is how serious a message is. */
export type MessageType =
  | "error"
  | "warning"
  | "info";

/**
 * TelemetryEventParams is one event: telemetry/event. It never holds text,
 * arguments or names of the user's.
 */
export interface TelemetryEventParams {
  name: TelemetryEvent;
  /** Numbers and Labels are the event's properties. */
  numbers: Record<string, number>;
  labels: Record<string, string>;
}

/** TelemetryEvent names an event. */
export type TelemetryEvent =
  /** Has scopedCount, attachedCount; ranker. */
  | "dynamic_tools.task_start"
  /**
   * Has taskTurn, queryLength, returnedCount,
   * alreadyAttachedCount.
   */
  | "dynamic_tools.mcp_load_invoked"
  /**
   * Has turn, addedCount, totalAttached. It is sent only
   * when a turn added something.
   */
  | "dynamic_tools.rolling_window_step"
  /** Has from, to, reason. */
  | "dynamic_tools.ranker_fallback";

/**
 * ConversationRouteParams routes one request of a host that is stateless:
 * conversation/route.
 */
export interface ConversationRouteParams {
  /** Conversation is the host's own id; empty finds the task by messages. */
  conversation?: string;
  /**
   * Initiator is the extension of VS Code's that asks, as VS Code names it. Its
   * agents share the id of a chat and are distinguished by their prompts. Empty is
   * any other client, whose ids are used as they are.
   */
  initiator?: string;
  /** Messages are all of the request's, oldest first. */
  messages: MessageDigest[];
  /**
   * Message is the user's own words of the newest user message. Where it is
   * empty, they are found in the parts of Messages.
   */
  message?: string;
  /**
   * Tools are those that the host offers with the request, where it is VS Code:
   * Source names a {@link Listing}, and the answer holds all that is to be done with
   * the request. Absent for other hosts, who do that themselves.
   */
  tools?: RequestTool[];
  /**
   * ToolsID names Tools by what they are, as a hash does. With it alone they are
   * those of an earlier request; the daemon keeps the eight lists that were used
   * last, and refuses one that it does not know with [KindUnknownSource].
   */
  toolsId?: string;
  /**
   * AllListed: Tools are the host's own only, and all of MCP's tools in the
   * listing may be attached.
   */
  allListed?: boolean;
  /**
   * Called names tools that the conversation has called, besides those that
   * Messages name.
   */
  called?: string[];
  source?: string;
  /** Mode is the slug of a mode; empty goes by Agent. */
  mode?: string;
  /**
   * Agent is what the host calls the agent, or the mode of its own, that the
   * user works with; empty where VS Code's agent names it in its prompt. The
   * mode of this name or slug is meant by it, in any case of the letters; where
   * there is none, the current mode.
   */
  agent?: string;
  model?: ModelLimits;
  /** ModelName is what people call the model. */
  modelName?: string;
  /**
   * Client is what the host would send by itself, where it hides tools; absent
   * keeps what it said before, or that it hides none.
   */
  client?: ClientTools;
  /**
   * ToolsFirst: the provider caches the tools before the messages, and nothing
   * says when the cache is gone. A message adds tools as {@link ProxySettings} say.
   */
  toolsFirst?: boolean;
  /**
   * WantState asks for the state of the task in the attachment. A host whose
   * conversations the daemon keeps does without.
   */
  wantState?: boolean;
}

/** RequestTool is a tool as a request offers it. */
export interface RequestTool {
  name: string;
  description?: string;
  inputSchema?: unknown;
}

/** MessageDigest is one message of a request: its parts, or what stands for them. */
export interface MessageDigest {
  /**
   * Role is `system`, `user`, `assistant` or `tool`. Without Parts a tool result
   * is never `user`.
   */
  role: string;
  /** Digest is any string that equal messages share; empty is made of Parts. */
  digest?: string;
  /** Parts are the content. Summary and Calls are found in them. */
  parts?: MessagePart[];
  /**
   * Summary: the client has put the message in place of others. A history in
   * which nobody has answered, and nothing is summarized, begins another
   * conversation of its id, such as a subagent's.
   */
  summary?: boolean;
  /** Calls are the calls of tools in an assistant's message. */
  calls?: MessageCall[];
}

/** MessagePart is a part of a message of VS Code's, or of a model's answer. */
export interface MessagePart {
  kind: PartKind;
  /** Text is that of a text, and what of [PartOther] can be read. */
  text?: string;
  /** CallID is the id of a call, and in a result that of the call it answers. */
  callId?: string;
  /** Name and Input are the tool of a call and its arguments. */
  name?: string;
  input?: unknown;
  /** Content is that of a result. */
  content?: MessagePart[];
  /** MimeType is the type of data, Sha256 and Length stand for the bytes. */
  mimeType?: string;
  sha256?: string;
  length?: number;
}

/** PartKind says what a {@link MessagePart} is. */
export type PartKind =
  | "text"
  | "call"
  | "result"
  | "data"
  /**
   * A part that VS Code's stable API has no name for, such as
   * thinking.
   */
  | "other";

/** MessageCall is a call of a tool in a message. */
export interface MessageCall {
  id: string;
  name: string;
}

/** ConversationRouteResult answers conversation/route. */
export interface ConversationRouteResult {
  task: string;
  /** Request numbers the request within its task, from 1. */
  request: number;
  /**
   * Title is the beginning of the conversation's first message, on one line.
   * It is the user's text: show it, never log it.
   */
  title?: string;
  /** NewTurn: the request began a turn. */
  newTurn: boolean;
  /**
   * Compacted: what was said before stands in the history no more but for a
   * summary, so the tools were chosen afresh. A history that was edited
   * otherwise keeps those that it had.
   */
  compacted?: boolean;
  attachment: Attachment;
  /**
   * Internal is what the history of the request lacks. Of a request with Tools,
   * Edits hold it.
   */
  internal?: InternalRounds[];
  /**
   * What follows is of a request with Tools.
   *
   * Pass: it is none of a task, and goes to the model with the tools in Keep.
   */
  pass?: boolean;
  /**
   * Open names tools that the host is to call before anything else, and then to
   * send the request anew: what they hide is not known.
   */
  open?: string[];
  /**
   * Keep are the places of the tools that the model is offered as they are,
   * before those of the attachment. The host runs them, unasked.
   */
  keep?: number[];
  /** Edits turn the messages into those that the model wrote and read. */
  edits?: MessageEdit[];
  /** Sections say where the context goes that is not MCP's, for task/usage. */
  sections?: UsageSection[];
}

/** MessageEdit changes one message of a request. */
export interface MessageEdit {
  /** Message is its place. */
  message: number;
  /** Before and After are further messages. */
  before?: EditMessage[];
  after?: EditMessage[];
  /**
   * Drop takes the message itself away; else Parts, where there are any, take
   * the place of its own.
   */
  drop?: boolean;
  parts?: EditPart[];
}

/** EditMessage is a message that the host has not seen. */
export interface EditMessage {
  role: string;
  /**
   * Parts are in the form in which the host gave them, and those of results are
   * a {@link MessagePart}.
   */
  parts: unknown[];
}

/** EditPart is a part of a message: that of a place in it, or another. */
export interface EditPart {
  keep: number;
  part?: unknown;
}

/**
 * InternalRounds are what a model did and its client never saw, since Winnow
 * answered it, such as a call of mcp_load. Put back into later requests, the
 * model remembers what it loaded, and the prompt's beginning stays the same for
 * its cache.
 */
export interface InternalRounds {
  /** ID numbers them within the task, from 1, the older the smaller. */
  id: number;
  /**
   * Message is the place, in the request, of the assistant's message that
   * they belong to.
   */
  message: number;
  /**
   * Rounds go before the message, oldest first. The client may have put the
   * text of all of them into the message: there it is taken away.
   */
  rounds?: InternalRound[];
  /** Calls go behind the message's own, and Answers, their results, after it. */
  calls?: unknown[];
  answers?: CallAnswer[];
}

/**
 * InternalRound is one answer of a model whose calls were all answered by
 * Winnow.
 */
export interface InternalRound {
  /** Parts are the host's own, in whatever form it gave them. */
  parts: unknown[];
  answers: CallAnswer[];
}

/** CallAnswer is what Winnow answered to a call of a model. */
export interface CallAnswer {
  /** Call is the id of the call. */
  call: string;
  text: string;
}

/**
 * ConversationCallParams asks what becomes of a call that a model made in its
 * answer to a routed request: conversation/call. Calls of tools that the host
 * added itself need not be asked about. In the answer, the host runs the call
 * where Host is present; else the content is for the model, and what is refused
 * is an answer too.
 */
export interface ConversationCallParams {
  task: string;
  /** Name and Arguments are as the model gave them. */
  name: string;
  arguments?: unknown;
}

/**
 * ConversationAnswerParams reports what a model answered to a routed request,
 * or to its continuation: conversation/answer. A host need not report an answer
 * when Winnow has answered no call since the request.
 */
export interface ConversationAnswerParams {
  task: string;
  /** Request is the number that conversation/route gave it. */
  request: number;
  /** Parts are the answer's, in order. */
  parts: AnswerPart[];
  /** Calls are the ids of the calls that the client got. */
  calls: string[];
  /** Answers are what conversation/call answered to the others. */
  answers: CallAnswer[];
}

/** AnswerPart is one part of a model's answer. */
export interface AnswerPart {
  /** Call is the id of the call that the part is; empty for other parts. */
  call?: string;
  /** Part is the part in the host's own form. It is kept as it is. */
  part: unknown;
}

/** ConversationAnswerResult answers conversation/answer. */
export interface ConversationAnswerResult {
  next: ConversationNext;
}

/** ConversationNext is what a host does after a model's answer. */
export type ConversationNext =
  /** The answer is complete. */
  | "end"
  /**
   * The model has to be asked again, with its answer and Winnow's
   * own added to the messages.
   */
  | "send"
  /**
   * As NextSend, for the last time: the request offers none
   * of Winnow's own tools.
   */
  | "sendLast"
  /**
   * The model has asked for tools too often without doing anything
   * else. The user is notified.
   */
  | "stop";

/** EmbeddingsSettings are the settings under `winnow.embeddings.`. */
export interface EmbeddingsSettings {
  /**
   * Who turns texts into vectors for ranking by meaning. The built-in model
   * needs no network; with any other, tool descriptions and the messages that
   * are ranked are sent to that provider. The key is asked for once, kept in
   * the secret store, and never part of the settings.
   */
  provider: EmbeddingsProvider;
  /**
   * The base address of the provider's API. Empty means the provider's own;
   * `openai` takes the address of any compatible server, with the version, as
   * in `http://localhost:1234/v1`. Azure has no own one.
   */
  url: string;
  /**
   * The model's name; for Azure the deployment's. Each provider but the
   * built-in one needs it.
   */
  model: string;
  /**
   * The length of the vectors, where the model offers a choice. 0 means the
   * model's own.
   */
  dimensions: number;
  /**
   * Milliseconds that a message's ranking waits for the provider. After them
   * the built-in model ranks it.
   */
  timeoutMs: number;
}

/** EmbeddingsProvider is who turns texts into vectors. */
export type EmbeddingsProvider =
  /** The model in the box: offline, and a matter of microseconds. */
  | "builtin"
  /** OpenAI, or any server that speaks its API. */
  | "openai"
  /** A local Ollama. */
  | "ollama"
  /** Azure OpenAI. */
  | "azure"
  /** Google Gemini. */
  | "gemini"
  /** Voyage AI. */
  | "voyage"
  /** Cohere. */
  | "cohere";

/** Code is a JSON-RPC error code. */
export const Code = {
  ParseError: -32700,
  InvalidRequest: -32600,
  MethodNotFound: -32601,
  InvalidParams: -32602,
  InternalError: -32603,
  ServerNotInitialized: -32002,
  ContentModified: -32801,
  RequestCancelled: -32800,
  UnknownTask: 1001,
  UnknownServer: 1002,
  UnknownTool: 1003,
  UnknownMode: 1004,
  UnknownSource: 1005,
  OutOfScope: 1010,
  NotAttached: 1011,
  LimitReached: 1012,
  HostTool: 1013,
  Unavailable: 1020,
  Timeout: 1021,
  CallFailed: 1022,
  SignInRequired: 1023,
  InvalidArgument: 1024,
  Config: 1030,
  Edit: 1031,
} as const;
export type Code = (typeof Code)[keyof typeof Code];

/** ErrorKind names an error for programs. */
export type ErrorKind =
  | "cancelled"
  | "internal"
  | "invalidParams"
  | "methodNotFound"
  | "lifecycle"
  | "notInitialized"
  | "protocolVersion"
  /** What the request builds upon is no longer the latest. */
  | "contentModified"
  | "unknownTask"
  | "unknownServer"
  | "unknownTool"
  | "unknownMode"
  | "unknownSource"
  /** A rule forbids the tool; data.cause says which. */
  | "outOfScope"
  /** The tool exists and `winnow.earlyCall` says no. */
  | "notAttached"
  /** `winnow.maxTools` or the model's own limit is reached. */
  | "limit"
  /**
   * The host runs this tool, not the daemon. The daemon says so
   * by {@link TaskCallResult}; the kind is for hosts that make an error of it,
   * as the extension's API does.
   */
  | "hostTool"
  /** The tool's server cannot be reached now. */
  | "unavailable"
  | "timeout"
  | "callFailed"
  | "signInRequired"
  | "invalidArguments"
  | "config"
  | "edit";

/** ErrorData is the data of each error that the daemon answers with. */
export interface ErrorData {
  kind: ErrorKind;
  server?: string;
  tool?: string;
  file?: string;
  line?: number;
  column?: number;
  /** Setting is the setting that decided. */
  setting?: string;
  /** Cause is the scope rule that refused; the message has it in words. */
  cause?: Cause;
  /** Next is what the user can do about it. */
  next?: string;
}

/** ServerShare is who uses the same process of a server. */
export type ServerShare =
  /** Every client of yours, in whatever folder. */
  | "user"
  /** Every client of yours that works in the same folders. */
  | "folder"
  /** No other client. */
  | "client";

/**
 * GatewayInfoResult tells how a client reaches the gateway: gateway/info. The
 * gateway begins to listen when it is first asked for.
 */
export interface GatewayInfoResult {
  /** URL is the address, for streamable HTTP. */
  url: string;
  /**
   * Token is sent as `Authorization: Bearer <token>`. Both hold until the
   * daemon ends.
   */
  token: string;
  /** Label names the server in clients; no server of the user's has it. */
  label: string;
  /**
   * Version is another one when the tools are others, for a host that keeps
   * what it knows of a server as long as its version is the same.
   */
  version: string;
  /** Snippets are configurations to paste. */
  snippets: GatewaySnippet[];
}

/** GatewaySnippet is the configuration of one client. */
export interface GatewaySnippet {
  /** Client is the client's name. */
  client: string;
  by: GatewayWay;
  /**
   * File is where the text belongs: a path from the workspace folder, from the
   * home folder (~) or of a bare name, or a dialog in words; empty for a command.
   */
  file?: string;
  text: string;
  /** Path is that of the file, where there is one. */
  path?: string;
  /** Language is the text's, as editors name it. */
  language: string;
  /**
   * Where says where the text belongs, in a few words. Copied is for whoever
   * has copied it: what to do with it, and with what care.
   */
  where: string;
  copied: string;
}

/** GatewayWay is how a client reaches the gateway. */
export type GatewayWay =
  /**
   * The client starts `winnowd mcp`, which joins the daemon of its
   * folder or runs servers of its own. The text holds no secret, and is good
   * as long as the program stays where it is.
   */
  | "process"
  /** The client sends the token to the address. The text holds both. */
  | "address";

/**
 * GatingVerdict is what a server said about one of its tools and a message,
 * by the tool `_tool_gating`.
 */
export interface GatingVerdict {
  server: string;
  tool: string;
  action: GatingAction;
  /** Ignored says why the verdict has no effect; empty when it has. */
  ignored?: string;
}

/** GatingAction is what a server wants of a tool for one message. */
export type GatingAction =
  /** The tool is not attached this turn. */
  | "exclude"
  /** The tool answers the message, without the model. */
  | "claim";

/** Claim is a tool that answered a message in the model's place. */
export interface Claim {
  server: string;
  tool: string;
  arguments: unknown;
  /** Result is the answer of the turn. */
  result: TaskCallResult;
}

/**
 * ClaimConfirmParams asks the user whether a server's tool may answer a
 * message in the model's place, or run in a program: claim/confirm.
 */
export interface ClaimConfirmParams {
  task: string;
  server: string;
  tool: string;
  arguments: unknown;
  /**
   * Program: a program of mcp_run calls the tool, and Why says what of it the
   * user should know. No server claims the message then.
   */
  program?: boolean;
  why?: string;
  /** Question asks it; from faces that show it. */
  question?: CallQuestion;
}

/** ClaimConfirmResult answers claim/confirm. */
export interface ClaimConfirmResult {
  allow: boolean;
}

/**
 * ImportListResult lists the files of other clients that have servers which can
 * be moved to a file of Winnow's own: those of each workspace folder first, then
 * the user's: import/list. Files are read as they are on the disk.
 */
export interface ImportListResult {
  files: ImportFile[];
}

/** ImportFile is a file of another client that has servers. */
export interface ImportFile {
  /** Client is what people call the program that owns the file. */
  client: string;
  uri: string;
  /** Target is Winnow's own file that the servers go to. It need not exist. */
  target: string;
  servers: ImportServer[];
}

/** ImportServer is a server of another client's file. */
export interface ImportServer {
  name: string;
  state: ImportState;
  /** Problem says why an unusable one is. */
  problem?: string;
  /** Words say both for people; empty for a new one. */
  words?: string;
}

/**
 * ImportState is what Winnow's own file says about a server that may be moved
 * there.
 */
export type ImportState =
  /** The file has no entry of that name. */
  | "new"
  /** It has an entry with rules for the server's tools, which the server joins. */
  | "merges"
  /** It defines a server of that name, so that this one stays where it is. */
  | "taken"
  /**
   * Something is wrong with its entry: it stays where it is until that is
   * corrected.
   */
  | "unusable";

/** ImportPlanParams asks what a move of servers would change: import/plan. */
export interface ImportPlanParams {
  /** Source and Target are the URIs of the two files of an {@link ImportFile}. */
  source: string;
  target: string;
  /** Servers are the names of those to move. */
  servers: string[];
}

/** FileChange is what a file holds and what it will hold. */
export interface FileChange {
  uri: string;
  /** Before and After are absent where there is no such file. */
  before?: string;
  after?: string;
}

/** ImportPlanResult is a move that can be shown and made. Nothing is written. */
export interface ImportPlanResult {
  /** Servers are those that move; none when there is nothing to do. */
  servers: string[];
  /**
   * Changes has Winnow's own file first. Written in this order, a failure in
   * between leaves a server in both files, and not in none.
   */
  changes: FileChange[];
  /** Notes are what the user should know. Words say it for people, in sentences. */
  notes?: ImportNote[];
  words: string;
}

/**
 * ImportNote is something that a user should know about a move, or about its
 * undoing.
 */
export interface ImportNote {
  kind: ImportNoteKind;
  /** Server is the name of the server concerned, of the kinds that say so. */
  server?: string;
  /** Keys are those left out. */
  keys?: string[];
  /** Problem says what is wrong with an unusable entry. */
  problem?: string;
  /** Path is the file concerned. */
  path: string;
}

/** ImportNoteKind is the kind of an {@link ImportNote}. */
export type ImportNoteKind =
  /** Winnow's file defines a server of that name: this one stays in its file. */
  | "taken"
  /** Something is wrong with the server's entry: it stays in its file. */
  | "unusable"
  /** Winnow's file has rules for the server's tools, which stay in force. */
  | "merged"
  /** Keys of the entry are left out: Winnow has no such thing. */
  | "keysLeftOut"
  /**
   * Undoing: the file was changed since the move, and only what the move put
   * there is taken out.
   */
  | "changedSince"
  /** Undoing: the server is in its client's file again, and stays as it is there. */
  | "thereAgain";

/**
 * ImportApplyParams makes a move, after both files and how to undo it are kept:
 * import/apply.
 */
export interface ImportApplyParams {
  plan: ImportPlanParams;
  /**
   * Changes are those that the user has agreed to. The move is refused when it
   * would make others by now.
   */
  changes: FileChange[];
  /**
   * Settings are the host's own that are changed with the move, for the host
   * to change back when it is undone.
   */
  settings?: ImportSetting[];
}

/** ImportSetting is a setting of the host's that was changed with a move. */
export interface ImportSetting {
  name: string;
  before?: unknown;
  after: unknown;
  /**
   * Target is whose setting it is: "user". Versions that did not say so may have
   * changed the workspace's.
   */
  target?: string;
}

/** ImportApplyResult names the move for its undoing. */
export interface ImportApplyResult {
  import: string;
}

/**
 * ImportHistoryResult lists the moves that can be undone, the newest first:
 * import/history.
 */
export interface ImportHistoryResult {
  imports: ImportRecord[];
  /** Broken are those whose record cannot be read any more. */
  broken: BrokenImport[];
}

/** ImportRecord is a move that can be undone. */
export interface ImportRecord {
  import: string;
  /** Client is the one whose file the servers came from. */
  client: string;
  source: string;
  target: string;
  servers: string[];
  settings?: ImportSetting[];
}

/**
 * BrokenImport is a move whose record cannot be read. Both files as they were
 * before it are in the folder.
 */
export interface BrokenImport {
  folder: string;
  reason: string;
}

/**
 * ImportPlanUndoParams asks what undoing a move would change: import/planUndo.
 * It is refused when the move was undone already.
 */
export interface ImportPlanUndoParams {
  import: string;
}

/**
 * ImportPlanUndoResult is what undoing a move changes. Nothing is written. A
 * file that has not changed since the move gets its text back; in another one
 * only the entries are put back and taken out.
 */
export interface ImportPlanUndoResult {
  /** Changes has the other client's file first. */
  changes: FileChange[];
  /** Notes are what the user should know. Words say it for people, in sentences. */
  notes?: ImportNote[];
  words: string;
}

/** ImportUndoParams undoes a move and forgets what was kept for it: import/undo. */
export interface ImportUndoParams {
  import: string;
  /**
   * Changes are those that the user has agreed to. Undoing is refused when it
   * would make others by now.
   */
  changes: FileChange[];
}

/**
 * JournalListParams asks for the newest entries of the record of calls:
 * journal/list.
 */
export interface JournalListParams {
  /** Server restricts them to one server; empty is all. */
  server?: string;
  /** Limit is how many at most; 0 is [MaxJournalEntries]. */
  limit?: number;
}

/** JournalListResult is the record's end. */
export interface JournalListResult {
  /** Entries are the newest first. */
  entries: JournalEntry[];
  /** Truncated: there are older ones. */
  truncated?: boolean;
}

/**
 * JournalEntry is one entry of the record of calls. Its texts are for people,
 * and free of control characters.
 */
export interface JournalEntry {
  /** Time is when it began, as RFC 3339. */
  time: string;
  /** Title is what it is of: a server, and its tool. */
  title: string;
  /** Outcome is how it ended, and how long it took. */
  outcome: string;
  /** Details are who asked for it, who confirmed it, and all else. */
  details: string;
  /** Record is the entry as it is kept. */
  record: unknown;
}

/** InitializeParams opens a session. It must be the first message. */
export interface InitializeParams {
  client: ClientInfo;
  /** ProtocolVersion must equal [Version]. */
  protocolVersion: number;
  workspaceFolders?: WorkspaceFolder[];
  /**
   * StoragePath is an absolute path to a folder of this workspace's own, for
   * caches and consents. Empty keeps everything in memory.
   */
  storagePath?: string;
  /**
   * Trusted says whether the user trusts the workspace. Nothing that a
   * workspace file defines starts before.
   */
  trusted: boolean;
  /**
   * Settings holds the settings that differ from their defaults, named as in
   * {@link Settings}. Unknown keys are reported by window/showMessage.
   */
  settings?: unknown;
  /** WorkspaceSettings is as in {@link DidChangeSettingsParams}. */
  workspaceSettings?: unknown;
  /** WorkspaceSettingsFile is as in {@link DidChangeSettingsParams}. */
  workspaceSettingsFile?: string;
  /**
   * SettingsFile is the path of the file that Settings is the text of, named
   * with a line in messages about them. Empty: they come from elsewhere.
   */
  settingsFile?: string;
  capabilities?: ClientCapabilities;
  /**
   * ToolNames is how a tool's name is shown to models: `short` (default) uses
   * the tool's own name where it is unique, `qualified` always uses
   * mcp__server__tool.
   */
  toolNames?: ToolNames;
  /**
   * BuiltInNames are the host's own tools: no tool of a server is told to a model
   * under one of these names, nor under one that differs in case, or in - and _.
   */
  builtInNames?: string[];
  /** Mode is the slug of the mode to start in; empty is no mode. */
  mode?: string;
  /**
   * UserConfigDir is the folder of the user's own winnow.json. Default: the
   * operating system's configuration folder, in winnow/.
   */
  userConfigDir?: string;
  /**
   * HomeDir is where other clients keep their user files. Default: the
   * user's home folder.
   */
  homeDir?: string;
  /**
   * GlobalStorageDirs are globalStorage folders of the host's extensions, in
   * which Roo Code and Zoo Code keep their global files.
   */
  globalStorageDirs?: string[];
  /**
   * ChatsDir is the folder in which the host keeps the chats of this workspace,
   * a file each, named by the id that requests have as Conversation. Tasks of
   * chats that are gone from it are not listed; and the chat whose file is the
   * first to be written in a session is the one that is open.
   */
  chatsDir?: string;
  network?: Network;
  /**
   * HTTP is VS Code's settings under `http`, for a host that has those instead
   * of Network, which wins.
   */
  http?: HTTPSettings;
}

/** ClientInfo names the host. */
export interface ClientInfo {
  name: string;
  version?: string;
}

/**
 * ClientCapabilities names what the host can do for the daemon. Nothing waits
 * for a host that cannot.
 */
export interface ClientCapabilities {
  /** Prompt: the host answers input/request. */
  prompt?: boolean;
  /** Secrets: the host answers secret/get and secret/set. */
  secrets?: boolean;
  /** HostTools: the host hands over tools by catalog/setHostTools. */
  hostTools?: boolean;
  /** OpenExternal: the host answers window/openExternal. */
  openExternal?: boolean;
  /** ExternalURL: the host answers window/externalUrl. */
  externalUrl?: boolean;
  /** ClaimConfirm: the host answers claim/confirm. */
  claimConfirm?: boolean;
  /**
   * Faults: the host shows the faults of configuration files at their lines, as
   * long as they are there. It gets no message of them.
   */
  faults?: boolean;
}

/** Network is the host's proxy and certificate configuration, for HTTP servers. */
export interface Network {
  /** Proxy is the URL of a proxy; empty uses the environment's. */
  proxy?: string;
  /**
   * NoProxy lists hosts that are reached directly, comma separated; "*" reaches
   * all so. Empty uses the environment's.
   */
  noProxy?: string;
  /**
   * ProxyAuthorization is the Proxy-Authorization header that a proxy is sent
   * for https addresses.
   */
  proxyAuthorization?: string;
  /** InsecureSkipVerify accepts any certificate. */
  insecureSkipVerify?: boolean;
  /** ExtraCACerts are paths of PEM files with additional authorities. */
  extraCACerts?: string[];
}

/**
 * HTTPSettings are those of VS Code's settings under `http` that say how the
 * network is reached. Others are ignored.
 */
export interface HTTPSettings {
  proxy?: string;
  proxySupport?: string;
  noProxy?: string[];
  /** ProxyStrictSSL is true unless it is said. */
  proxyStrictSSL?: boolean;
  /** ProxyAuthorization is a header's value; null, the default, sends none. */
  proxyAuthorization?: string;
}

/** ToolNames is how tools are named for a model. */
export type ToolNames =
  /** Uses the tool's own name where it is unique. */
  | "short"
  /** Always uses mcp__server__tool. */
  | "qualified";

/** WorkspaceFolder is one root of the workspace. */
export interface WorkspaceFolder {
  /** URI is a file: URI. Folders of other schemes are ignored with a warning. */
  uri: string;
  name?: string;
}

/** InitializeResult answers initialize. */
export interface InitializeResult {
  server: ServerIdentity;
  protocolVersion: number;
  capabilities: ServerCapabilities;
}

/** ServerIdentity names the daemon. */
export interface ServerIdentity {
  name: string;
  version: string;
}

/** ServerCapabilities names the optional parts that this daemon has. */
export interface ServerCapabilities {
  strategies: Strategy[];
  rankers: RankerKind[];
}

/** Empty is the params or the result of a method that has none. */
export type Empty = Record<string, never>;

/** CancelParams asks to end a request: $/cancelRequest. */
export interface CancelParams {
  /** ID is the id of the request, a number or a string. */
  id: unknown;
}

/**
 * ProgressParams reports on a long operation: $/progress. The token is
 * `server:` and a name while a server starts, or the token of a call.
 */
export interface ProgressParams {
  token: string;
  value: ProgressValue;
}

/** ProgressValue is one step of a progress report, as LSP's WorkDoneProgress. */
export interface ProgressValue {
  kind: ProgressKind;
  title?: string;
  message?: string;
  /** Percentage is between 0 and 100; absent where the total is unknown. */
  percentage?: number;
}

/** ProgressKind is the stage of a progress report. */
export type ProgressKind =
  | "begin"
  | "report"
  | "end";

/**
 * DidChangeSettingsParams carries settings: settings/didChange. A key that is
 * left out keeps its value; null returns it to its default.
 */
export interface DidChangeSettingsParams {
  settings: unknown;
  /**
   * WorkspaceSettings is all that the workspace says, over the user's own
   * settings: of those that a workspace must not loosen the stricter counts. With
   * it Settings is all that the user says, too, and a key that is left out is at
   * its default.
   */
  workspaceSettings?: unknown;
  /**
   * WorkspaceSettingsFile is the path of the file that the editor keeps the
   * workspace's settings in, named with a line in messages about them.
   */
  workspaceSettingsFile?: string;
}

/** DidChangeFoldersParams carries the new roots: workspace/didChangeFolders. */
export interface DidChangeFoldersParams {
  workspaceFolders: WorkspaceFolder[];
}

/** LogLevel is how much the daemon writes to its standard error. */
export type LogLevel =
  | "debug"
  | "info"
  | "warn"
  | "error";

/**
 * SetLogLevelParams changes what the daemon logs from now on:
 * logging/setLevel. At its start that is up to its flag -log.
 */
export interface SetLogLevelParams {
  level: LogLevel;
}

/** LockMode is what the lock on tools does. */
export type LockMode =
  /** Nothing is compared, and no server's word counts for skipping a question. */
  | "off"
  /**
   * What a server says first is recorded. Where it says something else later,
   * models are told what was recorded, and a tool whose parameters changed is
   * held back, until you have seen the difference. What a known server adds later
   * is named for review, and held back only where something is found in it.
   */
  | "warn"
  /**
   * Only what you approved, or what the lock file of the workspace lists, is
   * attached, found, loaded or called.
   */
  | "enforce";

/** LockState is what the lock says of something that a server offers. */
export type LockState =
  /** Recorded at first sight; nobody has looked at it. */
  | "seen"
  /** Somebody has approved of it as it is. */
  | "approved"
  /** Its server says something else than was recorded. */
  | "changed"
  /** Its server is known, and did not offer it before. */
  | "joined"
  /** Nobody has approved of it, and `winnow.lock` is `enforce`. */
  | "unlisted"
  /** What was recorded cannot be read. */
  | "damaged";

/** LockKind is what kind of thing is locked. */
export type LockKind =
  | "tool"
  | "prompt"
  | "instructions"
  /**
   * That a server offers resources or templates of them, whichever
   * they are: their lists grow by design.
   */
  | "resources";

/** LockPart is a part of a tool or prompt that can change. */
export type LockPart =
  | "texts"
  | "inputSchema"
  | "outputSchema"
  | "annotations"
  | "meta";

/** LockListResult says what waits for the user: lock/list. */
export interface LockListResult {
  mode: LockMode;
  /** Changes are by server, kind and name. */
  changes: LockChange[];
}

/**
 * LockRowsParams asks for what waits for the user as an editor shows it:
 * lock/rows.
 */
export interface LockRowsParams {
  /**
   * Server and Source, the list that it is in, restrict the answer to one
   * server, in all lists of its host; Tool to one tool of it.
   */
  source?: string;
  server?: string;
  tool?: string;
  /** Told are what the user was told of, as in {@link LockNews}. */
  told?: string[];
}

/** LockRowsResult holds changes with what is shown of them. */
export interface LockRowsResult {
  changes: LockChangeRow[];
  /** Servers are those with changes. */
  servers: LockServerRow[];
  /**
   * News are the changes that the user has neither answered nor been told of;
   * absent where there are none.
   */
  news?: LockNews;
}

/**
 * LockChangeRow is a change with its row, whose description says what becomes of
 * it and what matters in it.
 */
export interface LockChangeRow extends LockChange {
  row: Row;
}

/** LockServerRow is a server with changes, and its row. */
export interface LockServerRow {
  /** Answer approves of all that the server says now. */
  answer: LockDecideParams;
  row: Row;
}

/** LockNews tells of changes in one sentence. */
export interface LockNews {
  text: string;
  /** Told name the changes: another content of the same thing is another one. */
  told: string[];
}

/** LockRef names something that is locked. */
export interface LockRef {
  /**
   * Source is the host tool list that the server is in; empty for the daemon's
   * own servers.
   */
  source?: string;
  server: string;
  kind: LockKind;
  /** Name is a tool's or prompt's own; empty for instructions and resources. */
  name?: string;
}

/** LockChange is something that is not as it is locked. */
export interface LockChange extends LockRef {
  /** HostName is the host's name of a tool, where it is another. */
  hostName?: string;
  state: LockState;
  /** Held: models do not get it. Otherwise they are told what is locked. */
  held?: boolean;
  /** Kept: the user has seen this change and keeps what is locked. */
  kept?: boolean;
  /** Parts are those that differ. */
  parts?: LockPart[];
  /** Highlights are what matters in the difference, the weightiest first. */
  highlights?: LockHighlight[];
  /**
   * Findings are what was found in something that joined; it is held back for
   * them.
   */
  findings?: Finding[];
  /**
   * Flagged: the difference speaks to the model, claims less harm, wants more, or
   * has findings. Who asks offers to keep what is locked first.
   */
  flagged?: boolean;
  /** Content names what the server says now; an answer about it says so. */
  content: string;
}

/** LockHighlight is one thing that matters in a difference. */
export interface LockHighlight {
  kind: LockHighlightKind;
  /** Name is that of the parameter or annotation. */
  name?: string;
  /** Text is the sentence that speaks to the model. */
  text?: string;
}

/** LockHighlightKind is what kind of a {@link LockHighlight} it is. */
export type LockHighlightKind =
  /** The parameter Name has to be given now, and had not to. */
  | "required"
  /** The sentence Text is new, and speaks to the model. */
  | "addresses"
  /** The annotation Name claims less harm than before. */
  | "milder"
  /** The parameter Name is new. */
  | "added"
  /** The parameter Name is gone. */
  | "removed"
  /** The parameter Name is described or typed otherwise. */
  | "retyped";

/**
 * LockDiffResult holds both sides of a change as texts to compare: lock/diff.
 * An empty side is not known.
 */
export interface LockDiffResult {
  before: string;
  after: string;
}

/**
 * LockDecideParams is the user's answer about a change, or about all of a
 * server: lock/approve, lock/keep.
 */
export interface LockDecideParams {
  /**
   * Source is the host tool list that the server is in; empty for the daemon's
   * own servers.
   */
  source?: string;
  server: string;
  /** Kind and Name restrict the answer to one thing; empty is all of the server. */
  kind?: LockKind;
  name?: string;
  /**
   * Content names what the user was shown: that of a {@link LockChange}, a {@link ToolInfo}
   * or, about all of a server, a {@link ServerInfo}. Where the server says something
   * else by now, the answer is refused as [KindContentModified].
   */
  content: string;
}

/** LockDecideResult says what an answer did. */
export interface LockDecideResult {
  /**
   * Count is of how many things it was: tools, prompts, the instructions, and that
   * there are resources.
   */
  count: number;
  tools?: number;
  prompts?: number;
  instructions?: boolean;
  resources?: boolean;
  /** Undo takes the answer back by lock/undo; absent when it changed nothing. */
  undo?: string;
  /** Text says so to people; absent of an undo. */
  text?: string;
}

/** LockUndoParams takes an answer back: lock/undo. */
export interface LockUndoParams {
  /**
   * Undo is that of a {@link LockDecideResult} of this session; the last few are
   * known.
   */
  undo: string;
}

/**
 * Finding is something about a tool that a person should look at. It is a hint:
 * harmless tools have some, and harmful ones may have none.
 */
export interface Finding {
  kind: FindingKind;
  /** Text is the sentence or name that it is about, as it stands there. */
  text: string;
  /** Where it stands: `name`, `title`, `description`, or a parameter's name. */
  where?: string;
  /** Other is the tool or server that is named, or that it looks like. */
  other?: string;
}

/** FindingKind is what kind of a {@link Finding} it is. */
export type FindingKind =
  /** The sentence speaks to the model, not about the tool. */
  | "addresses"
  /** The sentence is about Other, a tool of another server. */
  | "otherTool"
  /** The text holds characters that nobody sees. */
  | "hidden"
  /** The name looks like Other, a tool of another server. */
  | "lookalikeTool"
  /** The server's name looks like Other, another one. */
  | "lookalikeServer"
  /**
   * The tool claims that it only reads, and its name says
   * that it changes something.
   */
  | "readOnlyName";

/**
 * ChatBeginParams asks for the messages that a model is sent for a message to
 * @winnow: chat/begin. The host sends them by conversation/route.
 */
export interface ChatBeginParams {
  /** Prompt is the user's text, Attached what belongs to it. */
  prompt: string;
  attached: ChatAttachment[];
  /** Past is the chat so far, oldest first. */
  past: ChatTurn[];
  /** Folders are the paths of the open folders. */
  folders: string[];
  /** ContextTokens is the model's context window; 0 where it is not known. */
  contextTokens: number;
}

/**
 * ChatAttachment is an attachment of a message: a text, a picture, or the reason
 * why it cannot be sent. The host keeps the bytes of a picture, and adds it
 * behind the text of the message.
 */
export interface ChatAttachment {
  name: string;
  text?: string;
  picture?: boolean;
  problem?: string;
}

/** ChatTurn is an earlier message of the user with its answer. */
export interface ChatTurn {
  prompt: string;
  answer: string;
  /** Record is absent where the answer failed too early. */
  record?: ChatRecord;
}

/** ChatRecord is what is kept of a turn. */
export interface ChatRecord {
  /** Messages are those of the turn, results as texts. */
  messages: MessageDigest[];
  /**
   * Dropped is how many of the chat's first turns are no longer sent, since
   * they do not fit.
   */
  dropped: number;
}

/** ChatBeginResult answers chat/begin. */
export interface ChatBeginResult {
  /** Messages are the system prompt, the chat so far, and the new message last. */
  messages: MessageDigest[];
  dropped: number;
  /** Warnings tell the user what is not sent. */
  warnings: string[];
}

/** ChatKeepParams asks what is kept of a turn: chat/keep. */
export interface ChatKeepParams {
  /** Messages are those of the turn, the user's first. */
  messages: MessageDigest[];
  ending: ChatEnding;
  /** Interrupted is the id of the call that the user cancelled while it ran. */
  interrupted?: string;
}

/** ChatEnding is how a turn ended. */
export type ChatEnding =
  /** The model made no more calls. */
  | "answered"
  /** The model was asked as often as the host allows. */
  | "rounds"
  | "cancelled"
  /** The model failed. */
  | "failed";

/** ChatKeepResult answers chat/keep. */
export interface ChatKeepResult {
  /** Messages are for a {@link ChatRecord}. Each call in them has a result. */
  messages: MessageDigest[];
}

/** TaskReportParams asks for what a chat shows of a task: task/report. */
export interface TaskReportParams {
  task: string;
  about: ReportAbout;
  /** Tool restricts a report on why to one tool, as in {@link TaskExplainParams}. */
  tool?: string;
  /** Sections are those of {@link TaskUsageParams}. */
  sections?: UsageSection[];
}

/** ReportAbout is what a report is about. */
export type ReportAbout =
  | "why"
  | "usage";

/** Report is a text for a chat, as Markdown. */
export interface Report {
  markdown: string;
}

/**
 * Row is a row of a list as an editor shows it: what VS Code's TreeItem holds.
 * The texts are for people, and may be worded otherwise in any version.
 */
export interface Row {
  /** Label is what is seen first. Name is the whole of it, where it is shortened. */
  label: string;
  name?: string;
  /** Description stands after the label, dimmed. */
  description?: string;
  /** Tooltip is Markdown, with product icons as $(name). */
  tooltip?: string;
  icon?: Icon;
  /**
   * Context says what can be done with it, for an editor's menus: words between
   * dots, as in `server.own.ready`. It is VS Code's contextValue.
   */
  context?: string;
  /** Checked is there where the row has a checkbox, with what that does. */
  checked?: boolean;
  checkboxTooltip?: string;
  /** Accessibility is what a screen reader says: all that the eye sees. */
  accessibility: string;
}

/** Icon is one of VS Code's product icons, in a colour of the theme. */
export interface Icon {
  id: string;
  /** Color is empty for the colour of the text. */
  color?: string;
}

/**
 * ServerParams names a server that the daemon runs: server/restart,
 * server/stop, server/signIn, server/log.
 */
export interface ServerParams {
  name: string;
}

/**
 * ServerLogResult holds what a server wrote to stderr, and the stray lines of
 * its stdout, the last 64 KiB: server/log.
 */
export interface ServerLogResult {
  text: string;
}

/** ServerWaitParams waits until no server is coming up, for a while: server/wait. */
export interface ServerWaitParams {
  /**
   * Name is the server to wait for; empty waits for all of them. One that
   * would start at its first call is waited for by its name only.
   */
  name?: string;
  /** TimeoutMs is how long to wait; 0 tells how it is now. */
  timeoutMs: number;
}

/** ServerWaitResult is how it is after the wait: server/wait. */
export interface ServerWaitResult {
  servers: ServerInfo[];
  /** Starting names those that are still coming up. */
  starting: string[];
  /**
   * Unusable says, as Markdown, that no server has a tool that can be used, and
   * why; empty where one has. From faces that have a chat.
   */
  unusable?: string;
}

/**
 * ServerConsentParams allows or forbids what a server of a file starts:
 * server/consent.
 */
export interface ServerConsentParams {
  /** File is the path, as {@link ServerInfo} gives it. */
  file: string;
  /**
   * Server is the one that is meant. Without it all of the file's are: a yes is
   * to what they start now, a no also to those that the file gets.
   */
  server?: string;
  /**
   * Hash is that of the {@link ConsentQuestion} that was answered; a yes to something
   * else is refused. Without it a yes is to what starts now.
   */
  hash?: string;
  allow: boolean;
}

/**
 * ConsentQuestion is a server that starts only after the user has agreed to what
 * it starts: catalog/list.
 */
export interface ConsentQuestion {
  server: string;
  /** File and Line are where the entry is. */
  file: string;
  line?: number;
  /** Hash identifies what would start, for {@link ServerConsentParams}. */
  hash: string;
  /**
   * Starts shows it in one line: a command line, or an address. Secrets are
   * hidden here and below. Empty with OnlyRules.
   */
  starts: string;
  /** Parts show all of it, rules included. */
  parts: ConsentPart[];
  /**
   * Rules are what the entry lets happen, and needs a yes: tools that run
   * unasked, words that models see, tools that are always attached.
   */
  rules?: ConsentPart[];
  /**
   * OnlyRules: nothing starts by this entry that may not already; until the yes
   * its rules do not count.
   */
  onlyRules?: boolean;
  /**
   * OwnFile: it is in Winnow's own file of a trusted workspace, where it was
   * added or changed since the workspace was first trusted.
   */
  ownFile?: boolean;
  /**
   * AllowedByFile: the user has allowed the file as a whole, in a version of
   * Winnow that asked so.
   */
  allowedByFile?: boolean;
  /** Declined: the user has said no; nothing is to be asked. */
  declined?: boolean;
  /**
   * Changed: the user has agreed to something else under this name, and Changes
   * are how it differs.
   */
  changed?: boolean;
  changes?: ConsentChange[];
  /** Instead: another server of this name runs until the user agrees. */
  instead?: boolean;
}

/**
 * ConsentPromptParams asks for the next question to the user:
 * server/consentPrompt.
 */
export interface ConsentPromptParams {
  /** Asked are what the user was asked before, as in {@link ConsentPrompt}. */
  asked?: string[];
  /**
   * Server and File ask about that one, whether or not the user was asked
   * before or has declined.
   */
  server?: string;
  file?: string;
}

/** ConsentPromptResult holds the question; absent where nothing is to be asked. */
export interface ConsentPromptResult {
  prompt?: ConsentPrompt;
}

/**
 * ConsentPrompt is a question as it is put: about servers that are new together,
 * or about one that has changed.
 */
export interface ConsentPrompt {
  text: string;
  /** Asked name what is asked: another start of a server is another question. */
  asked: string[];
  /**
   * Answers are for each server that is shown, and for nothing else; a yes has
   * Allow set.
   */
  answers: ServerConsentParams[];
  /**
   * Choices show each of several servers, in the order of Answers, and Choose is
   * the title of the choice; absent for one.
   */
  choices?: ConsentChoice[];
  choose?: string;
  /** Show is the label of what shows the files or, where one has changed, Changes. */
  show: string;
  files: string[];
  changes?: ConsentChanges;
}

/** ConsentChoice is one of several servers that may be allowed. */
export interface ConsentChoice {
  label: string;
  /**
   * Description is the file, Detail the whole command line or address and the
   * rules that need a yes.
   */
  description: string;
  detail: string;
}

/** ConsentChanges are what was allowed and what would start as texts to compare. */
export interface ConsentChanges {
  title: string;
  before: string;
  after: string;
}

/** ConsentPart is one thing about what would start, by the key of the entry. */
export interface ConsentPart {
  key: string;
  text: string;
}

/**
 * ConsentChange is a part that is not as the user has agreed to; Before or After
 * is empty where the part was not there, or is not.
 */
export interface ConsentChange {
  key: string;
  before: string;
  after: string;
}

/**
 * ServerSetEnabledParams writes a server's `disabled` to the file that defines
 * it: server/setEnabled.
 */
export interface ServerSetEnabledParams {
  name: string;
  enabled: boolean;
}

/**
 * ToolSetEnabledParams writes a tool's switch to the file that defines its
 * server: tool/setEnabled. Where `onlyAllow` is in force it is edited, else
 * `disabledTools`. The tool may be named as its server or as the host names it;
 * what is written is the server's own name. What says nothing any more goes
 * from the file.
 */
export interface ToolSetEnabledParams {
  server: string;
  tool: string;
  enabled: boolean;
}

/** ToolApproveParams writes a tool's `alwaysAllow`: tool/approve. */
export interface ToolApproveParams {
  server: string;
  tool: string;
  approved: boolean;
}

/**
 * ToolSetAlwaysLoadParams writes `alwaysLoad`: tool/setAlwaysLoad. Without a
 * tool it goes for the whole server.
 */
export interface ToolSetAlwaysLoadParams {
  server: string;
  tool?: string;
  alwaysLoad: boolean;
}

/**
 * ToolSetDescriptionParams writes a `toolDescriptionOverrides` entry:
 * tool/setDescription. An empty description removes it.
 */
export interface ToolSetDescriptionParams {
  server: string;
  tool: string;
  description?: string;
}

/** EditResult says what a method that edits a user's file did. */
export interface EditResult {
  file: string;
  /** Changed is false when the file already said so. */
  changed: boolean;
  /**
   * Edit takes the change back by edit/undo, as long as nothing else has
   * changed the file. Absent when nothing changed, and of an undo.
   */
  edit?: string;
  /** By is what keeps the change from taking effect; absent where nothing does. */
  by?: EditObstacle;
}

/**
 * EditObstacle is the entry of another file that keeps an edit from taking
 * effect.
 */
export interface EditObstacle {
  file: string;
  line: number;
  column: number;
  /** Text says what it forbids. */
  text: string;
}

/**
 * EditUndoParams gives a user's file the text that it had before an edit, and
 * deletes one that the edit made: edit/undo. It is refused when the file has another text by now.
 */
export interface EditUndoParams {
  /** Edit is that of an {@link EditResult} of this session; the last few are known. */
  edit: string;
}

/** ModeListResult lists the modes: mode/list. */
export interface ModeListResult {
  modes: ModeInfo[];
  /** Current is the slug of the current mode; empty is none. */
  current: string;
  /**
   * Report is the list for a chat's user, as Markdown; from faces that have a
   * chat.
   */
  report?: string;
}

/** ModeInfo describes a mode. */
export interface ModeInfo {
  slug: string;
  name: string;
  description?: string;
  /** File and Line are where it is defined. */
  file: string;
  line?: number;
  /**
   * AllowedMcpServers, when present, are the only servers of the mode, none
   * when empty.
   */
  allowedMcpServers?: string[];
  blockedMcpServers?: string[];
}

/**
 * ModeSetParams makes a mode the current one: mode/set. Empty is no mode. A
 * running task keeps its policy until its next turn.
 */
export interface ModeSetParams {
  mode: string;
}

/**
 * ModeSetServerBlockedParams writes whether a mode sees a server, to the file
 * that defines the mode: mode/setServerBlocked. Where `allowedMcpServers` is
 * set it is edited, else `blockedMcpServers`. A mode of a file that is not
 * Winnow's own is refused.
 */
export interface ModeSetServerBlockedParams {
  mode: string;
  server: string;
  blocked: boolean;
}

/**
 * Settings are Winnow's settings, in VS Code under `winnow.`. The doc comment
 * of a field is what the user reads. Tags: `json` is the setting's name, `title`
 * what it is called, `basic` is the place of one of the few that most people want,
 * `limits` its inclusive bounds, `scope` VS Code's scope when it is not
 * `window`; `restricted` marks what a folder that is not trusted must not set,
 * and one that is only more strictly than the user: it costs, asks less, or sends
 * what somebody typed elsewhere. It lists the values, the strictest first; those
 * that it leaves out are alike; `common` is for lists, of which what both hold is
 * the strictest. `otherwise` names the setting beside a map that holds for what the
 * map does not name.
 */
export interface Settings {
  /**
   * Choose the tools of each request. Off, every tool that the host shows is
   * attached, and your rules still hold.
   */
  enabled: boolean;
  /**
   * How much goes along with a request: several of the settings below at once.
   * What you have set yourself stays as you set it.
   */
  profile: Profile;
  /**
   * Turns of a task whose message is ranked and whose tools are added. After
   * them messages add no more tools; the model still can, by `mcp_load`. **0
   * turns routing off**, as `winnow.enabled` does.
   */
  searchTurns: number;
  /**
   * MCP tools in scope above which routing starts. At or below it every tool
   * is attached.
   */
  threshold: number;
  /**
   * Start routing also when the tools in scope cost more tokens than this. 0
   * goes by their number only.
   */
  thresholdTokens: number;
  /**
   * Tools attached for the first message of a task. K is what search engines call
   * the number of results.
   */
  initialK: number;
  /**
   * Tools that are only named for the first message of a task, the next best
   * below those attached: a line each in the description of `mcp_load`, by
   * which the model attaches them by name. Fewer are named where the lines would
   * cost more than a tenth of the tools that they leave out, or than half of what
   * the request saves of what VS Code would send by itself. 0 names none.
   */
  named: number;
  /** Tools added for each later message, and by each `mcp_load`. */
  searchK: number;
  /**
   * Most tools in one request, the host's own included. A model's own limit
   * wins when it is lower.
   */
  maxTools: number;
  /**
   * Most tokens of the tools attached to one task, pinned ones included. A
   * tool that does not fit is left out, and a cheaper one may take its place.
   * 0 limits their number only.
   */
  budgetTokens: number;
  /** How tools are chosen for each message of a task. */
  strategy: Strategy;
  /**
   * Tools a turn, with strategy `topK`. As with every strategy, at or below
   * `winnow.threshold` tools all are attached: lower that too where fewer are to be
   * cut.
   */
  topK: number;
  /**
   * Which of VS Code's own tools go along with a routed model's requests. What is
   * left out is named, and the model gets it by `mcp_load` or by calling it. Not
   * with `winnow.shadow` or strategy `dispatch`.
   */
  builtInTools: BuiltInTools;
  /** What ranks the tools. */
  ranker: RankerKind;
  /** Ranking by meaning. */
  embeddings: EmbeddingsSettings;
  /** What Winnow learns from how you work, on this machine alone. */
  learn: LearnSettings;
  /**
   * What happens when the model calls a tool that exists but is not attached
   * yet.
   */
  earlyCall: EarlyCall;
  /**
   * Decide and show, but change nothing: every tool in scope is attached, and
   * the views tell what routing would have done.
   */
  shadow: boolean;
  /** The results of tools that Winnow calls. */
  results: ResultsSettings;
  /** The answers of `mcp_search`. */
  search: SearchSettings;
  /** What servers may say about their own tools, message by message. */
  gating: GatingSettings;
  /** Winnow as one MCP server for other clients. */
  gateway: GatewaySettings;
  /** The model proxy. */
  proxy: ProxySettings;
  /** The routed models. */
  routedModels: RoutedModelsSettings;
  /** The daemon itself. */
  daemon: DaemonSettings;
  /** The MCP servers that Winnow runs. */
  servers: ServersSettings;
  /**
   * What happens when a server says something else of its tools, prompts or
   * itself than it did before.
   */
  lock: LockMode;
  /** The record of calls. */
  journal: JournalSettings;
  /**
   * Report anonymous counts of what routing does, never any text, names or
   * arguments, and never above VS Code's own telemetry level. In VS Code they
   * are written to Winnow's log; nothing is sent anywhere.
   */
  telemetry: boolean;
}

/** LearnSettings are the settings under `winnow.learn.`. */
export interface LearnSettings {
  /**
   * Remember which tools the model had to load by itself, and rank them
   * better for messages like that one. What is kept stays in a file on this
   * machine: the tools' names, and prints of the message's words from which
   * the message cannot be read. The command *Clear Caches and Learned Data*
   * forgets it.
   */
  loads: boolean;
  /**
   * Rank tools better whose servers the folder speaks for: a `Chart.yaml` for
   * Kubernetes, `mongodb` in a `package.json` for MongoDB, the host of a git remote.
   * Only names of files and dependencies are read, on this machine, and only in a
   * folder that you trust; a provider of embeddings is sent nothing of it. What was
   * called lately counts too.
   */
  folder: boolean;
}

/** ResultsSettings are the settings under `winnow.results.`. */
export interface ResultsSettings {
  /**
   * Most characters of one result, whatever it is made of but images and
   * audio, in every mode; structured content that repeats the text counts
   * once. A longer one, errors too, is cut: a text keeps its head and tail, a
   * JSON array its first items. The whole is kept for 24 hours, and the model
   * reads the rest by `mcp_result`; what cannot be kept is lost, and the
   * result says so. One that fits loses the blanks of JSON, unless it may be
   * that of a file. One that stands above in the same request is named in place of
   * being sent again, by routed models, @winnow and the proxy. 0 changes nothing.
   */
  maxChars: number;
  /**
   * Most characters of base64 of all images and audio of one result, in every
   * mode. What does not fit is left out, and the result says so; a smaller one
   * behind it still arrives. The default is what providers take of one image. 0
   * lets all pass.
   */
  maxMediaChars: number;
  /**
   * Replace secrets that a server has got from its configuration by a mark,
   * where the server sends them back in a result, a question or an error:
   * values of inputs that are passwords, of authorization headers, and of what
   * is named as a key, token, secret or password, from eight characters on.
   */
  maskSecrets: boolean;
  /**
   * Let a model pass a result on without reading it: an argument may be
   * `{"$from": "<handle>"}`, a part of it by `path`, `lines` or `match`. What one
   * server answered goes to another only when you were asked. false refuses
   * every reference.
   */
  references: boolean;
  /**
   * Let a model run a program of calls by `mcp_run`, in Starlark: several calls
   * in one, of tools of servers that Winnow runs, of which it reads what the
   * program returns. Each call is checked, asked about and recorded as any
   * other; one that you could not be asked about is not made.
   */
  programs: boolean;
}

/** SearchSettings are the settings under `winnow.search.`. */
export interface SearchSettings {
  /** Tools that `mcp_search` shows where the model names no number; 20 at most. */
  results: number;
}

/** GatingSettings are the settings under `winnow.gating.`. */
export interface GatingSettings {
  /**
   * Servers, by name, that may see each of your messages: those among them that
   * offer `_tool_gating` are asked which of their own tools matter for it. No
   * other server is.
   */
  servers: string[];
  /**
   * Milliseconds for which a message waits for servers that offer
   * `_tool_gating`. A server that is late excludes nothing.
   */
  timeoutMs: number;
  /**
   * What happens when a server claims that a tool of its own answers the
   * message, without the model.
   */
  claims: GatingClaims;
}

/** GatewaySettings are the settings under `winnow.gateway.`. */
export interface GatewaySettings {
  /** What clients of the gateway are shown. */
  mode: GatewayMode;
  /**
   * When you are asked about a call of a tool that may write. The question
   * comes through the client, so only clients that support elicitation ask.
   */
  confirmWrites: ConfirmWrites;
  /**
   * The same for single servers, by name:
   * `"winnow.gateway.confirmWritesFor": { "github": "never" }`. In
   * Winnow's own files also by a key: `"gateway.confirmWritesFor.github": "never"`. A
   * server that is not named goes by `winnow.gateway.confirmWrites`.
   */
  confirmWritesFor: Record<string, ConfirmWrites>;
  /**
   * Offer the gateway to VS Code's own agent too, as the MCP server *Winnow
   * Gateway*: for models that have no routed model beside them, such as
   * Copilot's own. With a model named “… (Winnow)” leave it off: that one
   * has the tools of the servers that VS Code runs itself.
   */
  inVSCode: boolean;
}

/** ProxySettings are the settings under `winnow.proxy.`. */
export interface ProxySettings {
  /**
   * Minutes without a request after which a message of a conversation adds
   * tools again. Tools stand before all that is said, so each that is added
   * has the provider read the whole conversation anew while it still has it in
   * its cache. Until then the tools stay as the first message chose them, and
   * the model adds others by `mcp_load`. 0 adds tools for each message, as
   * elsewhere. With `winnow.strategy` at `topK` it has no effect: there each
   * message chooses all tools anew.
   */
  appendAfterMinutes: number;
}

/**
 * RoutedModelsSettings are the settings under `winnow.routedModels.`. The
 * extension goes by them.
 */
export interface RoutedModelsSettings {
  /**
   * Offer routed models for Copilot's own models too. Copilot counts **each
   * forwarded request as one that you made yourself, and may bill it**: an
   * agent at work sends many for one message. For Copilot's models the gateway
   * is usually the better way.
   */
  copilot: boolean;
}

/**
 * DaemonSettings are the settings under `winnow.daemon.`. The extension goes
 * by them.
 */
export interface DaemonSettings {
  /**
   * The absolute path of the `winnowd` to run. Empty runs the one that comes
   * with the extension.
   */
  path: string;
}

/** ServersSettings are the settings under `winnow.servers.`. */
export interface ServersSettings {
  /**
   * When servers start and stop. One of which Winnow does not know how it works and
   * whose entry has no `share`, that a client does not share, that is in
   * `winnow.gating.servers`, of which somebody follows a resource, that has sent
   * you to sign in, or that has changed its tools may keep a state: it does
   * not stop.
   */
  start: ServerStart;
  /**
   * Minutes for which the process of a server stays that nothing uses. Clients that start the same server share its process, as `share` of
   * the server's entry says. 0 shares none and stops none: each client runs
   * processes of its own, which end with it.
   */
  idleMinutes: number;
  /**
   * Also run the servers of `.vscode/mcp.json`. VS Code runs them itself, so
   * switch this on only where Winnow stands in front of them.
   */
  fromVSCode: boolean;
}

/** JournalSettings are the settings under `winnow.journal.`. */
export interface JournalSettings {
  /**
   * Keep the text of what a tool was called with in the record of calls, too,
   * and of the error where it failed; arguments also in what is sent to
   * OpenTelemetry. Off, the record has a hash of the arguments. What is longer
   * than 64 KiB is left to its hash.
   */
  arguments: boolean;
}

/** Profile is how much goes along with a request. */
export type Profile =
  /** 30 tools for the first message and 90 by name. */
  | "standard"
  /**
   * 15 tools for the first message and 105 by name: little more than half the
   * tokens; in one task of ten the model asks once more.
   */
  | "lean"
  /**
   * For small models that run on your machine: 8 tools for the first message,
   * 30 by name, 4 for each later one, and 3 in what `mcp_search` shows. Of the
   * tools of servers that Winnow runs they get the beginning of the description,
   * and of each parameter's its first sentence.
   */
  | "small";

/** Strategy is how tools are chosen for each message of a task. */
export type Strategy =
  /**
   * Rank the first messages of a task and add what fits; nothing is ever
   * removed, so the prompt cache survives.
   */
  | "window"
  /** Choose the best tools afresh for each message. */
  | "topK"
  /**
   * Attach none; the model finds tools by `mcp_search` and runs them by
   * `mcp_call`. The cost does not grow with the number of tools.
   */
  | "dispatch";

/** GatingClaims is what happens when a server claims a message. */
export type GatingClaims =
  /** You are asked, unless the tool only reads and you have approved it, or allowed it once. */
  | "ask"
  /** A tool of which its server says that it only reads runs at once, which counts as your having allowed it; you are asked about any other. */
  | "allow"
  /** The model answers. */
  | "never";

/** GatewayMode is what clients of the gateway are shown. */
export type GatewayMode =
  /**
   * `dynamic` for clients that are known to list again when their list has
   * grown, by what they did before or by their name; `dispatch` for all others,
   * and in every mode but `all` for clients of MCP 2026-07-28, whose lists may
   * not grow.
   */
  | "auto"
  /**
   * `mcp_load`, `mcp_call`, `mcp_read` and the pinned tools; what is loaded joins the list,
   * and can be run by `mcp_call` at once.
   */
  | "dynamic"
  /**
   * `mcp_search`, `mcp_call`, `mcp_read` and the pinned tools; the list does not grow with
   * what is found.
   */
  | "dispatch"
  /** Every tool in scope. */
  | "all";

/** ConfirmWrites is when the user is asked about a call that may write. */
export type ConfirmWrites =
  /** For calls by `mcp_call`: the client cannot tell by its name what they run. */
  | "dispatched"
  /** For every call. */
  | "always"
  /** Never; the client asks on its own, or not. */
  | "never";

/** RankerKind is what ranks the tools. */
export type RankerKind =
  /** The best that is available, falling back by itself. */
  | "auto"
  /** Words and embeddings together. */
  | "hybrid"
  /** Embeddings only. */
  | "embeddings"
  /** Words only (BM25). */
  | "bm25"
  /** The number of shared words of four letters and more. */
  | "keyword";

/** BuiltInTools says which of VS Code's own tools go along. */
export type BuiltInTools =
  /** All of them. */
  | "keep"
  /**
   * Those that the prompt of the request names, those to read, search, edit, run
   * and plan, those that your chats have called lately, and what the message asks
   * for.
   */
  | "rare"
  /**
   * Those to read, search, edit, run and plan, and what the message asks for. The
   * prompt then names tools that the model has to load.
   */
  | "all";

/** EarlyCall is what happens to a call of a tool that is not attached. */
export type EarlyCall =
  /** Run the tool, and attach it. */
  | "attach"
  /** Attach the tool, and ask the model to call again with its schema at hand. */
  | "retry"
  /** Refuse, and name the tool that finds others. */
  | "refuse";

/** ServerStart is when servers start. */
export type ServerStart =
  /**
   * At once. A local server that is known to keep no state, or whose entry says
   * with whom it is shared, stops when nothing has used it for `winnow.servers.idleMinutes`, and starts again when it is called.
   */
  | "auto"
  /** At once, and they stay. */
  | "eager"
  /**
   * A server whose tools are known from an earlier run starts at its first
   * call, and stops as with `auto`.
   */
  | "lazy";

/** StatusParams asks what an editor's status bar says: status/show. */
export interface StatusParams {
  /** Source and HostServers are those of {@link CatalogRowsParams}. */
  source?: string;
  hostServers?: string[];
  /** Models are the names of those that the user can use Winnow with. */
  models?: string[];
  /**
   * Rest are the tokens of the latest task's newest request besides those of MCP's
   * tools; 0 where it is not known.
   */
  rest?: number;
  /**
   * Restricted: the user does not trust the folder, so that what it defines does
   * not start.
   */
  restricted?: boolean;
}

/** StatusResult is the item of the status bar, and the menu behind it. */
export interface StatusResult {
  /** Text has product icons as $(name). */
  text: string;
  /** Tooltip is Markdown; its links run commands. */
  tooltip: string;
  /** Accessibility is what a screen reader says. */
  accessibility: string;
  /** Warning: something waits for the user. */
  warning?: boolean;
  /** Menu is what the user can do, what waits for them first. */
  menu: MenuEntry[];
  /**
   * Ways say what each way to use Winnow with Copilot's own models saves, by the
   * servers that there are. A daemon always says it.
   */
  ways?: ModelWays;
}

/** ModelWays are what ways to Copilot's own models come to, a sentence each. */
export interface ModelWays {
  /** Gateway is the agent of VS Code with Winnow's gateway as its only MCP server. */
  gateway: string;
  /** Participant is the agent that @winnow is. */
  participant: string;
  /** Routed is a routed model beside each, by a setting. */
  routed: string;
}

/**
 * MenuEntry is an entry of a menu; with neither a command nor a fault it is a
 * heading.
 */
export interface MenuEntry {
  label: string;
  description?: string;
  /** Command is what it runs, on Server where that is not empty. */
  command?: string;
  server?: string;
  /** Fault is the place that it opens. */
  fault?: FileFault;
}

/** TaskOpenParams opens a task with its first message: task/open. */
export interface TaskOpenParams {
  /** Message is the user's own words. */
  message: string;
  /** Source is the host tool list to route; empty is the daemon's servers. */
  source?: string;
  /** Mode is the slug of the mode; empty is the current one. */
  mode?: string;
  model?: ModelLimits;
  choices?: TaskChoices;
  /** State resumes a saved task in place of opening a new one. */
  state?: TaskState;
  /** WantState asks for the state of the task in the attachment. */
  wantState?: boolean;
}

/** ModelLimits is what a model and its host leave for MCP tools. */
export interface ModelLimits {
  /** MaxTools is the model's own limit on tools in a request; 0 is unknown. */
  maxTools?: number;
  /** ContextTokens is the size of the context window; 0 is unknown. */
  contextTokens?: number;
  /** NativeTools counts the tools that the host sends besides. */
  nativeTools?: number;
}

/** TaskChoices are what the user decided for one task only. */
export interface TaskChoices {
  /** Pinned tools are attached from the start. */
  pinned?: ToolRef[];
  /** Disabled tools are out of scope. */
  disabled?: ToolRef[];
}

/** ToolRef names a tool by its identity within a source. */
export interface ToolRef {
  server: string;
  tool: string;
}

/** TaskTurnParams takes a turn with a new user message: task/turn. */
export interface TaskTurnParams {
  task: string;
  message: string;
  /** Source is the host tool list from this turn on, when present. */
  source?: string;
  /** Mode switches the mode from this turn on, when present. */
  mode?: string;
  model?: ModelLimits;
  choices?: TaskChoices;
  /** WantState asks for the state of the task in the attachment. */
  wantState?: boolean;
}

/**
 * TaskCompactParams says that the host has compacted the conversation, so that
 * the prompt cache is lost and the tools may be chosen afresh: task/compact.
 */
export interface TaskCompactParams {
  task: string;
  /** Message is what the afresh ranking goes by; default the task's latest. */
  message?: string;
  /** WantState asks for the state of the task in the attachment. */
  wantState?: boolean;
}

/** TaskResumeParams restores a saved task: task/resume. */
export interface TaskResumeParams {
  state: TaskState;
  /** WantState asks for the state of the task in the attachment. */
  wantState?: boolean;
}

/** TaskParams names a task: task/close, task/tools. */
export interface TaskParams {
  task: string;
}

/**
 * TaskListResult lists the open tasks, the one that was worked on last at the
 * end: task/list. Explaining a task or asking for its usage is no work on it.
 * Before there is one, it has the past task of the chat that the host has open.
 */
export interface TaskListResult {
  tasks: TaskSummary[];
  week: WeekSavings;
  /** Days are the last of which there are sums, the earliest first. */
  days?: DaySavings[];
}

/**
 * WeekSavings sums up the routed requests of the current week in this
 * workspace, those of @winnow left out: no client would send them. It is set to zero by savings/reset.
 */
export interface WeekSavings {
  /** Monday is the day on which the week began, as 2006-01-02. */
  monday: string;
  tasks: number;
  /**
   * Requests counts those that are known: an editor's agent is seen with each
   * of its requests, other hosts with one for each turn.
   */
  requests: number;
  /** Client, ClientSaved and Saved sum up those of {@link AttachedTokens}. */
  client?: number;
  clientSaved: number;
  saved: number;
}

/**
 * DaySavings sums up the routed requests of one day in this workspace, as
 * {@link WeekSavings} does of the week.
 */
export interface DaySavings {
  /** Day is the date, as 2006-01-02. */
  day: string;
  tasks?: number;
  requests: number;
  client?: number;
  clientSaved?: number;
  saved?: number;
  /**
   * LeftOut are the tokens of the tools in scope that the requests went without,
   * by server.
   */
  leftOut?: Record<string, number>;
}

/** TaskSummary describes an open task. */
export interface TaskSummary extends TaskFacts {
  task: string;
  source: string;
  mode: string;
  /** ModeName is the mode's name; empty where there is no such mode any more. */
  modeName?: string;
  /**
   * OutOfMode counts the tools that the mode takes away from the task; those that
   * another rule keeps out are not among them.
   */
  outOfMode?: number;
  turn: number;
  frozen: boolean;
  counts: AttachedCounts;
  tokens: AttachedTokens;
  /** Routing is how the latest turn chose the tools. */
  routing: AttachmentMode;
  used: UsedTools;
  /**
   * Shadow: the user only watches (`winnow.shadow`), and Counts and Tokens
   * are what routing would have made of the task. Missed counts the tools
   * that were called while routing would not have attached them.
   */
  shadow?: boolean;
  missed?: number;
  /**
   * MissedTools are those tools by their servers' own names, in the order of their
   * first calls.
   */
  missedTools?: ToolRef[];
  /**
   * Warnings are for the user, of the latest turn: those of its {@link Attachment},
   * and while the user only watches also those of what routing would have
   * attached.
   */
  warnings?: string[];
  /**
   * Client: the task's client has said what it would send by itself (see
   * {@link ClientTools}), and Tokens.Client is that. Otherwise it is every tool.
   */
  client?: boolean;
  /** ClientComputed: a part of Tokens.Client is not observed (see {@link ClientTools}). */
  clientComputed?: boolean;
  /**
   * Past: it is the task of a chat of an earlier session, as it was then. Guess:
   * nothing says yet that this chat is the one that the host has open again.
   */
  past?: boolean;
  guess?: boolean;
  /**
   * At is when the chat of a past task was used last, in milliseconds of Unix
   * time.
   */
  at?: number;
}

/** TaskFacts are what is known of a task besides its tools, by its latest request. */
export interface TaskFacts {
  /**
   * Title is the beginning of its first message, on one line, or the name of the
   * gateway's client; absent where neither is known. It is the user's text: show it, never log it.
   */
  title?: string;
  /** ModelName is what people call the model that answers. */
  modelName?: string;
  /** AllListed is that of {@link ConversationRouteParams}. */
  allListed?: boolean;
  /** Sections are what the request holds besides MCP's tools. */
  sections?: UsageSection[];
}

/** UsedTools counts the tools that a task's model has called, each once. */
export interface UsedTools {
  called: number;
  /** InHand of them were attached before the model asked for any. */
  inHand: number;
  /**
   * GroupCalls is how many groups of its client's own the model would have had
   * to open for them, by a call each; see {@link ClientTools}.
   */
  groupCalls?: number;
}

/** Attachment is what a task's next request should carry. */
export interface Attachment {
  task: string;
  /** Generation rises with each change of the attached tools. */
  generation: number;
  mode: AttachmentMode;
  /** Turn counts user messages from 1. */
  turn: number;
  /** Frozen: the rolling window is over; only mcp_load attaches more. */
  frozen: boolean;
  /** Tools are in the order in which they were attached. */
  tools: AttachedTool[];
  metaTools: MetaTool[];
  counts: AttachedCounts;
  tokens: AttachedTokens;
  /** Ranker names what ranked this turn; empty when nothing was ranked. */
  ranker?: string;
  /** Warnings are for the user, such as a count above a model's limit. */
  warnings?: string[];
  /**
   * Shadow: the user only watches (`winnow.shadow`), so Tools holds
   * everything in scope and WouldAttach what routing had chosen.
   */
  shadow?: boolean;
  wouldAttach?: AttachedTool[];
  /**
   * Claim is present when a tool that its server wanted to answer the
   * message has run; its result is the answer of the turn.
   */
  claim?: Claim;
  /**
   * State restores the task by task/resume or task/open, in this daemon or
   * a later one. It holds each tool once more, and is there only when the
   * request asked for it by wantState.
   */
  state?: TaskState;
}

/** AttachmentMode is how the tools of an attachment were chosen. */
export type AttachmentMode =
  /** Every tool in scope is attached. */
  | "all"
  /** The tools were ranked. */
  | "dynamic"
  /** None is attached; the model searches and calls. */
  | "dispatch";

/** AttachedTool is a tool as the model is told of it. */
export interface AttachedTool {
  name: string;
  server: string;
  tool: string;
  description: string;
  inputSchema: unknown;
  /**
   * Tokens is the o200k cost of the JSON object of name, description and
   * inputSchema.
   */
  tokens: number;
  /** Turn is when it was attached. */
  turn: number;
  reason: AttachReason;
  /** Score is what the ranker gave it; 0 when it was not ranked. */
  score?: number;
}

/** AttachReason is why a tool was attached. */
export type AttachReason =
  /** Routing is off or not needed. */
  | "all"
  /** Always-load, or pinned for the task. */
  | "pinned"
  /** The task has called it before. */
  | "called"
  /** It was among the best for a message. */
  | "ranked"
  /** Too few tools matched, and a free slot was left. */
  | "fill"
  /** The model asked for it by mcp_load. */
  | "loaded"
  /** The model called it before it was attached. */
  | "earlyCall";

/** MetaTool is a tool of Winnow's own, such as mcp_load. */
export interface MetaTool {
  name: string;
  description: string;
  inputSchema: unknown;
}

/** NamedTool is a tool that a model was told of by name alone. */
export interface NamedTool {
  /** Name is what the model was told. */
  name: string;
  server: string;
  tool: string;
  /** About says in at most ten words what it is for; may be empty. */
  about?: string;
  /** Answered: an answer of mcp_load named it, and not its description. */
  answered?: boolean;
}

/** AttachedCounts counts tools. */
export interface AttachedCounts {
  /** Scoped tools could be attached. */
  scoped: number;
  /** Attached tools are, of those; meta tools are not counted. */
  attached: number;
  /**
   * Kept tools are attached too, and could not be any more: a rule keeps them
   * out by now, or their server is gone. They stay for the prompt cache.
   */
  kept?: number;
  /** Named tools are not attached, and the model knows their names. */
  named?: number;
  /** Native tools are the host's own. */
  native: number;
}

/** AttachedTokens is what tools cost, in o200k tokens. */
export interface AttachedTokens {
  /**
   * All is the cost of every tool in scope: what a client that hides nothing
   * sends.
   */
  all: number;
  /**
   * Attached is the cost of the attached tools and the meta tools; Meta is that of
   * the meta tools alone.
   */
  attached: number;
  meta?: number;
  /** Saved is All less Attached; negative when routing costs more. */
  saved: number;
  /**
   * Client is what the task's own client would send by itself, which may hide
   * tools too; All where it was not told (see {@link ClientTools}).
   */
  client: number;
  /** ClientSaved is Client less Attached; negative when routing costs more. */
  clientSaved: number;
}

/**
 * ClientTools is what a client that hides tools by itself, such as VS Code,
 * would send of MCP's without Winnow.
 */
export interface ClientTools {
  /** Visible names the tools of the source that it would send as they are. */
  visible: string[];
  /** Groups stand for the others. */
  groups?: ClientGroup[];
  /**
   * Tokens is what all of it costs; the daemon counts it, with the tools of the
   * servers that it runs, as if the client ran them. Computed: there are such
   * tools, of which the client's groups are not known.
   */
  tokens?: number;
  computed?: boolean;
}

/**
 * ClientGroup is a tool that a client sends in place of others. Its model has to
 * call it before it can call one of them.
 */
export interface ClientGroup {
  name: string;
  description?: string;
  inputSchema?: unknown;
  /** Hides names the tools of the source that it stands for. */
  hides?: string[];
}

/**
 * TaskState is a task that can be saved and restored. Hosts keep it as it is
 * and never look inside.
 */
export interface TaskState {
  version: number;
  task: string;
  source: string;
  mode: string;
  modeAsked: string;
  routing: AttachmentMode;
  turn: number;
  window: number;
  /**
   * SubjectAt is the first message of the window that says what it is about; 0
   * for none. ChosenBy is the setting that said how many tools the latest
   * message attached.
   */
  subjectAt?: number;
  chosenBy?: string;
  generation: number;
  loadOffered: boolean;
  model: ModelLimits;
  choices: TaskChoices;
  tools: AttachedTool[];
  called: ToolRef[];
  /** Named are the tools that the model was told of by name alone. */
  named?: NamedTool[];
  /**
   * Index describes the servers to a model that searches and calls; it is
   * written once. Shown are the tools whose schema the model has seen.
   */
  index?: string;
  shown?: ShownTool[];
  /** Client is what the task's client would send by itself. */
  client?: ClientTools;
  /** ResultOffered: mcp_result was offered, and so it stays. */
  resultOffered?: boolean;
  /** Message and Earlier are the user messages that later turns rank by. */
  message: string;
  earlier: string[];
  /** Conversation and Messages find the task again by conversation/route. */
  conversation?: string;
  messages?: MessageDigest[];
}

/** ShownTool is a tool whose schema a model has seen. */
export interface ShownTool extends ToolRef {
  /** Digest is that of the schema; a changed one is shown again. */
  digest: string;
}

/**
 * TaskRowsResult holds what task/list does, in its order and in words:
 * task/rows.
 */
export interface TaskRowsResult {
  tasks: TaskRow[];
  /**
   * Week says what was saved this week; empty before there is a request to sum
   * up.
   */
  week: string;
}

/** TaskRow is an open task with its texts. */
export interface TaskRow extends TaskSummary {
  texts: TaskTexts;
}

/**
 * TaskTexts words an open task. Its title and the name of its model are known to
 * the host alone, which adds them.
 */
export interface TaskTexts {
  /** Row is the task's. Its label is the place of the task, as "Task 2". */
  row: Row;
  /** Summary says what was attached and what that saves, as a part of a sentence. */
  summary: string;
  /**
   * Notes are sentences on what the person has to know besides: the tools that
   * routing would have missed, then the warnings.
   */
  notes?: string[];
  /** Warnings are the rows of those notes that no row of a tool tells of. */
  warnings?: Row[];
  /** Costs is both comparisons of what it costs, in sentences. */
  costs: string;
  /** Used says what the model had at hand; empty before it has called a tool. */
  used?: string;
}

/**
 * TaskToolsResult holds the rows of the tools that a task has missed, and of
 * those that it has, each with those first that were called: task/tools.
 */
export interface TaskToolsResult {
  rows: TaskToolRow[];
}

/** TaskToolRow is the row of a tool of a task. */
export interface TaskToolRow {
  tool: ToolRef;
  row: Row;
}

/**
 * TaskWhyParams asks why tools are or are not attached, as a page of an editor
 * shows it: task/why.
 */
export interface TaskWhyParams {
  /** Task is what is explained; empty together with Message only. */
  task?: string;
  /**
   * Message, where it is not empty, is tried: the answer tells what a new task
   * would get that begins with it, with the list of tools and the model of Task.
   * Nothing is sent to a model or a server, no task is opened, nothing is learned.
   */
  message?: string;
  /**
   * Source is the host tool list of Message where there is no Task; empty is the
   * daemon's servers.
   */
  source?: string;
  /**
   * Filter leaves those tools whose server, name or sentence has each of its
   * words.
   */
  filter?: string;
  /** Open are the tools of which the rule, the rank and the score are told, too. */
  open?: ToolRef[];
}

/** TaskWhyResult is the page. Its texts are plain. */
export interface TaskWhyResult {
  /** Summary says how many tools are attached, and what they cost. */
  summary: string;
  /**
   * Note says what is to be known of the answer, such as that the user only
   * watches; empty for nothing.
   */
  note?: string;
  /** Groups are in the order in which they are shown; none is empty. */
  groups: WhyGroup[];
}

/**
 * WhyGroup holds the tools of which the same became, those that were called first,
 * then by relevance.
 */
export interface WhyGroup {
  /** ID is stable. */
  id: string;
  heading: string;
  rows: WhyRow[];
  /** More says how many there are besides; empty where Rows are all. */
  more?: string;
}

/** WhyRow says of one tool why it is attached or not. */
export interface WhyRow {
  tool: ToolRef;
  name: string;
  tokens: string;
  /** Sentence says why. */
  sentence: string;
  /** Why is what the button is called that opens the details. */
  why: string;
  /** On is what the switch of the tool stands at; absent where it has none. */
  on?: boolean;
  actions: WhyAction[];
  /** Details are there where they were asked for. */
  details?: WhyDetails;
}

/** WhyAction is a button beside a tool. */
export interface WhyAction {
  label: string;
  /** Command is an editor's command on the tool. */
  command: string;
}

/** WhyDetails say what decided about a tool. */
export interface WhyDetails {
  /**
   * Verdict is a sentence with the rule and the rank; Score sums up Parts, and is
   * empty where the tool was not compared.
   */
  verdict: string;
  score?: string;
  parts?: WhyPart[];
  /**
   * Place is what the tool is kept out by, where that is written somewhere, and
   * PlaceLabel what the button is called that opens it.
   */
  place?: Cause;
  placeLabel?: string;
}

/** WhyPart is a part of a score. */
export interface WhyPart {
  name: string;
  /** Value has its sign. Matched is what of the message and the tool it comes from. */
  value: string;
  matched?: string;
}

/** TaskLoadParams attaches more tools: task/load. Either query or names. */
export interface TaskLoadParams {
  task: string;
  query?: string;
  /** Names are names as the model gets them, or `server/tool`. */
  names?: string[];
  /** Limit is the most tools a query may attach; default `winnow.searchK`. */
  limit?: number;
  /** WantState asks for the state of the task in the attachment. */
  wantState?: boolean;
}

/** TaskLoadResult answers task/load. */
export interface TaskLoadResult {
  loaded: LoadedTool[];
  /** Text is the answer for the model. */
  text: string;
  /**
   * Report is the answer for a chat's user, as Markdown; from faces that have a
   * chat.
   */
  report?: string;
  attachment: Attachment;
}

/** LoadedTool is a tool that a load asked for or found. */
export interface LoadedTool {
  name: string;
  server: string;
  tool: string;
  /** Already: it was attached before. */
  already: boolean;
}

/** TaskSearchParams looks for tools in a task's scope: task/search. */
export interface TaskSearchParams {
  task: string;
  query: string;
  limit?: number;
}

/** TaskSearchResult holds the matches, best first. */
export interface TaskSearchResult {
  ranker: string;
  tools: TaskSearchTool[];
  /** Compared counts the tools that were searched. */
  compared: number;
}

/** TaskSearchTool is a match of task/search. */
export interface TaskSearchTool extends FoundTool {
  /** Own is what the server calls itself and the tool; Name may be a host's. */
  own: ToolRef;
  attached: boolean;
  /** Signature is the tool's parameters in one line. */
  signature: string;
}

/**
 * TaskDescribeCallParams asks what a call would run, without running it, so
 * that a host can ask the user first: task/describeCall.
 */
export interface TaskDescribeCallParams {
  task: string;
  /** Name and Arguments are those of the call that would be made. */
  name: string;
  arguments?: unknown;
}

/** TaskDescribeCallResult says what a call would run. */
export interface TaskDescribeCallResult {
  /** Meta: Winnow itself answers the call, and no tool runs. */
  meta?: boolean;
  /**
   * Host: the tool is one of the host's own list, which makes the call, and asks
   * where it must.
   */
  host?: boolean;
  /** Server and Tool name the tool; Title is the server's own word for it. */
  server?: string;
  tool?: string;
  title?: string;
  /** Arguments are what the tool would get. */
  arguments?: unknown;
  /**
   * Passed says which results the arguments pass on unread; empty where they
   * pass on none.
   */
  passed?: string;
  /** ReadOnly: its server says that the tool only reads. */
  readOnly?: boolean;
  /** Approved: the user's `alwaysAllow` lets it run without asking. */
  approved?: boolean;
  /** Confirm: the user is to be asked first. */
  confirm?: boolean;
  /** Question asks it; present where Confirm is true. */
  question?: CallQuestion;
}

/** CallQuestion asks the user whether a call may be made, or a claim. */
export interface CallQuestion {
  /** Title is the headline of a question in a chat, and Markdown the whole. */
  title: string;
  markdown: string;
  /**
   * Line is the whole in one line, for a notification, with the beginning of the
   * arguments.
   */
  line: string;
}

/** TaskCallParams calls a tool on behalf of a task: task/call. */
export interface TaskCallParams {
  task: string;
  /** Name is the tool's name as the model got it. */
  name: string;
  arguments?: unknown;
  /** ProgressToken asks for $/progress with this token. */
  progressToken?: string;
  /** WantState asks for the state of the task in the attachment. */
  wantState?: boolean;
  /** Consent is the user's yes, where the host has asked about this call. */
  consent?: CallConsent;
}

/**
 * CallConsent is how far the user's yes to a call of a tool reaches. That a tool
 * has run once counts for later calls of it, too, where its server says that it
 * only reads.
 */
export type CallConsent =
  /** This call. */
  | "once"
  /** Each call of the tool in this task, as the tool is now. */
  | "task"
  /** Each call, by `alwaysAllow` of the server's entry. */
  | "always";

/** TaskCallResult is the tool's answer, as MCP's CallToolResult. */
export interface TaskCallResult {
  content: unknown[];
  isError: boolean;
  structuredContent?: unknown;
  /** Meta is the `_meta` of the server's result. */
  meta?: unknown;
  /** Server and Tool name what really ran; empty for a meta tool. */
  server?: string;
  tool?: string;
  /** Shaped is present when the result was too long and was cut. */
  shaped?: ShapedResult;
  /** Attachment is present when the call changed what is attached. */
  attachment?: Attachment;
  /**
   * Host is present when the tool is one of the host's own list, and in the
   * answer to conversation/call for any tool of a source: the host
   * makes this call, and nothing has run here. IsError is then true and
   * Content says so, for a host that does not look here.
   */
  host?: HostCall;
}

/** HostCall is a call that is the host's to make. */
export interface HostCall {
  /** Name is the tool's name in the host's list. */
  name: string;
  /** Arguments are always an object. */
  arguments: unknown;
}

/** ShapedResult says how a result was cut. */
export interface ShapedResult {
  kind: ShapedKind;
  /** OmittedChars is how many characters of text were left out. */
  omittedChars: number;
  /**
   * Handle reads the whole result by mcp_result, as long as the task is
   * open; empty when it could not be kept.
   */
  handle?: string;
}

/** ShapedKind is how a result was cut. */
export type ShapedKind =
  /** The middle of a text is left out. */
  | "text"
  /** The last items of a JSON array are left out. */
  | "array"
  /** Parts of a JSON value are left out. */
  | "json";

/** TaskExplainParams asks why tools are or are not attached: task/explain. */
export interface TaskExplainParams {
  task: string;
  /** Tool restricts the answer to a name, as the model would get it. */
  tool?: string;
}

/**
 * TaskExplainResult holds the attached tools in their order, then the others
 * by rank, then those out of scope.
 */
export interface TaskExplainResult {
  ranker: string;
  tools: ExplainedTool[];
  /** Gating is what servers said about the task's latest message. */
  gating?: GatingVerdict[];
  /** Shadow: the user only watches, and attached means would be attached. */
  shadow?: boolean;
}

/** ExplainedTool says why one tool is or is not attached. */
export interface ExplainedTool {
  server: string;
  tool: string;
  name: string;
  attached: boolean;
  /** Called: the task's model has called it. */
  called?: boolean;
  /** Turn is when it was attached. */
  turn?: number;
  reason?: AttachReason;
  /**
   * Rank is its place for the task's latest message, from 1; 0 when it does
   * not match.
   */
  rank: number;
  score: number;
  /** Parts sum to Score. */
  parts: ScorePart[];
  /**
   * Why says in one sentence what the weightiest parts mean; empty where it was
   * not compared.
   */
  why?: string;
  /**
   * Sentence says why the tool is there or not, to somebody who knows no scores
   * and no settings. It may be several sentences.
   */
  sentence: string;
  /**
   * Verdict says what was decided about the tool, with the turn, the rank and
   * the rule. It ends without a full stop.
   */
  verdict: string;
  /**
   * Gating says what the tool's server said about it and the task's latest
   * message; empty where it said nothing.
   */
  gating?: string;
  /**
   * Cause says what keeps the tool out: a scope rule with its setting, or the
   * limit that was reached.
   */
  cause?: Cause;
  tokens: number;
  /**
   * Missed: it was called while routing would not have attached it. Only
   * while the user watches (`winnow.shadow`).
   */
  missed?: boolean;
}

/** TaskUsageParams asks where the context goes: task/usage. */
export interface TaskUsageParams {
  task: string;
  /**
   * Sections are the host's own, such as the system prompt; absent are those of the
   * task's latest request.
   */
  sections?: UsageSection[];
}

/**
 * TaskUsageResult holds the host's sections and those of the tools. Total is
 * their exact sum, and each section with children the sum of them.
 */
export interface TaskUsageResult {
  total: number;
  /**
   * Sections are the host's own in their order, then that of the attached tools,
   * then that of Winnow's own tools, where there are any.
   */
  sections: UsageSection[];
  /** ContextTokens is the model's window; 0 is unknown. */
  contextTokens?: number;
  /** Free is ContextTokens less Total; absent when the window is unknown. */
  free?: number;
  /** Unrouted is what Total would be with every tool in scope attached. */
  unrouted: number;
  /**
   * Client is what Total would be without Winnow, with what the client hides by
   * itself; see {@link ClientTools}.
   */
  client: number;
  /** Turns tells how the attachment grew. */
  turns: UsageTurn[];
  /**
   * Shadow: the user only watches, so Unrouted is what is sent, and all else
   * is what routing would have sent.
   */
  shadow?: boolean;
}

/** UsageSection is one part of the context. */
export interface UsageSection {
  name: string;
  tokens: number;
  children?: UsageSection[];
}

/** UsageTurn is what one turn attached. */
export interface UsageTurn {
  turn: number;
  added: number;
  /** Tokens is the cost of the tools that the turn added. */
  tokens: number;
}

/**
 * TaskUsageRowsParams asks where the context goes, as a panel of an editor shows
 * it: task/usageRows.
 */
export interface TaskUsageRowsParams extends TaskUsageParams {
  /** Model is the name of the task's model; empty where it is not known. */
  model?: string;
}

/**
 * TaskUsageRowsResult is what the panel shows of one task, but for its title,
 * which only the host knows. Empty texts are not shown.
 */
export interface TaskUsageRowsResult {
  /** Shadow says what is shown while the user only watches. */
  shadow?: string;
  /** Summary says what was attached and what that saves. */
  summary: string;
  /** Details are the model, the mode and the turn. */
  details: string;
  /** Used says what the model had at hand, and Week what was saved this week. */
  used?: string;
  week?: string;
  /** Costly says why nothing is saved; CostlySetting is the setting to lower. */
  costly?: string;
  costlySetting?: string;
  /** Notes are what the person has to know besides. */
  notes?: string[];
  /**
   * Bars compare the requests: with every tool, as the client sends by itself
   * where that is less, and with Winnow; and where the model's window is known,
   * what is used of it.
   */
  bars: UsageBar[];
  /**
   * Rows add up to the first of Sums; what is left of the window follows, and
   * the window.
   */
  rows: UsageRow[];
  sums: UsageSum[];
  turns: UsageTurnRow[];
  /**
   * LeftOut says what the requests of the last days went without; absent before
   * there was one.
   */
  leftOut?: LeftOutChart;
}

/**
 * LeftOutChart shows the tokens of the tools that routed requests went without, by
 * day and by server.
 */
export interface LeftOutChart {
  /** Caption says what is summed up. */
  caption: string;
  /**
   * Days are the bars, the latest day first, and Servers the rows of the table
   * below them: their colours are those of the segments.
   */
  days: UsageBar[];
  servers: UsageRow[];
  sum: UsageSum;
}

/** UsageBar is a bar, whose segments lie side by side. */
export interface UsageBar {
  label: string;
  /** Size says how long it is: tokens, or how much of the window. */
  size: string;
  /** Accessibility is what a screen reader says: all that the eye sees. */
  accessibility: string;
  segments: UsageSegment[];
}

/** UsageSegment is a part of a bar. */
export interface UsageSegment {
  /** Title names the section, with its tokens. */
  title: string;
  /** Start and Length are in parts of 1 of the longest bar. */
  start: number;
  length: number;
  /**
   * Color is one of six, from 0; the same section has the same in each bar and
   * in its row.
   */
  color: number;
}

/** UsageRow is a row of the table of a request's parts. */
export interface UsageRow {
  /** ID is unique in the table, and stable. */
  id: string;
  name: string;
  /** FullName is the whole name, where Name is a part of it. */
  fullName?: string;
  tokens: string;
  share: string;
  /** Level is 0 for a section, 1 for a part of it, 2 for a part of that. */
  level: number;
  /** Color is that of a section's segment. */
  color?: number;
  children?: UsageRow[];
}

/** UsageSum is a row below the table. */
export interface UsageSum {
  name: string;
  tokens: string;
}

/** UsageTurnRow is a turn in the history of what was attached. */
export interface UsageTurnRow {
  turn: number;
  /**
   * Added counts the tools that it attached, and Tokens is what these cost; Sum
   * is the cost of all that were attached up to it.
   */
  added: string;
  tokens: string;
  sum: string;
  /** Start and Length are the tokens in parts of 1. */
  start: number;
  length: number;
}

/** Host to daemon. */
export const Initialize = new RequestType<InitializeParams, InitializeResult, ErrorData>(
  "initialize",
);

/** Host to daemon. */
export const Initialized = new NotificationType<Empty>(
  "initialized",
);

/** Host to daemon. */
export const Shutdown = new RequestType<Empty, Empty, ErrorData>(
  "shutdown",
);

/** Host to daemon. */
export const Exit = new NotificationType<Empty>(
  "exit",
);

/** Either way. */
export const CancelRequest = new NotificationType<CancelParams>(
  "$/cancelRequest",
);

/** Daemon to host. */
export const Progress = new NotificationType<ProgressParams>(
  "$/progress",
);

/** Host to daemon. */
export const DidChangeSettings = new NotificationType<DidChangeSettingsParams>(
  "settings/didChange",
);

/** Daemon to host. */
export const SettingsInForce = new NotificationType<Settings>(
  "settings/inForce",
);

/** Host to daemon. */
export const DidChangeFolders = new NotificationType<DidChangeFoldersParams>(
  "workspace/didChangeFolders",
);

/** Host to daemon. */
export const DidGrantTrust = new NotificationType<Empty>(
  "workspace/didGrantTrust",
);

/** Host to daemon. */
export const SetLogLevel = new RequestType<SetLogLevelParams, Empty, ErrorData>(
  "logging/setLevel",
);

/** Host to daemon. */
export const CatalogList = new RequestType<CatalogListParams, CatalogListResult, ErrorData>(
  "catalog/list",
);

/** Host to daemon. */
export const CatalogRows = new RequestType<CatalogRowsParams, CatalogRowsResult, ErrorData>(
  "catalog/rows",
);

/** Host to daemon. */
export const StatusShow = new RequestType<StatusParams, StatusResult, ErrorData>(
  "status/show",
);

/** Host to daemon. */
export const ToolRows = new RequestType<ToolRowsParams, ToolRowsResult, ErrorData>(
  "catalog/toolRows",
);

/** Host to daemon. */
export const SetHostTools = new RequestType<SetHostToolsParams, SetHostToolsResult, ErrorData>(
  "catalog/setHostTools",
);

/** Host to daemon. */
export const CatalogSearch = new RequestType<CatalogSearchParams, CatalogSearchResult, ErrorData>(
  "catalog/search",
);

/** Daemon to host. */
export const CatalogDidChange = new NotificationType<CatalogDidChangeParams>(
  "catalog/didChange",
);

/** Host to daemon. */
export const ServerRestart = new RequestType<ServerParams, Empty, ErrorData>(
  "server/restart",
);

/** Host to daemon. */
export const ServerStop = new RequestType<ServerParams, Empty, ErrorData>(
  "server/stop",
);

/** Host to daemon. */
export const ServerSignIn = new RequestType<ServerParams, Empty, ErrorData>(
  "server/signIn",
);

/** Host to daemon. */
export const ServerLog = new RequestType<ServerParams, ServerLogResult, ErrorData>(
  "server/log",
);

/** Host to daemon. */
export const ServerConsent = new RequestType<ServerConsentParams, Empty, ErrorData>(
  "server/consent",
);

/** Host to daemon. */
export const ServerConsentPrompt = new RequestType<ConsentPromptParams, ConsentPromptResult, ErrorData>(
  "server/consentPrompt",
);

/** Host to daemon. */
export const ServerWait = new RequestType<ServerWaitParams, ServerWaitResult, ErrorData>(
  "server/wait",
);

/** Host to daemon. */
export const ServerSetEnabled = new RequestType<ServerSetEnabledParams, EditResult, ErrorData>(
  "server/setEnabled",
);

/** Host to daemon. */
export const ToolSetEnabled = new RequestType<ToolSetEnabledParams, EditResult, ErrorData>(
  "tool/setEnabled",
);

/** Host to daemon. */
export const ToolApprove = new RequestType<ToolApproveParams, EditResult, ErrorData>(
  "tool/approve",
);

/** Host to daemon. */
export const ToolSetAlwaysLoad = new RequestType<ToolSetAlwaysLoadParams, EditResult, ErrorData>(
  "tool/setAlwaysLoad",
);

/** Host to daemon. */
export const ToolSetDescription = new RequestType<ToolSetDescriptionParams, EditResult, ErrorData>(
  "tool/setDescription",
);

/** Host to daemon. */
export const LockList = new RequestType<Empty, LockListResult, ErrorData>(
  "lock/list",
);

/** Host to daemon. */
export const LockRows = new RequestType<LockRowsParams, LockRowsResult, ErrorData>(
  "lock/rows",
);

/** Host to daemon. */
export const LockDiff = new RequestType<LockRef, LockDiffResult, ErrorData>(
  "lock/diff",
);

/** Host to daemon. */
export const LockApprove = new RequestType<LockDecideParams, LockDecideResult, ErrorData>(
  "lock/approve",
);

/** Host to daemon. */
export const LockKeep = new RequestType<LockDecideParams, LockDecideResult, ErrorData>(
  "lock/keep",
);

/** Host to daemon. */
export const LockUndo = new RequestType<LockUndoParams, LockDecideResult, ErrorData>(
  "lock/undo",
);

/** Host to daemon. */
export const ApprovalList = new RequestType<Empty, ApprovalListResult, ErrorData>(
  "approvals/list",
);

/** Host to daemon. */
export const ApprovalRevoke = new RequestType<ApprovalRevokeParams, Empty, ErrorData>(
  "approvals/revoke",
);

/** Host to daemon. */
export const JournalList = new RequestType<JournalListParams, JournalListResult, ErrorData>(
  "journal/list",
);

/** Host to daemon. */
export const ModeList = new RequestType<Empty, ModeListResult, ErrorData>(
  "mode/list",
);

/** Host to daemon. */
export const ModeSet = new RequestType<ModeSetParams, Empty, ErrorData>(
  "mode/set",
);

/** Host to daemon. */
export const ModeSetServerBlocked = new RequestType<ModeSetServerBlockedParams, EditResult, ErrorData>(
  "mode/setServerBlocked",
);

/** Host to daemon. */
export const EditUndo = new RequestType<EditUndoParams, EditResult, ErrorData>(
  "edit/undo",
);

/** Host to daemon. */
export const ImportList = new RequestType<Empty, ImportListResult, ErrorData>(
  "import/list",
);

/** Host to daemon. */
export const ImportPlan = new RequestType<ImportPlanParams, ImportPlanResult, ErrorData>(
  "import/plan",
);

/** Host to daemon. */
export const ImportApply = new RequestType<ImportApplyParams, ImportApplyResult, ErrorData>(
  "import/apply",
);

/** Host to daemon. */
export const ImportHistory = new RequestType<Empty, ImportHistoryResult, ErrorData>(
  "import/history",
);

/** Host to daemon. */
export const ImportPlanUndo = new RequestType<ImportPlanUndoParams, ImportPlanUndoResult, ErrorData>(
  "import/planUndo",
);

/** Host to daemon. */
export const ImportUndo = new RequestType<ImportUndoParams, Empty, ErrorData>(
  "import/undo",
);

/** Host to daemon. */
export const TaskOpen = new RequestType<TaskOpenParams, Attachment, ErrorData>(
  "task/open",
);

/** Host to daemon. */
export const TaskTurn = new RequestType<TaskTurnParams, Attachment, ErrorData>(
  "task/turn",
);

/** Host to daemon. */
export const TaskCompact = new RequestType<TaskCompactParams, Attachment, ErrorData>(
  "task/compact",
);

/** Host to daemon. */
export const TaskResume = new RequestType<TaskResumeParams, Attachment, ErrorData>(
  "task/resume",
);

/** Host to daemon. */
export const TaskClose = new RequestType<TaskParams, Empty, ErrorData>(
  "task/close",
);

/** Host to daemon. */
export const TaskList = new RequestType<Empty, TaskListResult, ErrorData>(
  "task/list",
);

/** Host to daemon. */
export const TaskRows = new RequestType<Empty, TaskRowsResult, ErrorData>(
  "task/rows",
);

/** Host to daemon. */
export const TaskPast = new RequestType<Empty, TaskRowsResult, ErrorData>(
  "task/past",
);

/** Host to daemon. */
export const TaskLoad = new RequestType<TaskLoadParams, TaskLoadResult, ErrorData>(
  "task/load",
);

/** Host to daemon. */
export const TaskSearch = new RequestType<TaskSearchParams, TaskSearchResult, ErrorData>(
  "task/search",
);

/** Host to daemon. */
export const TaskDescribeCall = new RequestType<TaskDescribeCallParams, TaskDescribeCallResult, ErrorData>(
  "task/describeCall",
);

/** Host to daemon. */
export const TaskCall = new RequestType<TaskCallParams, TaskCallResult, ErrorData>(
  "task/call",
);

/** Host to daemon. */
export const TaskExplain = new RequestType<TaskExplainParams, TaskExplainResult, ErrorData>(
  "task/explain",
);

/** Host to daemon. */
export const TaskTools = new RequestType<TaskParams, TaskToolsResult, ErrorData>(
  "task/tools",
);

/** Host to daemon. */
export const TaskWhy = new RequestType<TaskWhyParams, TaskWhyResult, ErrorData>(
  "task/why",
);

/** Host to daemon. */
export const TaskUsage = new RequestType<TaskUsageParams, TaskUsageResult, ErrorData>(
  "task/usage",
);

/** Host to daemon. */
export const TaskUsageRows = new RequestType<TaskUsageRowsParams, TaskUsageRowsResult, ErrorData>(
  "task/usageRows",
);

/** Host to daemon. */
export const TaskReport = new RequestType<TaskReportParams, Report, ErrorData>(
  "task/report",
);

/** Host to daemon. */
export const ConversationRoute = new RequestType<ConversationRouteParams, ConversationRouteResult, ErrorData>(
  "conversation/route",
);

/** Host to daemon. */
export const ConversationCall = new RequestType<ConversationCallParams, TaskCallResult, ErrorData>(
  "conversation/call",
);

/** Host to daemon. */
export const ConversationAnswer = new RequestType<ConversationAnswerParams, ConversationAnswerResult, ErrorData>(
  "conversation/answer",
);

/** Host to daemon. */
export const ChatBegin = new RequestType<ChatBeginParams, ChatBeginResult, ErrorData>(
  "chat/begin",
);

/** Host to daemon. */
export const ChatKeep = new RequestType<ChatKeepParams, ChatKeepResult, ErrorData>(
  "chat/keep",
);

/** Host to daemon. */
export const LearnedClear = new RequestType<Empty, Empty, ErrorData>(
  "learned/clear",
);

/** Host to daemon. */
export const SavingsReset = new RequestType<Empty, Empty, ErrorData>(
  "savings/reset",
);

/** Host to daemon. */
export const GatewayInfo = new RequestType<Empty, GatewayInfoResult, ErrorData>(
  "gateway/info",
);

/** Daemon to host. */
export const ClaimConfirm = new RequestType<ClaimConfirmParams, ClaimConfirmResult, ErrorData>(
  "claim/confirm",
);

/** Daemon to host. */
export const InputRequest = new RequestType<InputRequestParams, InputRequestResult, ErrorData>(
  "input/request",
);

/** Daemon to host. */
export const SecretGet = new RequestType<SecretGetParams, SecretGetResult, ErrorData>(
  "secret/get",
);

/** Daemon to host. */
export const SecretSet = new RequestType<SecretSetParams, Empty, ErrorData>(
  "secret/set",
);

/** Daemon to host. */
export const OpenExternal = new RequestType<OpenExternalParams, OpenExternalResult, ErrorData>(
  "window/openExternal",
);

/** Daemon to host. */
export const ExternalURL = new RequestType<ExternalURLParams, ExternalURLResult, ErrorData>(
  "window/externalUrl",
);

/** Daemon to host. */
export const ShowMessage = new NotificationType<ShowMessageParams>(
  "window/showMessage",
);

/** Daemon to host. */
export const TelemetryEvent = new NotificationType<TelemetryEventParams>(
  "telemetry/event",
);
