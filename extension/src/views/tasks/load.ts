import * as vscode from "vscode";
import type { Daemon } from "../../daemon/client";
import { isCancelled } from "../../daemon/errors";
import { TaskLoad, TaskSearch, type TaskSearchTool } from "../../protocol/protocol.gen";
import type { Winnow } from "../../window/winnow";

/** The most matches shown. */
const limit = 30;

interface LoadItem extends vscode.QuickPickItem {
  tool: TaskSearchTool;
}

/**
 * Asks for tools with a live search, and attaches the picked ones.
 *
 * @returns a text on what was attached; undefined if nothing was picked
 */
export async function loadTools({ daemon }: Winnow, task: string): Promise<string | undefined> {
  const picked = await search(daemon, task);
  if (picked.length === 0) return undefined;
  const names = picked.map(({ tool }) => `${tool.server}/${tool.tool}`);
  const { loaded } = await daemon.request(TaskLoad, { task, names });
  const fresh = new Set(loaded.filter(({ already }) => !already).map(({ server, tool }) => `${server}/${tool}`));
  const added = picked.filter((_, i) => fresh.has(names[i] ?? "")).map(({ label }) => label);
  return added.length === 0
    ? "It is attached already."
    : `Attached ${added.join(", ")}. The model has it with its next request.`;
}

/** Shows the picker, which searches as a model's mcp_load does. */
function search(daemon: Daemon, task: string): Promise<readonly LoadItem[]> {
  const pick = vscode.window.createQuickPick<LoadItem>();
  pick.title = "Load Tools into This Task";
  pick.placeholder = "What should the tool do? Search by words, as the model does";
  pick.canSelectMany = true;
  pick.matchOnDescription = true;
  pick.matchOnDetail = true;
  let running: vscode.CancellationTokenSource | undefined;
  const find = async (query: string) => {
    running?.cancel();
    const mine = (running = new vscode.CancellationTokenSource());
    pick.busy = true;
    try {
      const { tools } = await daemon.request(TaskSearch, { task, query, limit }, mine.token);
      if (mine === running) show(pick, tools);
    } catch (err) {
      if (!isCancelled(err)) throw err;
    } finally {
      mine.dispose();
      if (mine === running) pick.busy = false;
    }
  };
  return new Promise((resolve, reject) => {
    const look = (query: string) => {
      find(query).catch((err: unknown) => {
        reject(err instanceof Error ? err : new Error(String(err)));
        pick.hide();
      });
    };
    pick.onDidChangeValue(look);
    pick.onDidAccept(() => {
      resolve(pick.selectedItems);
      pick.hide();
    });
    pick.onDidHide(() => {
      running?.cancel();
      resolve([]);
      pick.dispose();
    });
    look("");
    pick.show();
  });
}

/** Shows the matches. Selected items stay, whatever is typed next. */
function show(pick: vscode.QuickPick<LoadItem>, tools: readonly TaskSearchTool[]): void {
  const ticked = pick.selectedItems;
  const known = new Set(ticked.map(({ tool }) => `${tool.server}/${tool.tool}`));
  const found = tools.filter((tool) => !known.has(`${tool.server}/${tool.tool}`)).map(item);
  pick.items = [...ticked, ...found];
  pick.selectedItems = ticked;
}

function item(tool: TaskSearchTool): LoadItem {
  return {
    label: tool.own.tool,
    description: tool.attached ? `${tool.own.server} · attached` : tool.own.server,
    detail: tool.description ?? tool.signature,
    // The daemon has ranked them by more than the typed letters.
    alwaysShow: true,
    tool,
  };
}
