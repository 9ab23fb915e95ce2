import * as vscode from "vscode";
import type { CatalogSort, FaultRow } from "../../protocol/protocol.gen";
import { attempt, command } from "../../window/run";
import type { Winnow } from "../../window/winnow";
import type { Store } from "../store";
import { Switched, registerServerActions } from "./actions";
import { registerKeys } from "./keys";
import { type ServersItem, ServersTree } from "./tree";

/** The key of the view's sort order. */
const sortKey = "winnow.servers.sort";

/** Registers the view Servers. */
export function registerServers(winnow: Winnow, store: Store): vscode.TreeView<ServersItem> {
  const tree = winnow.own(
    new ServersTree(store, (err) => winnow.log.debug(`servers: ${err instanceof Error ? err.message : String(err)}`)),
  );
  const view = winnow.own(
    vscode.window.createTreeView<ServersItem>("winnow.servers", {
      treeDataProvider: tree,
      showCollapseAll: true,
      // A checkbox shows the file's state, which is reported after the write.
      manageCheckboxStateManually: true,
    }),
  );
  const seen = () => view.visible && winnow.steps.mark("servers");
  winnow.own(view.onDidChangeVisibility(seen));
  seen();
  winnow.own(view.onDidExpandElement(({ element }) => tree.opened(element, true)));
  winnow.own(view.onDidCollapseElement(({ element }) => tree.opened(element, false)));
  const title = () => {
    view.description = store.catalog.description;
    void vscode.commands.executeCommand("setContext", "winnow.hasServers", store.servers.length > 0);
  };
  winnow.own(store.onDidChangeServers(title));
  const problems = winnow.own(vscode.languages.createDiagnosticCollection("winnow"));
  winnow.own(store.onDidChangeServers(() => showProblems(problems, store.faults)));
  const switched = new Switched(winnow);
  winnow.own(
    view.onDidChangeCheckboxState(({ items }) => {
      for (const [node, state] of items) {
        if (node.kind === "fault") continue;
        const enabled = state === vscode.TreeItemCheckboxState.Checked;
        void attempt(winnow, () => switched.set(node, enabled)).finally(() => {
          // Also after a refusal: the checkbox has changed by itself and must be reset.
          store.refreshServer(node.kind === "server" ? node.server : node.parent.server);
        });
      }
    }),
  );
  command(winnow, "winnow.showServers", () => show(tree, view));
  registerFilter(winnow, tree, view);
  registerSort(winnow, store);
  registerServerActions(winnow, store, switched);
  registerKeys(winnow, store, view, switched);
  return view;
}

/** Marks the faults of configuration files at their lines. */
function showProblems(problems: vscode.DiagnosticCollection, faults: readonly FaultRow[]): void {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  const marks = faults.map(
    ({ file, line = 1, column = 1, message, next, warning }): [vscode.Uri, vscode.Diagnostic[]] => {
      const range = new vscode.Range(line - 1, column - 1, line - 1, Number.MAX_SAFE_INTEGER);
      const text = next === undefined ? message : `${message}. ${next}`;
      const mark = new vscode.Diagnostic(range, text, warning === true ? Warning : Error);
      mark.source = "Winnow";
      return [vscode.Uri.file(file), [mark]];
    },
  );
  problems.clear();
  problems.set(marks);
}

/** Opens the view and focuses it. */
async function show(tree: ServersTree, view: vscode.TreeView<ServersItem>): Promise<void> {
  const { first } = tree;
  // If the rows are not drawn yet, VS Code's command would focus the empty view.
  if (view.visible || first === undefined) await vscode.commands.executeCommand("winnow.servers.focus");
  else await view.reveal(view.selection[0] ?? first, { focus: true, select: false });
}

function registerFilter(winnow: Winnow, tree: ServersTree, view: vscode.TreeView<ServersItem>): void {
  // Without matches the view's welcome text offers a way out, which VS Code shows only without a message.
  const message = () => (view.message = tree.filter === "" || tree.isEmpty ? "" : `Only what matches “${tree.filter}”`);
  winnow.own(tree.onDidChangeEmpty(message));
  const show = (filter: string) => {
    tree.filter = filter;
    message();
    void vscode.commands.executeCommand("setContext", "winnow.filtered", tree.filter !== "");
  };
  command(winnow, "winnow.filterServers", () => {
    const before = tree.filter;
    const box = vscode.window.createInputBox();
    box.title = "Filter Servers and Tools";
    box.placeholder = "Words of a name or a description";
    box.value = before;
    let accepted = false;
    box.onDidChangeValue(show);
    box.onDidAccept(() => {
      accepted = true;
      box.hide();
    });
    box.onDidHide(() => {
      if (!accepted) show(before);
      box.dispose();
    });
    box.show();
  });
  command(winnow, "winnow.clearFilter", () => show(""));
}

function registerSort(winnow: Winnow, store: Store): void {
  const { workspaceState } = winnow.context;
  const sort = (by: CatalogSort) => {
    store.sort = by;
    void vscode.commands.executeCommand("setContext", "winnow.sort", by);
    void workspaceState.update(sortKey, by);
  };
  sort(workspaceState.get<CatalogSort>(sortKey) === "cost" ? "cost" : "name");
  command(winnow, "winnow.sortByCost", () => sort("cost"));
  command(winnow, "winnow.sortByName", () => sort("name"));
}
