// Registers the routed models in VS Code.

import * as vscode from "vscode";
import { errorText } from "../daemon/errors";
import { StatusShow } from "../protocol/protocol.gen";
import { command } from "../window/run";
import type { Sessions } from "../window/sessions";
import type { Winnow } from "../window/winnow";
import { Allowances } from "../routing/allowances";
import { Calls } from "../routing/calls";
import { registerCallTool } from "./calltool";
import { Catalogue } from "./catalogue";
import type { Routing } from "../routing/request";
import { RoutingDaemon, mcpTag } from "../routing/daemon";
import { deleteEarlierChats } from "./earlierchats";
import { Listings } from "./listing";
import { Notices } from "./notices";
import { TwinProvider } from "./provider";
import { type Twin, ownVendor } from "./twins";
import { useModel } from "./usemodel";
import { revivePart } from "../chat/vscodeparts";

/** The host's models and servers, for the views. */
export interface HostModels {
  /** Sends VS Code's MCP tools to the daemon with its own, and returns the list's name; empty without tools. */
  everyServer(): Promise<string>;
  /** The names of the servers in VS Code's files, started or not. */
  serverNames(): readonly string[];
  onDidChangeServerNames: vscode.Event<void>;
  /** The names of the models that have a twin. */
  routed(): string[];
}

/** What other parts of the extension use. */
interface Registered {
  /** The context of requests. */
  answering: { routing: Routing; calls: Calls };
  models: HostModels;
}

/** Registers a twin of each language model. */
export function registerModels(winnow: Winnow, sessions: Sessions): Registered {
  const catalogue = winnow.own(new Catalogue(winnow.log, winnow.settings));
  const listings = new Listings(winnow);
  const notices = new Notices(winnow);
  const calls = new Calls(winnow.daemon);
  const routing: Routing = {
    daemon: new RoutingDaemon(winnow.daemon),
    allowances: new Allowances(),
    listing: () => listings.get(),
    routed: (task) => sessions.route({ ...task, face: "model" }),
    revive: revivePart,
    failed: (err) => winnow.log.warn(`a request was forwarded without routing: ${errorText(err)}`),
  };
  const provider = new TwinProvider(catalogue, routing, (model) => notices.used(model));
  winnow.own(vscode.lm.registerLanguageModelChatProvider(ownVendor, provider));
  winnow.own(registerCallTool(routing.allowances, calls, (message) => winnow.log.warn(message)));
  // Only twins use winnow_call: without one it is not in VS Code's list of tools.
  const showTool = () =>
    void vscode.commands.executeCommand("setContext", "winnow.hasTwins", catalogue.twins.length > 0);
  winnow.own(catalogue.onDidChange(showTool));
  void catalogue.refresh();
  void deleteEarlierChats(winnow.context.globalStorageUri.fsPath, winnow.log);
  const nameOf = ({ id, name }: Twin) => catalogue.model(id)?.name ?? name;
  const models: HostModels = {
    everyServer: async () => {
      const listing = listings.get();
      return listing.tools.some(({ tags }) => tags.includes(mcpTag)) ? routing.daemon.everyServer(listing) : "";
    },
    serverNames: () => listings.inFiles,
    onDidChangeServerNames: listings.onDidChangeFiles,
    routed: () => catalogue.twins.map(nameOf),
  };
  const ways = async () => {
    const asked = { source: await models.everyServer(), hostServers: [...models.serverNames()] };
    return (await winnow.daemon.request(StatusShow, asked)).ways;
  };
  command(winnow, "winnow.useModel", async () => {
    // Right after the start the models are not known yet.
    if (catalogue.twins.length === 0) await catalogue.refresh();
    await useModel(catalogue.twins, nameOf, ways);
  });
  return { answering: { routing, calls }, models };
}
