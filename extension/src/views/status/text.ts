// The content of the status bar without a running daemon. Pure.

import { escapeMarkdown } from "../../base/format";
import type { MenuEntry, StatusResult } from "../../protocol/protocol.gen";

const showLog: MenuEntry = { label: "$(output) Show log", command: "winnow.showLog" };

/** While the daemon is being started. */
export function startingStatus(off: boolean): StatusResult {
  const said = off ? "Winnow: off" : "Winnow: starting";
  return {
    text: `${off ? "$(circle-slash)" : "$(loading~spin)"} ${said}`,
    tooltip: "**Winnow**",
    accessibility: `${said}. Opens the menu.`,
    menu: [showLog],
  };
}

/** When the daemon has stopped: nothing is routed, which must be visible. */
export function stoppedStatus(why: string): StatusResult {
  const said = "Winnow does not run";
  return {
    text: `$(error) ${said}`,
    tooltip: `**${said}**\n\n${escapeMarkdown(why)}`,
    accessibility: `${said}: ${why} Opens the menu.`,
    warning: true,
    menu: [
      { label: "Needs attention" },
      { label: "$(debug-restart) Restart Winnow", description: why, command: "winnow.restartDaemon" },
      showLog,
    ],
  };
}
