// The API of Winnow for other extensions. Copy this file into yours: it stands
// alone, and Winnow keeps what a version of it promises.
//
// An agent extension has Winnow choose the tools of its own tasks: those of the
// MCP servers that Winnow runs, or a list of its own.

/** What Winnow exports: `vscode.extensions.getExtension<WinnowExports>("winnow-mcp.winnow")`. */
export interface WinnowExports {
  /**
   * Returns the API of a version. A later Winnow may have several.
   *
   * @throws Error when this Winnow does not have the version
   */
  getApi(version: 1): WinnowApi;
}

/** Version 1 of the API. What it has will stay; more may come. */
export interface WinnowApi {
  readonly version: 1;

  /**
   * Opens a task, which is one conversation with one model, and chooses tools
   * for its first message.
   *
   * @throws WinnowError when the daemon does not run, or what was asked makes no sense
   */
  open(options: OpenOptions): Promise<Task>;

  /**
   * Resumes a task from the state of an earlier attachment, also one of an
   * earlier session: it has the same tools in the same order.
   */
  resume(state: TaskState): Promise<Task>;

  /**
   * Hands over a list of tools that your extension runs itself, to be named by
   * `source` when a task is opened. It replaces the list's earlier tools.
   *
   * @param source a name of your own, such as your extension's id
   */
  setTools(source: string, tools: readonly HostTool[]): Promise<void>;

  /** Fires when servers, tools or policy have changed; tasks see it from their next turn on. */
  readonly onDidChangeCatalog: Event<CatalogChange>;
}

/** How a task is opened. */
export interface OpenOptions {
  /** The user's own words, without what you wrap around them: tools are chosen by it. */
  message: string;
  /** The list of tools to choose from, as given to setTools. Without it: those of the servers that Winnow runs. */
  source?: string;
  /** The slug of the mode whose policy counts. Default: the current one. */
  mode?: string;
  model?: ModelLimits;
}

/** What a model and its host leave for MCP tools. What is left out is unknown. */
export interface ModelLimits {
  /** The model's own limit on tools in a request. */
  maxTools?: number;
  /** The size of the model's context window, in tokens. */
  contextTokens?: number;
  /** How many tools you send besides. */
  nativeTools?: number;
}

/** A tool that your extension runs itself. */
export interface HostTool {
  /** The server it belongs to; rules are written for servers. */
  server: string;
  /** Unique in its list. The model is told this name. */
  name: string;
  description?: string;
  /** A JSON schema. */
  inputSchema?: object;
  /** MCP's annotations, such as `{ readOnlyHint: true }`. */
  annotations?: object;
}

/** An open task. */
export interface Task {
  readonly id: string;

  /** What the next request to the model should carry, as of the latest answer. */
  readonly attachment: Attachment;

  /** Fires when the attachment has changed by a call of this object's. */
  readonly onDidChange: Event<Attachment>;

  /** Takes a turn: once for each message of the user's, not for each request. */
  turn(message: string): Promise<Attachment>;

  /** Attaches more tools, as the model asks by `mcp_load`: by words, or by name. */
  load(what: { query: string; limit?: number } | { names: readonly string[] }): Promise<LoadResult>;

  /**
   * Tells what a call of the model's would run, without running it: ask your
   * user first, where the tool does not only read.
   */
  describeCall(name: string, args: object): Promise<CallDescription>;

  /**
   * Makes a call of the model's: of an attached tool, or of one of `metaTools`.
   * **It asks nobody**: whether the call may be made is yours to find out. A
   * tool of your own list is not run here: it fails with kind `hostTool`, and
   * `describeCall` tells which one it is.
   */
  call(name: string, args: object, token?: CancellationToken): Promise<CallResult>;

  /** Tells why tools are or are not attached; with a name, of that tool only. */
  explain(tool?: string): Promise<Explanation[]>;

  /** Says that you have cut or summarised the conversation: the tools are chosen afresh. */
  compact(message?: string): Promise<Attachment>;

