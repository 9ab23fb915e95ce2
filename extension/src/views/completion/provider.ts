import * as vscode from "vscode";
import { formatTokens } from "../../base/format";
import type { Winnow } from "../../window/winnow";
import type { Store } from "../store";
import { type Completion, type Wanted, completionAt } from "./place";

/** Winnow's own files, as in the manifest's schema entries. */
const files: vscode.DocumentFilter[] = [{ pattern: "**/.vscode/winnow.json" }, { pattern: "**/winnow/winnow.json" }];

/** Completes names of servers and tools in Winnow's files. */
export function registerCompletion(winnow: Winnow, store: Store): void {
  const provider: vscode.CompletionItemProvider = {
    async provideCompletionItems(document, position) {
      const place = completionAt(document.getText(), document.offsetAt(position));
      if (place === undefined) return [];
      const range = new vscode.Range(document.positionAt(place.from), document.positionAt(place.to));
      return (await names(store, place.wanted)).map((name) => item(name, place, range));
    },
  };
  winnow.own(vscode.languages.registerCompletionItemProvider(files, provider, '"'));
}

interface Name {
  name: string;
  detail: string;
  documentation?: string;
}

async function names(store: Store, wanted: Wanted): Promise<Name[]> {
  if (wanted.kind === "servers") {
    const servers = new Map(store.servers.map(({ name, row }) => [name, row.description ?? ""]));
    return [...servers].map(([name, detail]) => ({ name, detail }));
  }
  const server = store.servers.find(({ name }) => name === wanted.server);
  if (server === undefined) return [];
  return (await store.tools(server)).map(({ tool, tokens, description }) => ({
    name: tool,
    detail: `${formatTokens(tokens)} tokens`,
    ...(description !== undefined && { documentation: description }),
  }));
}

function item({ name, detail, documentation }: Name, { key }: Completion, range: vscode.Range): vscode.CompletionItem {
  const made = new vscode.CompletionItem(name, vscode.CompletionItemKind.Value);
  const text = JSON.stringify(name);
  made.insertText = text;
  made.filterText = text; // typed text begins with a quote
  made.range = range;
  made.detail = detail;
  if (documentation !== undefined) made.documentation = documentation;
  if (key) made.kind = vscode.CompletionItemKind.Property;
  return made;
}
