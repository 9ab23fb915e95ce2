// The gateway as an MCP server of VS Code's own agent, and its configuration
// for other clients.

import * as vscode from "vscode";
import { coalesce } from "../base/coalesce";
import { PROTOCOL_GATEWAY_LABEL } from "../protocol/protocol.gen";
import { CatalogDidChange, GatewayInfo, type GatewaySnippet, type GatewayWay } from "../protocol/protocol.gen";
import { openFile } from "../window/open";
import { command, offer } from "../window/run";
import type { Winnow } from "../window/winnow";

/** As package.json has it. */
const providerId = "winnow.gateway";

/** Its name in VS Code. Of two servers with the same name VS Code runs one only, so it is none of the user's. */
const label = PROTOCOL_GATEWAY_LABEL;

/** The address before the server is started: the real one is known then. */
const unresolved = vscode.Uri.parse("http://127.0.0.1/winnow-gateway");

/** The setting by which VS Code's agent gets the gateway. */
export const gatewaySetting = "gateway.inVSCode";

/** Offers the gateway to VS Code, where the user wants it, and its configuration to other clients. */
export function registerGateway(winnow: Winnow): void {
  const { daemon, log, own, settings } = winnow;
  const changes = own(new vscode.EventEmitter<void>());
  // Stands for the tools. VS Code keeps what it knows of a server as long as its version is the same.
  let version = "";
  // How often the daemon was started, by whomever: each has an address of its own.
  let starts = 0;
  let offered = false;
  const look = coalesce(
    async () => {
      if (!(await gatewayInVSCode(winnow))) return;
      const tools = (await daemon.request(GatewayInfo, {})).version;
      // The first start of a window goes by the tools alone: VS Code knows them from the window before.
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
      // VS Code starts the server: says where it is.
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

/** Copies what another client needs to have all servers as one. */
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
  // VS Code cuts a message without a button to one line.
  const action = path === undefined ? { "Show What Was Copied": show } : { "Open File": () => openFile(path) };
  await offer(vscode.window.showInformationMessage, copied, action);
}

interface SnippetItem extends vscode.QuickPickItem {
  snippet?: GatewaySnippet;
}

/** The snippets of one way, under a heading. */
function group(heading: string, way: GatewayWay, snippets: readonly GatewaySnippet[]): SnippetItem[] {
  return [
    { label: heading, kind: vscode.QuickPickItemKind.Separator },
    ...snippets
      .filter(({ by }) => by === way)
      .map((snippet) => ({ label: snippet.client, description: snippet.where, snippet })),
  ];
}
