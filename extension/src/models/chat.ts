// What a request to a twin is, and what it is answered with.

import type { CancellationToken } from "vscode-jsonrpc";
import type { RoutedTask } from "../window/sessions";
import type { Allowances } from "./allowances";
import type { Listing, RoutingDaemon } from "./daemon";
import type { CallPart, Message, Part, Tool } from "./message";
import type { Revive } from "./partjson";

/** A request to a twin. */
export interface ChatRequest {
  /** The model behind the twin. */
  model: { name: string; maxInputTokens: number; maxTools: number };
  messages: readonly Message[];
  tools: readonly Tool[];
  /** Whether the tools are those that the user asked for, besides which all others may be attached. */
  allListed?: boolean;
  /** The user's own words of the newest message; absent where they stand in it. */
  words?: string;
  /** Whether the attachment is to hold the state of the task. */
  wantState?: boolean;
  /** The extension that asks; absent for @winnow. */
  initiator?: string;
  /** The id of the chat; absent in VS Code's chores and in requests of other extensions. */
  conversation: string | undefined;
  /** Whether our own @winnow asks, which has chosen the tools already. */
  fromWinnow: boolean;
  token: CancellationToken;
}

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
  routed(task: Omit<RoutedTask, "face">): void;
  revive: Revive;
  /** Tells why a request was not routed, though it should have been. */
  failed: (err: unknown) => void;
}
