// The commands on servers and tools. Each is called on a node of the tree, or
// asks for one.

import * as vscode from "vscode";
import {
  type EditResult,
  EditUndo,
  ModeSetServerBlocked,
  type ServerInfo,
  ServerRestart,
  ServerSetEnabled,
  ServerSignIn,
  ServerStop,
  ToolSetAlwaysLoad,
  ToolSetDescription,
  ToolSetEnabled,
} from "../../protocol.gen";
import type { Winnow } from "../../winnow";
import { formatNumber, formatTokens } from "../format";
import { shortName } from "../names";
import { pickMode, pickQuestion, pickServer, pickTool, serverOf } from "../pick";
import { openDefinition, openWorkspaceFile } from "../places";
import { attempt, command } from "../run";
import type { Store } from "../store";
import { askAbout } from "./consentprompt";
import { serverLogs } from "./logs";
import type { ServersNode, ToolNode } from "./tree";

type Target = ServersNode | string | undefined;

/** Registers the commands. */
export function registerServerActions(winnow: Winnow, store: Store): void {
  onServers(winnow, store);
  onFiles(winnow, store);
  onTools(winnow, store);
}

/** What is to be done with a server, and which servers it can be done with. */
interface ServerAction {
  id: string;
  title: string;
  fits: (server: ServerInfo) => boolean;
  none: string;
  run: (server: ServerInfo) => unknown;
}

function onServers(winnow: Winnow, store: Store): void {
  const { daemon } = winnow;
  const showLog = serverLogs(winnow);
  const actions: ServerAction[] = [
    {
      id: "winnow.restartServer",
      title: "Restart which server?",
      fits: ({ state }) => !["host", "disabled", "waitingForTrust", "waitingForConsent", "declined"].includes(state),
      none: "Winnow runs no server.",
      run: ({ name }) => daemon.request(ServerRestart, { name }),
    },
    {
      id: "winnow.stopServer",
      title: "Stop which server?",
      fits: ({ state }) => ["ready", "starting", "failed", "known"].includes(state),
      none: "No server runs.",
      run: ({ name }) => daemon.request(ServerStop, { name }),
    },
    {
      id: "winnow.signIn",
      title: "Sign in to which server?",
      fits: ({ state }) => state === "signedOut",
      none: "No server waits for you to sign in.",
      run: (server) => signIn(winnow, server),
    },
    {
      id: "winnow.showServerLog",
      title: "Show the log of which server?",
      fits: ({ state }) => state !== "host",
      none: "Winnow runs no server.",
      run: ({ name }) => showLog(name),
    },
    {
      id: "winnow.alwaysLoadServer",
      title: "Always load all tools of which server?",
      fits: ({ alwaysLoad, tools }) => alwaysLoad !== true && tools > 0,
      none: "No server has tools that are not always loaded.",
      run: (server) => alwaysLoadServer(winnow, server, true),
    },
    {
      id: "winnow.noAlwaysLoadServer",
      title: "No longer always load the tools of which server?",
      fits: ({ alwaysLoad }) => alwaysLoad === true,
      none: "No server has all of its tools always loaded.",
      run: (server) => alwaysLoadServer(winnow, server, false),
    },
    {
      id: "winnow.openDefinition",
      title: "Open the definition of which server?",
      fits: () => true,
      none: "No server is known.",
      run: openDefinition,
    },
  ];
  for (const { id, title, fits, none, run } of actions) {
    command(winnow, id, async (target: Target) => {
      const fitting = store.servers.filter(fits);
      const server = serverOf(store, target) ?? (await pickServer(fitting, title, none));
      if (server !== undefined) await run(server);
    });
  }
}

/** Writes `alwaysLoad` for a whole server, and says what it costs. */
async function alwaysLoadServer(winnow: Winnow, { name, tools, tokens }: ServerInfo, alwaysLoad: boolean) {
  const result = await winnow.daemon.request(ToolSetAlwaysLoad, { server: name, alwaysLoad });
  const text = alwaysLoad
    ? `${name}: every task gets ${tools === 1 ? "its tool" : `all ${formatNumber(tools)} tools`} from the start, ${formatTokens(tokens)} tokens in each request.`
    : `${name}: its tools are ranked like all others.`;
  if (result.changed) void attempt(winnow, () => confirmEdit(winnow, text, result));
}

/** Signs in in the browser; the daemon opens it. Cancelling ends the wait. */
async function signIn({ daemon }: Winnow, { name }: ServerInfo): Promise<void> {
  const options = {
    location: vscode.ProgressLocation.Notification,
    title: `Winnow: sign in to ${name} in your browser`,
    cancellable: true,
  };
  await vscode.window.withProgress(options, (_, token) => daemon.request(ServerSignIn, { name }, token));
}

