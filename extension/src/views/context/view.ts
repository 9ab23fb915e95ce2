import * as vscode from "vscode";
import { PROTOCOL_ROUTED_SUFFIX, SavingsReset, TaskUsage, TaskUsageRows } from "../../protocol/protocol.gen";
import { statsAddresses } from "../../servers/proxymodel";
import { openSetting } from "../../window/open";
import { command } from "../../window/run";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import type { FromPanel, ToPanel } from "../messages";
import { Page } from "../page";
import type { Store } from "../store";
import { taskChoices } from "../tasks/rows";
import { askProxies } from "./proxy";

/** Registers the page Context Usage, as an editor: the side bar is too narrow. */
export function registerContext(winnow: Winnow, store: Store, sessions: Sessions): void {
  const context = new Context(winnow, store, sessions);
  const page = winnow.own(
    new Page<ToPanel, FromPanel>(winnow, {
      viewType: "winnow.context",
      title: "Context Usage",
      state: () => context.state(),
      hear: async (message) => {
        await context.hear(message);
        page.refresh();
      },
    }),
  );
  for (const event of [store.onDidChangeTasks, sessions.onDidChange, winnow.daemon.onDidChangeState]) {
    winnow.own(event(page.refresh));
  }
  command(winnow, "winnow.showContext", () => page.show());
  command(winnow, "winnow.exportContext", () => context.export());
}

/** The state of the page: the newest task until the user chooses another. */
class Context {
  readonly #winnow: Winnow;
  readonly #store: Store;
  readonly #sessions: Sessions;
  /** The chosen task; undefined means the newest. */
  #chosen: string | undefined;

  constructor(winnow: Winnow, store: Store, sessions: Sessions) {
    this.#winnow = winnow;
    this.#store = store;
    this.#sessions = sessions;
  }

  /** Saves the daemon's numbers of the shown task, without user text. */
  async export(): Promise<void> {
    const task = this.#shown();
    if (task === undefined) {
      void vscode.window.showInformationMessage("No task is open, so there is nothing to export.");
      return;
    }
    const [folder] = vscode.workspace.workspaceFolders ?? [];
    const name = `winnow-context-${new Date().toISOString().slice(0, 10)}.json`;
    const target = await vscode.window.showSaveDialog({
      title: "Export Context Usage",
      filters: { JSON: ["json"] },
      ...(folder !== undefined && { defaultUri: vscode.Uri.joinPath(folder.uri, name) }),
    });
    if (target === undefined) return;
    const usage = await this.#winnow.daemon.request(TaskUsage, {
      task: task.task,
      sections: this.#sections(task.task),
    });
    const model = this.#sessions.of(task.task)?.model;
    const numbers = { ...task, texts: undefined, title: undefined };
    const text = JSON.stringify({ task: numbers, model, usage }, undefined, 2);
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(`${text}\n`));
    await vscode.window.showTextDocument(target);
  }

  async hear(message: FromPanel): Promise<void> {
    switch (message.type) {
      case "select":
        this.#chosen = message.task === this.#store.tasks.at(-1)?.task ? undefined : message.task;
        break;
      case "export":
        await this.export();
        break;
      case "resetWeek":
        await this.#winnow.daemon.request(SavingsReset, {});
        this.#store.refresh();
        break;
      case "setting":
        await openSetting(message.setting);
        break;
      case "why":
        await vscode.commands.executeCommand("winnow.why", this.#shown());
        break;
    }
  }

  /** Returns the shown task: the chosen one while it is open, else the newest. */
  #shown() {
    const { tasks } = this.#store;
    return tasks.find(({ task }) => task === this.#chosen) ?? tasks.at(-1);
  }

  /** Returns the parts of the task's request other than MCP tools. */
  #sections(task: string) {
    return [...(this.#sessions.of(task)?.sections ?? [])];
  }

  async state(): Promise<ToPanel> {
    const proxies = await statsAddresses(this.#winnow.context);
    return { type: "context", state: await this.#state(), proxy: await askProxies(proxies) };
  }

  async #state(): Promise<ToPanel["state"]> {
    const { daemon } = this.#winnow;
    if (daemon.state.kind === "stopped") return "Winnow does not run. The view Servers says what to do.";
    const task = this.#shown()?.task;
    if (task === undefined) {
      return `No task yet. Send a message to a model whose name ends in “${PROTOCOL_ROUTED_SUFFIX.trim()}”, or to @winnow: here you will see what each part of the request costs. A request without MCP tools is no task.`;
    }
    const { model = "" } = this.#sessions.of(task) ?? {};
    const usage = await daemon.request(TaskUsageRows, { task, sections: this.#sections(task), model });
    return { task, tasks: taskChoices(this.#store.tasks, this.#sessions), usage };
  }
}
