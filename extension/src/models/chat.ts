// What a request to a twin is, and what it is answered with.

import type { CancellationToken } from "vscode-jsonrpc";
import type { RoutedTask } from "../window/sessions";
import type { Allowances } from "./allowances";
import type { ClientLists } from "./clienttools";
import type { RoutingDaemon } from "./daemon";
import type { CallPart, Message, Part, Tool } from "./message";
import type { Revive } from "./partjson";
import type { Listing } from "./servers";

/** A request to a twin. */
export interface ChatRequest {
  /** The model behind the twin. */
  model: { name: string; maxInputTokens: number; maxTools: number };
  messages: readonly Message[];
  tools: readonly Tool[];
  /** The names of tools that the user asked for: they are offered whatever is attached. */
  always?: ReadonlySet<string>;
  /** The user's own words of the newest message; absent where they stand in it. */
  words?: string;
  /** Whether the attachment is to hold the state of the task. */
  wantState?: boolean;
  /** The daemon's id of the chat; absent in VS Code's chores and in requests of other extensions. */
  conversation: string | undefined;
  /** Whether VS Code's own agent asks, which names its conversations. */
  fromAgent: boolean;
  /** Whether our own @winnow asks, which has chosen the tools already. */
  fromWinnow: boolean;
  token: CancellationToken;
}

/** What Winnow does with a request. */
export type RoutingState = "on" | "shadow" | "off";

/** What answers are made with. */
export interface ChatHost {
  /** Sends a request to the model behind the twin. */
  send(messages: readonly Message[], tools: readonly Tool[]): Promise<AsyncIterable<Part>>;
  /** Hands a part of the answer to VS Code. */
  report(part: Part): void;
  /** Is told of a call that Winnow itself answers. */
  answers?(call: CallPart): void;
}

/** What all requests share. */
export interface Routing {
  daemon: RoutingDaemon;
  /** The calls of hidden tools that the daemon let a model make; winnow_call runs no other. */
  allowances: Allowances;
  /** The host's tools as they are now. */
  listing(): Listing;
  /** Whether the daemon runs servers, whose tools a request can have by winnow_call. */
  hasOwn(): boolean;
  /** What VS Code would send by itself; undefined where it would send none of MCP's tools. */
  clients: ClientLists | undefined;
  /** Whether Winnow chooses tools, only watches, or is off. Where it does not choose, VS Code's groups stay what they are. */
  state(): RoutingState;
  routed(task: Omit<RoutedTask, "face">): void;
  revive: Revive;
  /** Tells why a request was not routed, though it should have been. */
  failed: (err: unknown) => void;
}