function onFiles(winnow: Winnow, store: Store): void {
  const { daemon } = winnow;
  command(winnow, "winnow.openWorkspaceFile", () => openWorkspaceFile());
  command(winnow, "winnow.manageTrust", () => vscode.commands.executeCommand("workbench.trust.manage"));
  command(winnow, "winnow.allowServers", async (target: Target) => {
    const server = serverOf(store, target);
    const question =
      server === undefined
        ? await pickQuestion(store.consents)
        : store.consents.find((q) => q.server === server.name && q.file === server.file);
    if (question !== undefined) void attempt(winnow, () => askAbout(winnow, store, [question], true));
  });
  const setBlocked = async (target: Target, blocked: boolean) => {
    const title = blocked ? "Block which server in a mode?" : "Allow which server in a mode?";
    const server = serverOf(store, target) ?? (await pickServer(store.servers, title, "No server is known."));
    if (server === undefined) return;
    const mode = store.modes.current === "" ? await askMode(store, server.name, blocked) : store.modes.current;
    if (mode === undefined) return;
    const result = await daemon.request(ModeSetServerBlocked, { mode, server: server.name, blocked });
    if (!result.changed) return;
    const text = `${server.name} is ${blocked ? "blocked" : "allowed"} in mode ${mode}.`;
    void attempt(winnow, () => confirmEdit(winnow, text, result));
  };
  command(winnow, "winnow.blockServer", (target: Target) => setBlocked(target, true));
  command(winnow, "winnow.unblockServer", (target: Target) => setBlocked(target, false));
}

async function askMode(store: Store, server: string, blocked: boolean): Promise<string | undefined> {
  const { modes } = store.modes;
  if (modes.length > 0) {
    const title = `${blocked ? "Block" : "Allow"} ${server} in which mode?`;
    return pickMode(modes, "", { title, none: false });
  }
  const open = "Open winnow.json";
  const text = "There is no mode yet. Define one under “modes” in .vscode/winnow.json.";
  if ((await vscode.window.showInformationMessage(text, open)) === open) await openWorkspaceFile("modes");
  return undefined;
}

function onTools(winnow: Winnow, store: Store): void {
  const { daemon } = winnow;
  const onTool = (id: string, title: string, run: (node: ToolNode) => unknown) => {
    command(winnow, id, async (target?: ToolNode) => {
      const node = target ?? (await pickTool(store, title));
      if (node !== undefined) await run(node);
    });
  };
  const setAlwaysLoad = ({ tool: { server, tool } }: ToolNode, alwaysLoad: boolean) =>
    daemon.request(ToolSetAlwaysLoad, { server, tool, alwaysLoad });
  onTool("winnow.toggleTool", "Turn which tool on or off?", async ({ tool: { server, tool, cause } }) => {
    const result = await daemon.request(ToolSetEnabled, { server, tool, enabled: cause !== undefined });
    void attempt(winnow, () => confirmEdit(winnow, `${tool} is ${cause === undefined ? "off" : "on"}.`, result));
  });
  onTool("winnow.alwaysLoad", "Always load which tool?", (node) => setAlwaysLoad(node, true));
  onTool("winnow.noAlwaysLoad", "No longer always load which tool?", (node) => setAlwaysLoad(node, false));
  onTool("winnow.overrideDescription", "Describe which tool in your own words?", (node) => describe(winnow, node));
  onTool("winnow.resetDescription", "Use the server's own description of which tool?", ({ tool: { server, tool } }) =>
    daemon.request(ToolSetDescription, { server, tool }),
  );
  onTool("winnow.copyName", "Copy the name of which tool?", ({ tool }) => vscode.env.clipboard.writeText(tool.name));
}

/** Asks for a description that models read instead of the server's own. */
async function describe({ daemon }: Winnow, { tool }: ToolNode): Promise<void> {
  const description = await vscode.window.showInputBox({
    title: `What models read about ${tool.tool} of ${tool.server}`,
    prompt: "Written to your file. Leave it empty to go back to the server's own words.",
    value: tool.override ?? tool.description ?? "",
  });
  if (description === undefined || description === tool.override) return;
  await daemon.request(ToolSetDescription, {
    server: tool.server,
    tool: tool.tool,
    ...(description !== "" && { description }),
  });
}

/** Says that a file was changed, with a way to look at it and one to take it back. */
async function confirmEdit({ daemon }: Winnow, text: string, { file, edit }: EditResult): Promise<void> {
  const undo = "Undo";
  const open = "Open File";
  const actions = edit === undefined ? [open] : [undo, open];
  const chosen = await vscode.window.showInformationMessage(`Winnow: ${text}`, ...actions);
  if (chosen === open) await vscode.window.showTextDocument(vscode.Uri.file(file));
  if (chosen === undo && edit !== undefined) await daemon.request(EditUndo, { edit });
}

/** Carries out what a person ticked in the tree, and offers to take it back. */
export async function setChecked(winnow: Winnow, node: ServersNode, enabled: boolean): Promise<void> {
  const { daemon } = winnow;
  const result =
    node.kind === "server"
      ? await daemon.request(ServerSetEnabled, { name: node.server.name, enabled })
      : await daemon.request(ToolSetEnabled, { server: node.tool.server, tool: node.tool.tool, enabled });
  if (!result.changed) return;
  const what = node.kind === "server" ? node.server.name : shortName(node.tool.tool, node.prefix);
  void attempt(winnow, () => confirmEdit(winnow, `${what} is ${enabled ? "on" : "off"}.`, result));
}
