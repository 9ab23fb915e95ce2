import * as vscode from "vscode";
import { count } from "../../base/format";
import type { ModeInfo } from "../../protocol/protocol.gen";

/** Asks for a mode; undefined if none was picked, an empty slug for "no mode". */
export async function pickMode(
  modes: readonly ModeInfo[],
  current: string,
  title: string,
): Promise<string | undefined> {
  const items = [
    { slug: "", label: "No mode", description: "Every server that is on", detail: "" },
    ...modes.map((mode) => ({
      slug: mode.slug,
      label: mode.name,
      description: serversOf(mode),
      detail: mode.description ?? "",
    })),
  ].map((item) => (item.slug === current ? { ...item, label: `$(check) ${item.label}` } : item));
  return (await vscode.window.showQuickPick(items, { title, matchOnDescription: true }))?.slug;
}

/** Returns a text on the servers of a mode. */
function serversOf({ allowedMcpServers: allowed, blockedMcpServers: blocked = [] }: ModeInfo): string {
  if (allowed !== undefined) return allowed.length === 0 ? "No MCP server" : `Only ${allowed.join(", ")}`;
  return blocked.length === 0
    ? "Every server that is on"
    : `All but ${count(blocked.length, "server")}: ${blocked.join(", ")}`;
}
