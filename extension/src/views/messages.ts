// What the pages and the extension say to each other.

import type { TaskUsageRowsResult, TaskWhyResult, ToolRef } from "../protocol/protocol.gen";

/** To a page: what it is to draw. */
export type ToPage = ToPanel | ToWhy;

/** To the page Context Usage. */
export interface ToPanel {
  type: "context";
  /** Where there is nothing to show: what the user can do. */
  state: TaskPanel | string;
  /** The clients of winnowd proxy, which are no tasks of this window. */
  proxy: ProxyRow[];
}

/** One client that asks its models through the proxy, ready to be drawn. */
export interface ProxyRow {
  client: string;
  /**
   * Its requests, the tokens of MCP tools that they sent and that were saved, and how much of the input the provider's
   * cache gave; empty where the provider says nothing.
   */
  numbers: string[];
}

/** A task in the list of those that a page can show. */
export interface TaskChoice {
  id: string;
  label: string;
}

/** The context of one task. */
export interface TaskPanel {
  /** The open tasks, newest first. */
  tasks: TaskChoice[];
  task: string;
  usage: TaskUsageRowsResult;
}

/** To the page Why. */
export interface ToWhy {
  type: "why";
  tasks: TaskChoice[];
  task: string;
  /** The message that is tried; empty for the task itself. */
  message: string;
  filter: string;
  /** What is shown; where there is nothing, what the user can do. */
  page: TaskWhyResult | string;
  /** The tool to go to, once. */
  focus?: ToolRef;
  /** The fields show message and filter, whatever was typed in them; once. */
  fresh?: true;
}

/** From the page Context Usage. */
export type FromPanel =
  /** The person chose a task; the extension follows the newest one until then. */
  | { type: "select"; task: string }
  /** Save what is shown as JSON. */
  | { type: "export" }
  /** Delete the sums of the week, and of the days before. */
  | { type: "resetWeek" }
  /** Explain the tools of the task that is shown. */
  | { type: "why" };

/** From the page Why. */
export type FromWhy =
  | { type: "select"; task: string }
  /** Show what a new task would get that begins with the message; empty goes back to the task. */
  | { type: "try"; message: string }
  | { type: "filter"; words: string }
  /** Open or close the details of a tool. */
  | { type: "details"; tool: ToolRef }
  /** One of the tool's actions. */
  | { type: "act"; tool: ToolRef; command: string }
  /** Open where that is written which keeps the tool out. */
  | { type: "place"; tool: ToolRef };