  /** Ends the task. What `attachment.state` says can still be resumed. */
  close(): Promise<void>;
}

/** What a request to the model should carry. */
export interface Attachment {
  /** `all`: every tool in scope; `dynamic`: chosen ones; `dispatch`: none, the model searches and calls. */
  readonly mode: "all" | "dynamic" | "dispatch";
  /** Counts the user's messages from 1. */
  readonly turn: number;
  /** Whether turns add tools no more; `load` does always. */
  readonly frozen: boolean;
  /** In the order in which they were attached: send them in this order, and the model's cache survives. */
  readonly tools: readonly AttachedTool[];
  /** Winnow's own tools, to send after the others. Their calls go to `call`. */
  readonly metaTools: readonly ToolDescription[];
  /** Of the tools in scope, how many are attached. */
  readonly counts: { readonly scoped: number; readonly attached: number };
  /** What they cost, in tokens of o200k. */
  readonly tokens: { readonly all: number; readonly attached: number; readonly saved: number };
  /** For the user. */
  readonly warnings: readonly string[];
  /** Keep it with your conversation, as it is: `resume` takes it. Plain JSON. */
  readonly state: TaskState;
}

/** A tool as the model is told of it. */
export interface ToolDescription {
  readonly name: string;
  readonly description: string;
  /** A JSON schema. */
  readonly inputSchema: object;
}

/** A tool that is attached. */
export interface AttachedTool extends ToolDescription {
  readonly server: string;
  /** Its name on the server. */
  readonly tool: string;
  readonly tokens: number;
  /** When it was attached, and why. */
  readonly turn: number;
  readonly reason: string;
}

/** A task that can be kept and resumed. Do not look inside. */
export type TaskState = object & { readonly __winnowTaskState?: never };

/** What a load attached. */
export interface LoadResult {
  readonly loaded: readonly { name: string; server: string; already: boolean }[];
  /** The answer for the model. */
  readonly text: string;
}

/** What a call would run. */
export interface CallDescription {
  /** Winnow itself answers the call, and no tool runs. */
  readonly meta: boolean;
  readonly server?: string;
  readonly tool?: string;
  /** What the tool would get. */
  readonly arguments?: unknown;
  /** Its server says that it only reads. */
  readonly readOnly: boolean;
  /** The user's `alwaysAllow` has it. */
  readonly approved: boolean;
}

/** What a tool answered, as MCP's CallToolResult. */
export interface CallResult {
  readonly content: readonly unknown[];
  readonly isError: boolean;
  readonly structuredContent?: unknown;
}

/** Why a tool is or is not attached. */
export interface Explanation {
  readonly name: string;
  readonly server: string;
  readonly attached: boolean;
  /** Its place for the task's latest message, from 1; 0 when it does not match. */
  readonly rank: number;
  readonly score: number;
  /** What the score is made of; it sums to it. */
  readonly parts: readonly { name: string; value: number; detail: string }[];
  /** The rule that keeps it out. */
  readonly rule?: string;
}

/** What has changed. */
export interface CatalogChange {
  /** The list, as given to setTools; undefined for the servers that Winnow runs. */
  readonly source: string | undefined;
  /** The servers concerned. */
  readonly servers: readonly string[];
}

/** What calls fail with. The message is for the user, and says what to do. */
export interface WinnowError extends Error {
  /** Such as `unknownTool`, `outOfScope`, `unavailable`; undefined when the daemon does not run. */
  readonly kind?: string;
}

/** As vscode.Event, vscode.Disposable and vscode.CancellationToken, which fit. */
export type Event<T> = (listener: (event: T) => unknown) => Disposable;

export interface Disposable {
  dispose(): void;
}

export interface CancellationToken {
  readonly isCancellationRequested: boolean;
  readonly onCancellationRequested: (listener: (event: unknown) => unknown) => Disposable;
}
