import * as vscode from "vscode";
import {
  PROTOCOL_ROUTED_SUFFIX,
  type TaskWhyParams,
  TaskWhy,
  type TaskWhyResult,
  type ToolRef,
  type WhyRow,
} from "../../protocol/protocol.gen";
import { command } from "../../window/run";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import type { FromWhy, ToWhy } from "../messages";
import { Page } from "../page";
import { openPlace } from "../places";
import type { Store } from "../store";
import { taskChoices } from "../tasks/rows";

/** Registers the page that explains why tools are or are not attached, and tries messages. */
export function registerWhy(winnow: Winnow, store: Store, sessions: Sessions): void {
  const why = new Why(winnow, store, sessions);
  const page = winnow.own(
    new Page<ToWhy, FromWhy>(winnow, {
      viewType: "winnow.why",
      title: "Why These Tools",
      state: () => why.state(),
      hear: async (message) => {
        await why.hear(message);
        page.refresh();
      },
    }),
  );
  const events = [store.onDidChangeTasks, store.onDidChangeServers, winnow.daemon.onDidChangeState];
  for (const event of events) winnow.own(event(() => page.refresh()));
  command(winnow, "winnow.why", (node?: { task: string; tool?: ToolRef }) => {
    why.open(node?.task, node?.tool);
    page.show();
  });
}

/** The state of the page: the newest task until the user chooses another, or a tried message. */
class Why {
  readonly #winnow: Winnow;
  readonly #store: Store;
  readonly #sessions: Sessions;
  /** The chosen task; undefined means the newest. */
  #chosen: string | undefined;
  #message = "";
  #filter = "";
  /** The tools whose details are open. */
  #open: ToolRef[] = [];
  #focus: ToolRef | undefined;
  /** Whether the page must reset its fields to #message and #filter. */
  #fresh = false;
  /** The shown content. */
  #page: TaskWhyResult | undefined;

  constructor(winnow: Winnow, store: Store, sessions: Sessions) {
    this.#winnow = winnow;
    this.#store = store;
    this.#sessions = sessions;
  }

  /** Shows a task, and a tool of it; without a task the newest. */
  open(task: string | undefined, tool: ToolRef | undefined): void {
    this.#choose(task);
    this.#message = "";
    this.#filter = "";
    this.#fresh = true;
    this.#open = tool === undefined ? [] : [tool];
    this.#focus = tool;
  }

  async hear(message: FromWhy): Promise<void> {
    switch (message.type) {
      case "select":
        this.#choose(message.task);
        break;
      case "try":
        this.#message = message.message.trim();
        break;
      case "filter":
        this.#filter = message.words;
        break;
      case "details": {
        const others = this.#open.filter((tool) => !same(tool, message.tool));
        this.#open = others.length < this.#open.length ? others : [...others, message.tool];
        break;
      }
      case "act": {
        const row = this.#row(message.tool);
        if (row?.actions.some((action) => action.command === message.command) !== true) break;
        const tool = { ...row.tool, row: { label: row.name, checked: row.on } };
        await vscode.commands.executeCommand(message.command, { kind: "tool", tool });
        break;
      }
      case "place": {
        const place = this.#row(message.tool)?.details?.place;
        if (place !== undefined) await openPlace(this.#store, place);
      }
    }
  }

  async state(): Promise<ToWhy> {
    const task = this.#chosen ?? this.#store.tasks.at(-1)?.task ?? "";
    const focus = this.#focus;
    this.#focus = undefined;
    const fresh = this.#fresh;
    this.#fresh = false;
    const tasks = taskChoices(this.#store.tasks, this.#sessions);
    if (task !== "" && !tasks.some(({ id }) => id === task)) tasks.push({ id: task, label: "An earlier chat" });
    return {
      type: "why",
      tasks,
      task,
      message: this.#message,
      filter: this.#filter,
      page: await this.#explained(task),
      ...(focus !== undefined && { focus }),
      ...(fresh && { fresh }),
    };
  }

  async #explained(task: string): Promise<TaskWhyResult | string> {
    const { daemon } = this.#winnow;
    if (daemon.state.kind === "stopped") return "Winnow does not run. The view Servers says what to do.";
    if (task === "" && this.#message === "") {
      return `No task yet. Send a message to a model whose name ends in “${PROTOCOL_ROUTED_SUFFIX.trim()}”, or to @winnow; or try one here: no chat model gets it.`;
    }
    const asked: TaskWhyParams = {
      task,
      message: this.#message,
      source: this.#store.source,
      filter: this.#filter,
      open: this.#open,
    };
    try {
      this.#page = await daemon.request(TaskWhy, asked);
      return this.#page;
    } catch (err) {
      // The task may have been closed. The next change shows the newest.
      this.#page = undefined;
      this.#chosen = undefined;
      return err instanceof Error ? err.message : String(err);
    }
  }

  #choose(task: string | undefined): void {
    this.#chosen = task === this.#store.tasks.at(-1)?.task ? undefined : task;
  }

  #row(tool: ToolRef): WhyRow | undefined {
    return this.#page?.groups.flatMap(({ rows }) => rows).find((row) => same(row.tool, tool));
  }
}

function same(a: ToolRef, b: ToolRef): boolean {
  return a.server === b.server && a.tool === b.tool;
}
