// Brings the routed models into VS Code.

import path from "node:path";
import * as vscode from "vscode";
import { workspaceName } from "../host/workspace";
import type { Winnow } from "../winnow";
import { Allowances } from "./allowances";
import { registerCallTool } from "./calltool";
import { Catalogue } from "./catalogue";
import type { Routing } from "./chat";
import { ConversationFiles, conversationsName } from "./conversations";
import { RoutingDaemon } from "./daemon";
import { HiddenMemory } from "./hidden";
import { Listings } from "./listing";
import { Notices } from "./notices";
import { Recall } from "./recall";
import { TwinProvider } from "./provider";
import { type RoutedSessions, SessionStore } from "./sessions";
import { ownVendor } from "./twins";
import { revivePart } from "./vscodeparts";

/** The routed models of this window. */
export interface RoutedModels {
  /** What their tasks attach. */
  sessions: RoutedSessions;
  /** Resolves when what a reloaded window needs is on the disk. */
  written: () => Promise<void>;
}

/** Offers a twin of each language model. */
export function registerModels(winnow: Winnow): RoutedModels {
  const sessions = winnow.own(new SessionStore());
  const catalogue = winnow.own(new Catalogue(winnow.log));
  const listings = new Listings(winnow);
  const notices = new Notices(winnow);
  const daemon = new RoutingDaemon(winnow.daemon);
  const memory = new HiddenMemory();
  const lost = (err: unknown) => {
    winnow.log.debug(`a conversation of an earlier window: ${err instanceof Error ? err.message : String(err)}`);
  };
  const files = new ConversationFiles(conversationsFolder(winnow.context), workspaceName(), revivePart, lost);
  const routing: Routing = {
    daemon,
    memory,
    recall: new Recall({ files, daemon, memory }, lost),
    allowances: new Allowances(),
    listing: () => listings.get(),
    reveals: () => {
      const settings = vscode.workspace.getConfiguration("winnow");
      return settings.get<number>("searchTurns") !== 0 && settings.get<boolean>("shadow") !== true;
    },
    routed: (task) => {
      sessions.route(task);
    },
    failed: (err) => {
      winnow.log.warn(`a request was forwarded without routing: ${err instanceof Error ? err.message : String(err)}`);
    },
  };
  const provider = new TwinProvider(catalogue, routing, (model) => {
    notices.used(model);
  });
  winnow.own(vscode.lm.registerLanguageModelChatProvider(ownVendor, provider));
  winnow.own(registerCallTool((tool) => routing.allowances.use(tool)));
  // No other model has a use for winnow_call: without a twin it is not in VS Code's list of tools.
  const showTool = () =>
    void vscode.commands.executeCommand("setContext", "winnow.hasTwins", catalogue.twins.length > 0);
  winnow.own(catalogue.onDidChange(showTool));
  void catalogue.refresh();
  return { sessions, written: () => files.written() };
}

/**
 * Where conversations are kept. The workspace's own storage would not do: a
 * remote window that is reloaded while its old extension host still runs is
 * given another one, since the first is locked.
 */
export function conversationsFolder({ globalStorageUri }: vscode.ExtensionContext): string {
  return path.join(globalStorageUri.fsPath, conversationsName);
}
