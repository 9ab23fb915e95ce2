// Which of the user's rules hold, with routing on or off. Pure.

import type { ServerInfo } from "../protocol.gen";
import { count, escapeMarkdown } from "../views/format";

/** Says which rules of the user's hold, whatever routing does; as Markdown. */
export function rulesWords(servers: readonly ServerInfo[], mode: string | undefined): string {
  const off = servers.filter(({ state }) => state === "disabled" || state === "stopped").length;
  const tools = servers
    .filter(({ state }) => state !== "disabled" && state !== "stopped")
    .reduce((sum, server) => sum + server.tools - server.inScope, 0);
  const rules = [
    ...(mode === undefined ? [] : [`mode ${escapeMarkdown(mode)}`]),
    ...(off === 0 ? [] : [`${count(off, "server")} off`]),
    ...(tools === 0 ? [] : [`${count(tools, "tool")} out of scope`]),
  ];
  return rules.length === 0 ? "Every tool that it shows is sent." : `Your rules still hold: ${rules.join(", ")}.`;
}
