// What the menu of the status bar offers. Pure; bar.ts shows it.

import type { FileFault, ModeListResult, ServerInfo, TaskSummary } from "../protocol.gen";
import { takesTools } from "../views/tasks/rows";
import { useModelLabel, type WaitingServer } from "./text";

/** What the menu goes by. */
export interface MenuInput {
  /** Why the daemon does not run, and what to do; undefined while it runs or is being started. */
  stopped?: string | undefined;
  off: boolean;
  shadow: boolean;
  modes: ModeListResult;
  servers: readonly WaitingServer[];
  /** What is wrong in the files. */
  faults: readonly FileFault[];
  /** The models that the person can use Winnow with. */
  models: readonly string[];
  /** The open ones. */
  tasks: readonly TaskSummary[];
}

/** An entry of the menu: a command, or a heading without one. */
export interface MenuEntry {
  label: string;
  description?: string;
  command?: string;
  /** The server that the command is called on. */
  server?: string;
  /** The place that is opened, instead of a command. */
  fault?: FileFault;
}

/** What mends a server that waits for the user. */
const remedies: Partial<Record<ServerInfo["state"], { label: string; command: string }>> = {
  signedOut: { label: "$(key) Sign in to", command: "winnow.signIn" },
  failed: { label: "$(output) Show the log of", command: "winnow.showServerLog" },
  waitingForConsent: { label: "$(shield) Allow", command: "winnow.allowServers" },
  waitingForTrust: { label: "$(workspace-untrusted) Trust the workspace, for", command: "winnow.manageTrust" },
};

/** What waits for the user, with what mends it: one entry a server. */
function waitingEntries(servers: readonly WaitingServer[]): MenuEntry[] {
  return servers.flatMap((server): MenuEntry[] => {
    const remedy = remedies[server.state];
    if (remedy === undefined) return [];
    const description = server.error ?? server.waits ?? "";
    return [{ label: `${remedy.label} ${server.name}`, description, command: remedy.command, server: server.name }];
  });
}

/** Makes the menu. What waits for the user comes first. */
export function menuEntries({ stopped, off, shadow, modes, servers, faults, models, tasks }: MenuInput): MenuEntry[] {
  const waiting = [
    ...(stopped === undefined
      ? []
      : [{ label: "$(debug-restart) Restart Winnow", description: stopped, command: "winnow.restartDaemon" }]),
    ...faults.map((fault) => ({ label: `$(go-to-file) Open ${fault.file}`, description: fault.message, fault })),
    ...waitingEntries(servers),
  ];
  const mode = modes.modes.find(({ slug }) => slug === modes.current)?.name;
  return [
    ...(waiting.length === 0 ? [] : [{ label: "Needs attention" }, ...waiting]),
    { label: "Routing" },
    ...(tasks.length > 0 || off ? [] : [{ label: `$(sparkle) ${useModelLabel(models)}`, command: "winnow.useModel" }]),
    ...(modes.modes.length === 0
      ? []
      : [{ label: "$(organization) Pick mode…", description: mode ?? "no mode", command: "winnow.pickMode" }]),
    off
      ? {
          label: "$(play) Turn routing on",
          description: "it is off: VS Code groups tools by itself, and your rules hold",
          command: "winnow.toggleRouting",
        }
      : {
          label: "$(circle-slash) Turn routing off",
          description: "VS Code groups tools by itself again; your rules still hold",
          command: "winnow.toggleRouting",
        },
    // While routing is off there is nothing to watch.
    ...(off
      ? []
      : [
          shadow
            ? {
                label: "$(eye-closed) Leave shadow mode",
                description: "routing decides again",
                command: "winnow.toggleShadow",
              }
            : {
                label: "$(eye) Shadow mode",
                description: "decide and show, but change nothing",
                command: "winnow.toggleShadow",
              },
        ]),
    { label: "Look" },
    { label: "$(graph) Show context usage", command: "winnow.showContext" },
    ...(tasks.length === 0 ? [] : [{ label: "$(question) Why is a tool attached, or not?…", command: "winnow.why" }]),
    ...(tasks.some(takesTools)
      ? [{ label: "$(cloud-download) Load a tool into a task…", command: "winnow.loadTool" }]
      : []),
    { label: "$(server) Show servers and tools", command: "winnow.showServers" },
    { label: "$(output) Show log", command: "winnow.showLog" },
  ];
}
