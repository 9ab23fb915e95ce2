// Brings the routed models into VS Code.

import * as vscode from "vscode";
import { isRoutingOff, isShadow } from "../status/routing";
import type { Sessions } from "../sessions";
import { command } from "../views/run";
import type { Winnow } from "../winnow";
import { Allowances } from "./allowances";
import { registerCallTool } from "./calltool";
import { Catalogue } from "./catalogue";
import type { Routing } from "./chat";
import { ClientLists } from "./clienttools";
import { RoutingDaemon } from "./daemon";
import { deleteEarlierChats } from "./earlierchats";
import { hostList } from "./hosttools";
import { Listings } from "./listing";
import { Notices } from "./notices";
import { TwinProvider } from "./provider";
import { type Twin, ownVendor } from "./twins";
import { useModel } from "./usemodel";
import { revivePart } from "./vscodeparts";

/** What VS Code has, for the rest of the extension. */
export interface HostModels {
  /** Hands the daemon VS Code's MCP tools together with its own, and names the list; empty where VS Code tells of none. */
  everyServer(): Promise<string>;
  /** The names of the servers in VS Code's files, started or not. */
  serverNames(): readonly string[];
  onDidChangeServerNames: vscode.Event<void>;
  /** The names of the models that have a twin. */
  routed(): string[];
}

/** Offers a twin of each language model. */
export function registerModels(winnow: Winnow, sessions: Sessions): HostModels {
  const catalogue = winnow.own(new Catalogue(winnow.log));
  const listings = new Listings(winnow);
  const notices = new Notices(winnow);
  const daemon = new RoutingDaemon(winnow.daemon);
  const routing: Routing = {
    daemon,
    allowances: new Allowances(),
    listing: () => listings.get(),
    clients: new ClientLists(),
    hasOwn: () => listings.hasOwn,
    state: () => (isRoutingOff() ? "off" : isShadow() ? "shadow" : "on"),
    routed: (task) => sessions.route({ ...task, face: "model" }),
    revive: revivePart,
    failed: (err) =>
      winnow.log.warn(`a request was forwarded without routing: ${err instanceof Error ? err.message : String(err)}`),
  };
  const provider = new TwinProvider(catalogue, routing, (model) => notices.used(model));
  winnow.own(vscode.lm.registerLanguageModelChatProvider(ownVendor, provider));
  winnow.own(registerCallTool(routing.allowances, winnow.daemon));
  // No other model has a use for winnow_call: without a twin it is not in VS Code's list of tools.
  const showTool = () =>
    void vscode.commands.executeCommand("setContext", "winnow.hasTwins", catalogue.twins.length > 0);
  winnow.own(catalogue.onDidChange(showTool));
  void catalogue.refresh();
  void deleteEarlierChats(winnow.context.globalStorageUri.fsPath, winnow.log);
  const nameOf = ({ id, name }: Twin) => catalogue.model(id)?.name ?? name;
  command(winnow, "winnow.useModel", () => useModel(catalogue.twins, nameOf));
  return {
    everyServer: async () => {
      const listing = listings.get();
      const list = hostList(listing.mcpTools(), listing, true);
      if (list.tools.length === 0) return "";
      await daemon.provide(list);
      return list.source;
    },
    serverNames: () => listings.inFiles,
    onDidChangeServerNames: listings.onDidChangeFiles,
    routed: () => catalogue.twins.map(nameOf),
  };
}
