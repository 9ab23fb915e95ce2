import type { ServerInfo, ServerState } from "../protocol.gen";

/** What a chat says about the servers before it begins. */
export interface ServerNote {
  /** Markdown. */
  text: string;
  buttons: { command: string; title: string }[];
}

/** The states in which a server waits for the user, and what for. */
const waits: Partial<Record<ServerState, string>> = {
  waitingForConsent: "for your consent",
  waitingForTrust: "for this workspace to be trusted",
  signedOut: "for you to sign in",
};

/** Tells when there is no server whose tools could be used, and what to do; undefined when there is one. */
export function serverNote(servers: readonly ServerInfo[]): ServerNote | undefined {
  if (servers.some(({ tools }) => tools > 0)) return undefined;
  if (servers.length === 0) {
    return {
      text: "Winnow runs no MCP server yet, so I answer without tools of yours. Add one to `.vscode/winnow.json`, or let Winnow take over those that you have.",
      buttons: [
        { command: "winnow.openWorkspaceFile", title: "Add a Server" },
        { command: "winnow.importServers", title: "Import Servers…" },
      ],
    };
  }
  const lines = servers.map(({ name, state, error }) => `\`${name}\` ${describe(state, error)}`);
  return {
    text: `None of your MCP servers can be used now: ${lines.join("; ")}.`,
    buttons: [{ command: "winnow.showServers", title: "Show Servers" }],
  };
}

function describe(state: ServerState, error: string | undefined): string {
  const wait = waits[state];
  if (wait !== undefined) return `waits ${wait}`;
  return error === undefined ? `is ${state}` : `is ${state} (${error})`;
}
