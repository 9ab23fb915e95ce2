// A request to a twin, and the interfaces for its response.

import type { CancellationToken } from "vscode-jsonrpc";
import type { RoutedTask } from "../window/sessions";
import type { Allowances } from "./allowances";
import type { Listing, RoutingDaemon } from "./daemon";
import type { CallPart, Message, Part, Tool } from "../chat/message";
import type { Revive } from "../chat/partjson";

/** A request to a twin. */
export interface ChatRequest {
  /** The model behind the twin. */
  model: { name: string; maxInputTokens: number; maxTools: number };
  messages: readonly Message[];
  tools: readonly Tool[];
  /** Whether the tools are those requested by the user; all others may be attached too. */
  allListed?: boolean;
  /** The user's text in the newest message; absent if it is in the message. */
  words?: string;
  /** Whether the attachment must contain the task's state. */
  wantState?: boolean;
  /** The requesting extension; absent for @winnow. */
  initiator?: string;
  /** The id of the chat; absent in VS Code's background requests and those of other extensions. */
  conversation: string | undefined;
  /** Whether @winnow makes the request, with its tools already chosen. */
  fromWinnow: boolean;
  token: CancellationToken;
}

/** The environment of a response. */
export interface ChatHost {
  /** Sends a request to the model behind the twin. */
  send(messages: readonly Message[], tools: readonly Tool[]): Promise<AsyncIterable<Part>>;
  /** Reports a part of the response to VS Code. */
  report(part: Part): void;
  /** Called with a call that Winnow answers. */
  answers?(call: CallPart): void;
}

/** The context shared by all requests. */
export interface Routing {
  daemon: RoutingDaemon;
  /** The permitted calls of hidden tools; winnow_call runs no others. */
  allowances: Allowances;
  /** Returns the present tools of the host. */
  listing(): Listing;
  routed(task: Omit<RoutedTask, "face">): void;
  revive: Revive;
  /** Called with the error of a request that could not be routed. */
  failed: (err: unknown) => void;
}
