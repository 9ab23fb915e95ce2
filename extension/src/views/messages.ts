// Messages between the pages and the extension.

import type { TaskUsageRowsResult, TaskWhyResult, ToolRef } from "../protocol/protocol.gen";

/** To a page: the state to draw. */
export type ToPage = ToPanel | ToWhy;

/** To the page Context Usage. */
export interface ToPanel {
  type: "context";
  /** The state, or if there is none, the user's next step. */
  state: TaskPanel | string;
  /** The clients of winnowd proxy, which have no tasks in this window. */
  proxy: ProxyRow[];
}

/** One client of the proxy, ready to be drawn. */
export interface ProxyRow {
  client: string;
  /**
   * Its requests, the sent and the saved tokens of MCP tools, and the share of input from the provider's cache; empty
   * if the provider does not report it.
   */
  numbers: string[];
}

/** A task that a page can show. */
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
  /** The tried message; empty for the task itself. */
  message: string;
  filter: string;
  /** The content, or if there is none, the user's next step. */
  page: TaskWhyResult | string;
  /** The tool to scroll to, once. */
  focus?: ToolRef;
  /** Resets the fields to message and filter, once. */
  fresh?: true;
}

/** From the page Context Usage. */
export type FromPanel =
  /** The user chose a task; until then the extension shows the newest one. */
  | { type: "select"; task: string }
  /** Save the content as JSON. */
  | { type: "export" }
  /** Delete the weekly sums, and those of the days before. */
  | { type: "resetWeek" }
  /** Open a setting. */
  | { type: "setting"; setting: string }
  /** Explain the tools of the shown task. */
  | { type: "why" };

/** From the page Why. */
export type FromWhy =
  | { type: "select"; task: string }
  /** Show the tools of a new task that begins with the message; an empty one returns to the task. */
  | { type: "try"; message: string }
  | { type: "filter"; words: string }
  /** Open or close the details of a tool. */
  | { type: "details"; tool: ToolRef }
  /** Run one of the tool's actions. */
  | { type: "act"; tool: ToolRef; command: string }
  /** Open the place of the rule that excludes the tool. */
  | { type: "place"; tool: ToolRef };
