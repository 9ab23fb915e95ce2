import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { SavingsReset, type TaskSummary, TaskUsage, type TaskUsageResult } from "../../protocol.gen";
import { statsAddresses } from "../../servers/proxymodel";
import type { Sessions } from "../../sessions";
import type { Winnow } from "../../winnow";
import { coalesce } from "../coalesce";
import { prefixOf } from "../names";
import { attempt, command } from "../run";
import type { Store } from "../store";
import { exportText } from "./export";
import { pageHtml } from "./html";
import type { FromPanel, ToPanel } from "./messages";
import { type PanelState, taskPanel } from "./model";
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

  /** Saves the numbers of the task that is shown. */
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
    const model = this.#sessions.of(task.task)?.model;
    const text = exportText({ task, ...(model !== undefined && { model }), usage: await this.#usage(task.task) });
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(text));
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
        await vscode.commands.executeCommand("winnow.why", this.#whyTarget());
        break;
    }
  }

  #whyTarget() {
    const task = this.#shown();
    return task === undefined ? undefined : { kind: "task", task };
  }

  /** The task that is shown: the chosen one while it is open, else the newest. */
  #shown() {
    const { tasks } = this.#store;
    return tasks.find(({ task }) => task === this.#chosen) ?? tasks.at(-1);
  }

  #usage(task: string): Promise<TaskUsageResult> {
    const sections = [...(this.#sessions.of(task)?.sections ?? [])];
    return this.#winnow.daemon.request(TaskUsage, { task, sections });
  }

  /** The prefixes of the servers whose tools the task has, or has missed. */
  async #prefixes({ source, missedTools = [] }: TaskSummary, { sections }: TaskUsageResult) {
    if (source === "") return new Map<string, string>(); // the daemon's own tools have none
    const attached = sections.flatMap(({ children = [] }) => children).map(({ name }) => name);
    const servers = new Set([...attached, ...missedTools.map(({ server }) => server)]);
    const prefixes = [...servers].map(async (name): Promise<[string, string]> => {
      const tools = await this.#store.tools({ source, name });
      return [name, prefixOf(tools.map((tool) => tool.name))];
    });
    return new Map(await Promise.all(prefixes));
  }

  async #draw(): Promise<void> {
    // Nobody sees a hidden panel, and it does not hear; it is drawn when it is shown.
    const panel = this.#panel;
    if (panel?.visible !== true) return;
    const proxies = await statsAddresses(this.#winnow.context);
    const message: ToPanel = { type: "state", state: await this.#state(), proxy: await askProxies(proxies) };
    await panel.webview.postMessage(message);
  }

  async #state(): Promise<PanelState> {
    const { kind } = this.#winnow.daemon.state;
    if (kind === "stopped") return { kind: "empty", text: "Winnow does not run. The view Servers says what to do." };
    const summary = this.#shown();
    if (summary === undefined) {
      const text =
        "No task yet. Send a message to a model whose name ends in “(Winnow)”, or to @winnow: here you will see what each part of the request costs. A request without MCP tools is no task.";
      return { kind: "empty", text };
    }
    const usage = await this.#usage(summary.task);
    return taskPanel({
      summary,
      usage,
      prefixes: await this.#prefixes(summary, usage),
      facts: this.#sessions.of(summary.task),
      tasks: this.#store.tasks,
      factsOf: (task) => this.#sessions.of(task),
      week: this.#store.week,
    });
  }
}
