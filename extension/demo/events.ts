import type {
  AttachReason,
  AttachedCounts,
  AttachedTokens,
  LoadedTool,
  ScorePart,
  ServerInfo,
} from "../src/protocol/protocol.gen";

/** One attached tool, with why it is. */
export interface AttachedRow {
  name: string;
  server: string;
  tool: string;
  tokens: number;
  reason: AttachReason;
  /** Its place for the message, from 1; 0 when it does not match. */
  rank: number;
  score: number;
  /** The summands of the score. */
  why: ScorePart[];
}

/** One thing that the demo did, in the order of the doing. */
export type DemoEvent =
  | { kind: "daemon"; name: string; version: string; workspace: string; startMs: number }
  /** Servers that are starting are waited for. */
  | { kind: "waiting"; servers: string[] }
  /** A server came up. */
  | { kind: "server"; server: ServerInfo }
  /** Every server is up. */
  | { kind: "catalog"; servers: number; tools: number; tokens: number }
  /** A user message was routed; rows are the tools that it added. */
  | { kind: "turn"; turn: number; message: string; rows: AttachedRow[]; counts: AttachedCounts; tokens: AttachedTokens }
  /** The model asked for more tools. */
  | { kind: "load"; query: string; loaded: LoadedTool[]; text: string; counts: AttachedCounts; tokens: AttachedTokens }
  /** A tool ran. */
  | { kind: "call"; server: string; tool: string; arguments: Record<string, unknown>; text: string; ms: number };
