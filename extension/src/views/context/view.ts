import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { coalesce } from "../../base/coalesce";
import { SavingsReset, TaskUsage, TaskUsageRows } from "../../protocol/protocol.gen";
import { statsAddresses } from "../../servers/proxymodel";
import { attempt, command } from "../../window/run";
import type { Sessions } from "../../window/sessions";
import type { Winnow } from "../../window/winnow";
import type { Store } from "../store";
import { taskLabel } from "../tasks/rows";
import { pageHtml } from "./html";
import type { FromPanel, ToPanel } from "./messages";
import { askProxies } from "./proxy";

const viewType = "winnow.context";

/** Shows the panel Context, in an editor of its own: a part of the side bar would cut it. */
export function registerContext(winnow: Winnow, store: Store, sessions: Sessions): void {
  const panel = winnow.own(new ContextPanel(winnow, store, sessions));
  winnow.own(store.onDidChangeTasks(panel.refresh));
  winnow.own(sessions.onDidChange(panel.refresh));
  winnow.own(winnow.daemon.onDidChangeState(panel.refresh));
  command(winnow, "winnow.showContext", () => panel.show());
  command(winnow, "winnow.exportContext", () => panel.export());
}

/** The panel: one page, that follows the newest task until a person chooses another. */
class ContextPanel implements vscode.Disposable {
  readonly #winnow: Winnow;
  readonly #store: Store;
  readonly #sessions: Sessions;
  #panel: vscode.WebviewPanel | undefined;
  /** The task that the person chose; undefined follows the newest. */
  #chosen: string | undefined;
  /** Draws again what the panel shows. */
  readonly refresh: () => void;

  constructor(winnow: Winnow, store: Store, sessions: Sessions) {
    this.#winnow = winnow;
    this.#store = store;
    this.#sessions = sessions;
    this.refresh = coalesce(
      () => this.#draw(),
      (err) => {
        // The task may have been closed meanwhile; the next change draws again.
        winnow.log.debug(`context: ${err instanceof Error ? err.message : String(err)}`);
      },
    );
  }

  dispose(): void {
    this.#panel?.dispose();
  }

  /** Opens the panel, or brings it to the front. */
  show(): void {
    if (this.#panel !== undefined) {
      this.#panel.reveal();
      return;
    }
    const { extensionUri } = this.#winnow.context;
    const at = (...path: string[]) => vscode.Uri.joinPath(extensionUri, "extension", ...path);
    const panel = vscode.window.createWebviewPanel(viewType, "Context Usage", vscode.ViewColumn.Active, {
      enableScripts: true,
      localResourceRoots: [at("dist"), at("media")],
    });
    panel.iconPath = at("media", "icon.svg");
    const { webview } = panel;
    // VS Code drops both with the panel.
    webview.onDidReceiveMessage((message: FromPanel) => void attempt(this.#winnow, () => this.#hear(message)));
    panel.onDidChangeViewState(this.refresh);
    panel.onDidDispose(() => (this.#panel = undefined));
    this.#panel = panel;
    webview.html = pageHtml({
      script: webview.asWebviewUri(at("dist", "context.js")).toString(),
      style: webview.asWebviewUri(at("media", "context.css")).toString(),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString("base64url"),
    });
  }

  /** Saves the daemon's own numbers of the task that is shown, without a word of the user's. */
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

  async #hear(message: FromPanel): Promise<void> {
    switch (message.type) {
      case "ready":
        this.refresh();
        break;
      case "select":
        this.#chosen = message.task === this.#store.tasks.at(-1)?.task ? undefined : message.task;
        this.refresh();
        break;
      case "export":
        await this.export();
        break;
      case "resetWeek":
        await this.#winnow.daemon.request(SavingsReset, {});
        this.#store.refresh();
        break;
      case "why":
        await vscode.commands.executeCommand("winnow.why", this.#shown());
        break;
    }
  }

  /** The task that is shown: the chosen one while it is open, else the newest. */
  #shown() {
    const { tasks } = this.#store;
    return tasks.find(({ task }) => task === this.#chosen) ?? tasks.at(-1);
  }

  /** What the task's request holds besides MCP tools. */
  #sections(task: string) {
    return [...(this.#sessions.of(task)?.sections ?? [])];
  }

  async #draw(): Promise<void> {
    // Nobody sees a hidden panel, and it does not hear; it is drawn when it is shown.
    const panel = this.#panel;
    if (panel?.visible !== true) return;
    const proxies = await statsAddresses(this.#winnow.context);
    const message: ToPanel = { type: "state", state: await this.#state(), proxy: await askProxies(proxies) };
    await panel.webview.postMessage(message);
  }

  async #state(): Promise<ToPanel["state"]> {
    const { daemon } = this.#winnow;
    if (daemon.state.kind === "stopped") return "Winnow does not run. The view Servers says what to do.";
    const task = this.#shown()?.task;
    if (task === undefined) {
      return "No task yet. Send a message to a model whose name ends in “(Winnow)”, or to @winnow: here you will see what each part of the request costs. A request without MCP tools is no task.";
    }
    const { model = "" } = this.#sessions.of(task) ?? {};
    const usage = await daemon.request(TaskUsageRows, { task, sections: this.#sections(task), model });
    const tasks = this.#store.tasks.map((each) => ({
      id: each.task,
      label: taskLabel(each, this.#sessions.of(each.task)),
    }));
    return { task, tasks: tasks.reverse(), usage };
  }
}
