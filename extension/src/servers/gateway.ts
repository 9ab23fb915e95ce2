// The gateway as an MCP server for VS Code's own agent, and its configuration for other clients.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import { PROTOCOL_GATEWAY_LABEL } from "../protocol/protocol.gen";
import { CatalogDidChange, GatewayInfo, type GatewaySnippet, type GatewayWay } from "../protocol/protocol.gen";
import { openFile } from "../window/open";
import { command, offer } from "../window/run";
import type { Winnow } from "../window/winnow";

/** As package.json has it. */
const providerId = "winnow.gateway";

/**
 * The gateway's name in VS Code, which runs only one of two servers with the same name: no user's server may have it.
 */
const label = PROTOCOL_GATEWAY_LABEL;

/** A placeholder until the server is started. */
const unresolved = vscode.Uri.parse("http://127.0.0.1/winnow-gateway");

/** The setting that gives VS Code's agent the gateway. */
export const gatewaySetting = "gateway.inVSCode";

/** Offers the gateway to VS Code if enabled, and its configuration to other clients. */
export function registerGateway(winnow: Winnow): void {
  const { daemon, log, own, settings } = winnow;
  const changes = own(new vscode.EventEmitter<void>());
  // Identifies the tools. VS Code caches a server's tools per version.
  let version = "";
  // The number of starts of the daemon; each has another address.
  let starts = 0;
  let offered = false;
  const look = coalesce(
    async () => {
      if (!(await gatewayInVSCode(winnow))) return;
      const tools = (await daemon.request(GatewayInfo, {})).version;
      // At the first start of a window only the tools count: VS Code has them cached from the last window.
      const now = starts <= 1 ? tools : `${tools}.${starts}`;
      if (now === version) return;
      version = now;
      changes.fire();
    },
    (err) => log.debug(`the gateway's version: ${String(err)}`),
  );
  own(
    settings.onDidChange(({ gateway }) => {
      look();
      if (gateway.inVSCode === offered) return;
      offered = gateway.inVSCode;
      changes.fire();
    }),
  );
  own(
    daemon.onNotification(CatalogDidChange, ({ source }) => {
      if (source === "") look();
    }),
  );
  own(
    daemon.onDidChangeState(({ kind }) => {
      if (kind !== "ready") return;
      starts++;
      look();
    }),
  );
  const definition = (uri: vscode.Uri, headers: Record<string, string>) =>
    new vscode.McpHttpServerDefinition(label, uri, headers, version);
  own(
    vscode.lm.registerMcpServerDefinitionProvider(providerId, {
      onDidChangeMcpServerDefinitions: changes.event,
      provideMcpServerDefinitions: async () => ((await gatewayInVSCode(winnow)) ? [definition(unresolved, {})] : []),
      // VS Code starts the server: supply its address.
      resolveMcpServerDefinition: async () => {
        const { url, token } = await daemon.request(GatewayInfo, {});
        return definition(vscode.Uri.parse(url, true), { Authorization: `Bearer ${token}` });
      },
    }),
  );
  command(winnow, "winnow.copyGatewayConfiguration", () => copyConfiguration(winnow));
}

/** Whether VS Code's agent has the gateway. */
export async function gatewayInVSCode({ settings }: Winnow): Promise<boolean> {
  return (await settings.get())?.gateway.inVSCode === true;
}

/** Copies another client's configuration of the gateway. */
async function copyConfiguration({ daemon }: Winnow): Promise<void> {
  const { snippets } = await daemon.request(GatewayInfo, {});
  const items = [
    ...group("The client starts winnowd: no token, and good after updates too", "process", snippets),
    ...group("By address: holds a token, and good until this window is closed", "address", snippets),
  ];
  const title = "Gateway Configuration for Another Client";
  const placeHolder = "Which client? What it needs is copied";
  const chosen = await vscode.window.showQuickPick(items, { title, placeHolder, matchOnDescription: true });
  if (chosen?.snippet === undefined) return;
  const { path, copied, language, text: content } = chosen.snippet;
  await vscode.env.clipboard.writeText(content);
  const show = async () => {
    await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language, content }));
  };
  // VS Code truncates a message without a button to one line.
  const action = path === undefined ? { "Show What Was Copied": show } : { "Open File": () => openFile(path) };
  await offer(vscode.window.showInformationMessage, copied, action);
}

interface SnippetItem extends vscode.QuickPickItem {
  snippet?: GatewaySnippet;
}

/** Returns the snippets of one way, under a heading. */
function group(heading: string, way: GatewayWay, snippets: readonly GatewaySnippet[]): SnippetItem[] {
  return [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...snippets
      .filter(({ by }) => by === way)
      .map((snippet) => ({ label: snippet.client, description: snippet.where, snippet })),
  ];
}
